#if canImport(FoundationNetworking)

import Testing

@testable import LarkspurTransport

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
        "Empty segments, empty queries and dots in absolute references are treated as the RFC says",
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
        "What may not stand in a URL is percent-encoded, and nothing twice",
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
        "An origin is scheme, host and effective port",
        arguments: [
            ("http://a", "http://A:80/x", true), ("https://a:443", "HTTPS://a", true), ("http://a", "https://a", false),
            ("http://a", "http://b", false), ("http://a", "http://a:81", false),
            ("http://u:p@a:8/", "http://a:8", true),
            ("http://[::1]", "http://[::1]:80", true), ("http://[::1]:1", "http://[::1]:2", false),
            ("http://a:", "http://a", true),
        ]
    )
    func origins(one: String, other: String, areSame: Bool) {
        #expect(URLReference(one).origin != nil)
        #expect((URLReference(one).origin == URLReference(other).origin) == areSame)
    }

    @Test(
        "Without http, a host or a port that exists there is no origin",
        arguments: [
            "", "a", "mailto:a", "ftp://a", "http:a", "http://", "http:///x", "http://:80", "http://a:65536",
            "http://a:x", "http://u@",
        ]
    )
    func noOrigin(text: String) {
        #expect(URLReference(text).origin == nil)
    }
}

#endif
