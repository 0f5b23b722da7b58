import Testing

@testable import Larkspur

@Suite struct BaseURLTests {
    @Test(arguments: [
        ("http://h", "http://h"),
        ("http://h/", "http://h/"),
        ("http://h/v1", "http://h/v1/"),
        ("http://h/v1/", "http://h/v1/"),
        ("http://h/v1?x=1", "http://h/v1/?x=1"),
        ("http://h/v1/?x=1", "http://h/v1/?x=1"),
        ("http://h?x=1", "http://h?x=1"),
        ("http://h/v1?x=/", "http://h/v1/?x=/"),
        ("http://h/v1#f", "http://h/v1/#f"),
        ("http://h/a%2Fb%20c", "http://h/a%2Fb%20c/"),
        ("http://u:p@h:8080/v1", "http://u:p@h:8080/v1/"),
    ])
    func aBaseEndsItsPathWithASlash(string: String, expected: String) throws {
        #expect(BaseURL.normalized(try #require(URL(string: string))).absoluteString == expected)
    }

    @Test(arguments: [
        ("foo", "http://h/v1/foo"),
        ("foo?bar=baz", "http://h/v1/foo?bar=baz"),
        ("/foo", "http://h/foo"),
        ("foo/", "http://h/v1/foo/"),
        ("/foo/", "http://h/foo/"),
        ("http://other/y", "http://other/y"),
        ("https://other", "https://other"),
        ("//other/p", "http://other/p"),
        ("", "http://h/v1/?q=1"),
        ("?a=b", "http://h/v1/?a=b"),
        ("#f", "http://h/v1/?q=1#f"),
        ("../x", "http://h/x"),
        ("./x/./y/../z", "http://h/v1/x/z"),
        ("a b", "http://h/v1/a%20b"),
        ("ä", "http://h/v1/%C3%A4"),
        ("a%2Fb?x=%5B", "http://h/v1/a%2Fb?x=%5B"),
        ("?filter[name]=John%20Doe", "http://h/v1/?filter%5Bname%5D=John%20Doe"),
        ("a|b%7C%", "http://h/v1/a%7Cb%7C%25"), (" foo\n", "http://h/v1/foo"), ("\r\n", "http://h/v1/?q=1"),
        ("http://other/a[0]?x=%5B", "http://other/a%5B0%5D?x=%5B"), ("http://u:p%40 s@o/", "http://u:p%40%20s@o/"),
        ("x#a%20b c", "http://h/v1/x#a%20b%20c"), ("./a:b", "http://h/v1/a:b"),
        ("http://other/a/../b", "http://other/a/../b"), ("//b\u{FC}cher.test/", "http://xn--bcher-kva.test/"),
    ])
    func aStringIsResolvedAgainstTheBase(string: String, expected: String) throws {
        let base = try #require(URL(string: "http://h/v1?q=1"))
        #expect(try BaseURL.resolve(string, against: base).absoluteString == expected)
    }

    @Test(arguments: [("foo", "http://h/foo"), ("/foo", "http://h/foo"), ("?a=b", "http://h?a=b"), ("", "http://h")])
    func aBaseWithoutAPathWorks(string: String, expected: String) throws {
        #expect(try BaseURL.resolve(string, against: URL(string: "http://h")).absoluteString == expected)
    }

    @Test(arguments: ["http://h/a?b=c#d", "https://u:p@h:8443/", "file:///x", "data:,x", "HTTP://H/"])
    func anAbsoluteStringNeedsNoBase(string: String) throws {
        #expect(try BaseURL.resolve(string, against: nil).absoluteString == string)
    }

    @Test(arguments: [
        ("", "empty"), ("foo", "relative"), ("/foo", "relative"), ("//h/foo", "relative"), ("?a", "relative"),
        ("http://[::1", "cannot be parsed"), ("http://h:port/", "cannot be parsed"),
        ("http://a b/", "cannot be parsed"),
        ("x\r\ny", "control character"), ("http://h/a\nb", "control character"),
        ("127.0.0.1:5610/x", "has no scheme"), ("http://a..b/", "a dot too many"),
        ("http://1.2.3.4.5/", "no IPv4 address"), ("http://h:port/", "port is no number"),
        ("http://a b/", "character other than letters"), ("http://[::1", "no IPv6 address"),
        ("http:///foo", "no host"), ("http:foo", "no host"), ("https://", "no host"), ("https:///x", "no host"),
        ("HTTP:/x", "no host"),
    ])
    func whatCannotBeRequestedIsAnErrorThatSaysWhatToDo(string: String, reason: String) {
        let error = #expect(throws: LarkspurError.self) { try BaseURL.resolve(string, against: nil) }
        #expect(error?.code == .invalidURL)
        #expect(error?.message.contains(reason) == true)
        #expect(error?.message.contains(":") == true)
    }

    @Test func aBaseThatIsRelativeOrHasNoHostIsAnError() {
        for (string, base) in [("foo", "v1/"), ("foo", "http:///v1"), ("", "http:"), ("http:foo", "http://h/v1")] {
            let error = #expect(throws: LarkspurError.self) { try BaseURL.resolve(string, against: URL(string: base)) }
            #expect(error?.code == .invalidURL)
        }
    }

    @Test func theMessageHidesCredentialsAndQueryAndStaysOnOneLine() {
        for string in [
            "http://user:hunter2@h:port/?token=hunter2#hunter2", "http://user:hunter2@a b", "x\r\ny?hunter2",
        ] {
            let error = #expect(throws: LarkspurError.self) { try BaseURL.resolve(string, against: nil) }
            #expect(error?.message.contains("hunter2") == false)
            #expect(error?.message.utf8.contains(0x0A) == false)
        }
        let long = #expect(throws: LarkspurError.self) {
            try BaseURL.resolve(String(repeating: "x", count: 100_000), against: nil)
        }
        #expect((long?.message.count ?? .max) < 400)
    }
}
