#if canImport(FoundationNetworking)

import Foundation
import HTTPSyntax
import Testing

@Suite struct URLReferenceTests {
    @Test(
        "References are resolved as in the examples of RFC 3986, section 5.4",
        arguments: [
            ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"),
            ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"),
            ("g;x", "http://a/b/c/g;x"),
            ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
            ("../../", "http://a/"),
            ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
            ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
            ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("g#s/./x", "http://a/b/c/g#s/./x"),
            ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
        ]
    )
    func examples(reference: String, target: String) {
        let base = URLReference("http://a/b/c/d;p?q")
        #expect(URLReference(reference).resolved(against: base).text == target)
    }

    @Test(
        "Empty segments, empty queries and dots in absolute references are handled as in RFC 3986",
        arguments: [
            ("http://a", "x", "http://a/x"), ("http://a?q", "x", "http://a/x"),
            ("http://a/b", "//host//x", "http://host//x"),
            ("http://a/b/c", "d//e", "http://a/b/d//e"), ("http://a/b//c", "../d", "http://a/b/d"),
            ("http://a/b?q", "?", "http://a/b?"),
            ("http://a/b", "http://h/x/../y/.", "http://h/y/"), ("http://a/b", "//h/../x", "http://h/x"),
            ("http://a/b#f", "c", "http://a/c"), ("http://a/b", "/..", "http://a/"),
            ("http://a/b", "/x/..//y", "http://a//y"),
            ("http://u@a:1/b", "c", "http://u@a:1/c"), ("https://a/b", "//h", "https://h"),
            ("http://a/b/c", "../\u{301}d", "http://a/\u{301}d"),
            ("http://a/b", "/\u{FE0F}c/./d", "http://a/\u{FE0F}c/d"),
        ]
    )
    func corners(base: String, reference: String, target: String) {
        #expect(URLReference(reference).resolved(against: URLReference(base)).text == target)
    }

    @Test(
        "Characters that a URL cannot have are percent-encoded, and escapes are kept",
        arguments: [
            ("a b?c d#e f", "a%20b?c%20d#e%20f"), ("\u{E4}?\u{F6}", "%C3%A4?%C3%B6"), ("a%20b", "a%20b"),
            ("100%", "100%25"),
            ("%zz%4", "%25zz%254"), ("<\"[]{}|\\^`>", "%3C%22%5B%5D%7B%7D%7C%5C%5E%60%3E"),
            ("a/b;c=d,e:@(f)*!$&'+~", "a/b;c=d,e:@(f)*!$&'+~"),
            ("\u{1F600}", "%F0%9F%98%80"), ("a\u{0}b\tc", "a%00b%09c"), ("a#b#c", "a#b%23c"), ("/\u{301}", "/%CC%81"),
        ]
    )
    func encoding(reference: String, encoded: String) {
        #expect(URLReference(reference).percentEncoded.text == encoded)
    }

    @Test(
        "A text becomes a URL: escapes are kept, and characters that RFC 3986 forbids are escaped",
        arguments: [
            ("http://h/?filter[name]=John%20Doe", "http://h/?filter%5Bname%5D=John%20Doe"),
            ("http://h/a|b%7Cc?d|e%7Cf#g|h%7Ci#j", "http://h/a%7Cb%7Cc?d%7Ce%7Cf#g%7Ch%7Ci%23j"),
            ("100%?50%&%2", "100%25?50%25&%252"), ("http://u[r%5B:p|w%40@h/", "http://u%5Br%5B:p%7Cw%40@h/"),
            ("http://a@b:c@h/", "http://a%40b:c@h/"), ("users/J\u{F6}rg%20M", "users/J%C3%B6rg%20M"),
            (" \t\r\nhttp://h/a b \n\u{0}", "http://h/a%20b"), ("http://h/a%0Ab", "http://h/a%0Ab"), ("", ""),
            (" ", ""),
            ("http://B\u{FC}cher.test:80/", "http://xn--bcher-kva.test:80/"), ("//\u{FC}/x", "//xn--tda/x"),
            ("http://LOCAL%68ost/", "http://LOCAL%68ost/"), ("http://[::1%lo]/", "http://[::1%25lo]/"),
            ("http+unix://%2Frun%2Fs/a b%20", "http+unix://%2Frun%2Fs/a%20b%20"), ("data:,a b%20", "data:,a%20b%20"),
            ("/a:b", "/a:b"), ("./a:b", "./a:b"),
            ("ftp://\u{FC} a/", "ftp://%C3%BC%20a/"), ("x://[::1]:1/", "x://[::1]:1/"), ("?a:b", "?a:b"),
        ]
    )
    func reading(text: String, read: String) throws {
        let reference = try URLReference(reading: text)
        #expect(reference.text == read)
        #expect(reference.url?.absoluteString == (read.isEmpty ? nil : read))
        #expect(try URLReference(reading: read) == reference)
    }

    @Test(
        "A text that is not a URL has a defect",
        arguments: [
            ("http://h/a\nb", URLReference.Defect.controlCharacter), ("a\r\nb", .controlCharacter),
            ("a\tb", .controlCharacter),
            ("127.0.0.1:5610/x", .colonWithoutScheme), (":80/x", .colonWithoutScheme), ("1:2", .colonWithoutScheme),
            ("http://h:x/", .malformedPort), ("http://a b/", .host(.forbiddenCharacter)),
            ("http://h\\x/", .host(.forbiddenCharacter)),
            ("https://[::1/", .host(.malformedIPv6)), ("http://a..\u{FC}/", .host(.noASCIIForm)),
            ("//1.2.3.4.5/", .host(.malformedIPv4)),
        ]
    )
    func unreadable(text: String, defect: URLReference.Defect) {
        #expect(throws: defect) { try URLReference(reading: text) }
    }

    @Test("The credentials of an authority are decoded once")
    func credentials() {
        #expect(URLReference.Authority("a%40b:c%253A:d@h:1").credentials?.user == "a@b")
        #expect(URLReference.Authority("a%40b:c%253A:d@h:1").credentials?.password == "c%3A:d")
        #expect(URLReference.Authority("a@h").credentials?.password == nil)
        #expect(URLReference.Authority("h:1").credentials == nil)
    }

    @Test(
        "An origin has a scheme, a host and an effective port",
        arguments: [
            ("http://a", "http://A:80/x", true), ("https://a:443", "HTTPS://a", true), ("http://a", "https://a", false),
            ("http://a", "http://b", false), ("http://a", "http://a:81", false),
            ("http://u:p@a:8/", "http://a:8", true),
            ("http://[::1]", "http://[::1]:80", true), ("http://[::1]", "http://[0:0::1]", true),
            ("http://local%68ost", "http://localhost", true), ("http://127.1", "http://127.0.0.1", true),
            ("http://b\u{FC}cher.test", "http://xn--bcher-kva.test", true), ("http://a.test.", "http://a.test", false),
            ("http://[fe80::1%25a]", "http://[fe80::1%25b]", false), ("http://[::1]:1", "http://[::1]:2", false),
            ("http://a:", "http://a", true),
        ]
    )
    func origins(one: String, other: String, areSame: Bool) {
        #expect(URLReference(one).origin != nil)
        #expect((URLReference(one).origin == URLReference(other).origin) == areSame)
    }

    @Test(
        "A URL without http, a host or a valid port has no origin",
        arguments: [
            "", "a", "mailto:a", "ftp://a", "http:a", "http://", "http:///x", "http://:80", "http://a:65536",
            "http://a:x", "http://u@", "http://a..b", "http://1.2.3.4.5", "http://a%2Fb",
        ]
    )
    func noOrigin(text: String) {
        #expect(URLReference(text).origin == nil)
    }
}

#endif
