#if canImport(FoundationNetworking)

import Foundation
import Testing

@testable import LarkspurTransport

@Suite struct CookieJarTests {
    private let storage: HTTPCookieStorage
    private let jar: CookieJar

    init() throws {
        storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        jar = CookieJar(storage: storage, acceptPolicy: .always)
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private func store(_ cookies: String..., from origin: String, in jar: CookieJar? = nil) throws {
        let jar = jar ?? self.jar
        jar.store(cookies, from: try url(origin), mainDocumentURL: nil)
        jar.finishWriting()
    }

    private func field(_ text: String) throws -> String? { jar.field(for: try url(text)) }

    private var stored: [String: HTTPCookie] {
        Dictionary((storage.cookies ?? []).map { ($0.name, $0) }) { first, _ in first }
    }

    @Test(
        "All spellings of a host have the same cookies, and a host without a canonical form has none",
        arguments: [
            ("http://A.example/", "http://%61.example/"), ("http://127.1/", "http://127.0.0.1/"),
            ("http://127.0.0.1/", "http://0x7f.1/"), ("http://[0::1]/", "http://[::1]/"),
            ("http://b\u{FC}cher.example/", "http://xn--bcher-kva.example/"),
        ]
    )
    func spellings(one: String, other: String) throws {
        try store("a=b", from: one)
        #expect(try field(other) == "a=b")
        try store("c=d", from: "http://a..b/")
        #expect(try field("http://a..b/") == nil)
        #expect(Set(stored.keys) == ["a"])
    }

    @Test("Without cookies, a storage or permission, there is no Cookie field")
    func nothing() throws {
        #expect(try field("http://a.example/") == nil)
        try store("a=b", from: "http://a.example/")
        #expect(try field("http://a.example/") == "a=b")
        #expect(try field("mailto:x") == nil)
        let origin = try url("http://a.example/")
        #expect(CookieJar(storage: nil, acceptPolicy: .always).field(for: origin) == nil)
        #expect(CookieJar(storage: storage, acceptPolicy: .always, isEnabled: false).field(for: origin) == nil)
    }

    @Test(
        "The domain of a cookie selects the hosts to which it is sent",
        arguments: [
            ("www.example.com", "a=b", ["www.example.com"]),
            (
                "www.example.com", "a=b; Domain=example.com",
                ["www.example.com", "example.com", "other.example.com", "sub.www.example.com"]
            ),
            ("www.example.com", "a=b; Domain=.WWW.example.com", ["www.example.com", "sub.www.example.com"]),
            (
                "example.com", "a=b; Domain=example.com",
                ["example.com", "www.example.com", "other.example.com", "sub.www.example.com"]
            ),
            ("www.example.com", "a=b; Domain=other.example.com", []), ("www.example.com", "a=b; Domain=com", []),
            ("www.example.com", "a=b; Domain=ample.com", []), ("www.example.com", "a=b; Domain=evil.org", []),
            ("a.co.uk", "a=b; Domain=co.uk", []), ("a.localhost", "a=b; Domain=localhost", []),
            ("localhost", "a=b; Domain=localhost", ["localhost"]),
            // The two spellings are one host.
            ("127.0.0.1", "a=b; Domain=127.0.0.1", ["127.0.0.1", "0x7f.1"]),
            ("127.0.0.1", "a=b; Domain=0.0.1", []), ("evil.com.", "a=b; Domain=com.", []),
            ("a.0x7f.1", "a=b; Domain=0x7f.1", []), ("a.co.uk.", "a=b; Domain=co.uk.", []),
            ("www.evil.com.", "a=b; Domain=evil.com.", ["evil.com.", "www.evil.com."]),
            ("[::1]", "a=b", ["[::1]"]), ("[::1]", "a=b; Domain=[::1]", []),
        ]
    )
    func domains(host: String, cookie: String, receivers: [String]) throws {
        try store(cookie, from: "http://\(host.uppercased())/")
        let hosts = [
            "www.example.com", "example.com", "other.example.com", "sub.www.example.com", "badexample.com", "evil.org",
            "com", "a.co.uk",
            "b.co.uk", "localhost", "a.localhost", "b.localhost", "127.0.0.1", "1.0.0.1", "[::1]",
            "evil.com.", "www.evil.com.", "other.com.", "0x7f.1", "b.0x7f.1", "b.co.uk.",
        ]
        let got = try hosts.filter { try field("http://\($0)/") != nil }
        #expect(Set(got) == Set(receivers))
    }

    @Test(
        "The path of a cookie selects the paths to which it is sent",
        arguments: [
            ("/", "", ["/", "/a", "/a/", "/a/b", "/ab"]), ("/a", "", ["/", "/a", "/a/", "/a/b", "/ab"]),
            ("/a/b", "", ["/a", "/a/", "/a/b"]), ("/a/", "", ["/a", "/a/", "/a/b"]),
            ("/", "; Path=/a", ["/a", "/a/", "/a/b"]),
            ("/", "; Path=/a/", ["/a/", "/a/b"]), ("/a/b", "; Path=/", ["/", "/a", "/a/", "/a/b", "/ab"]),
            ("/a/b", "; Path=x", ["/a", "/a/", "/a/b"]), ("", "", ["/", "/a", "/a/", "/a/b", "/ab"]),
        ]
    )
    func paths(origin: String, attribute: String, receivers: [String]) throws {
        try store("a=b" + attribute, from: "http://a.example\(origin)")
        let got = try ["/", "/a", "/a/", "/a/b", "/ab"].filter { try field("http://a.example\($0)?x=/y") != nil }
        #expect(got == receivers)
        #expect(try field("http://a.example") == (receivers.first == "/" ? "a=b" : nil))
    }

    @Test("A secure cookie is sent over https only, and an insecure server cannot replace it")
    func secure() throws {
        try store("a=b; Secure", from: "https://a.example/")
        #expect(stored["a"]?.isSecure == true)
        #expect(try field("https://a.example/") == "a=b")
        #expect(try field("http://a.example/") == nil)
        try store("a=c", from: "http://a.example/")
        try store("a=; Max-Age=0", from: "http://a.example/")
        #expect(try field("https://a.example/") == "a=b")
    }

    @Test("A secure cookie stays secure if the file of the storage loses that property")
    func secureAfterReading() throws {
        try store("a=b; Secure", from: "https://a.example/")
        let properties = try #require(stored["a"]?.properties).merging([.secure: true]) { $1 }
        let read = try #require(HTTPCookie(properties: properties))
        #expect(!read.isSecure)
        storage.setCookie(read)
        #expect(try field("http://a.example/") == nil)
        #expect(try field("https://a.example/") == "a=b")
    }

    @Test("Ages and dates set the expiry of a cookie")
    func expiry() throws {
        let start = Date()
        try store(
            "a=1; Max-Age=60",
            "b=2; Expires=Wed, 09 Jun 2049 10:18:14 GMT; Max-Age=120",
            "c=3",
            from: "http://a.example/"
        )
        #expect(stored["c"]?.isSessionOnly == true)
        #expect(stored["a"]?.isSessionOnly == false)
        let origin = try url("http://a.example/")
        func field(after seconds: TimeInterval) -> String? {
            CookieJar(storage: storage, acceptPolicy: .always) { start.addingTimeInterval(seconds) }.field(for: origin)
        }
        #expect(field(after: 0) == "a=1; b=2; c=3")
        #expect(field(after: 100) == "b=2; c=3")
        #expect(field(after: 200) == "c=3")
    }

    @Test(
        "A cookie with an expiry in the past removes the stored cookie",
        arguments: ["Max-Age=0", "Max-Age=-1", "Expires=Thu, 01 Jan 1970 00:00:00 GMT"]
    )
    func deletion(attribute: String) throws {
        try store("a=1; Path=/", "b=2; Path=/", from: "http://a.example/")
        try store("a=x; Path=/; " + attribute, "new=x; " + attribute, from: "http://a.example/")
        #expect(stored.keys.sorted() == ["b"])
        try store("b=; Path=/other; " + attribute, from: "http://a.example/")
        #expect(stored.keys.sorted() == ["b"])
    }

    @Test("In the Cookie field, longer paths come first, then older cookies")
    func order() throws {
        for cookie in ["root=1; Path=/", "deep=2; Path=/a/b", "middle=3; Path=/a", "later=4; Path=/a"] {
            try store(cookie, from: "http://a.example/")
        }
        #expect(try field("http://a.example/a/b") == "deep=2; middle=3; later=4; root=1")
    }

    @Test("A cookie is written to the storage only when it changes")
    func writing() throws {
        let attributes = "; Path=/; Max-Age=1000; HttpOnly"
        try store("a=b" + attributes, from: "http://a.example/")
        let first = try #require(stored["a"])
        try store("a=b" + attributes, from: "http://a.example/")
        #expect(stored["a"] === first)
        for changed in ["a=c" + attributes, "a=c; Path=/; Max-Age=1000", "a=c; Path=/; Max-Age=2000", "a=c; Path=/"] {
            let before = try #require(stored["a"])
            try store(changed, from: "http://a.example/")
            #expect(stored["a"] !== before, "\(changed)")
        }
        #expect(storage.cookies?.count == 1)
    }

    @Test("Cookies with odd characters are stored without a trap, and broken prefixes or values are rejected")
    func odd() throws {
        try store(
            "\u{1F600}x3=a",
            "a=b; \u{1F600}x3=a",
            "e\u{301}x3=a",
            "__Host-x=1; Secure; Path=/",
            "__Secure-y=1",
            "bad=\u{0}",
            from: "http://a.example/"
        )
        #expect(Set(stored.keys) == ["\u{1F600}x3", "a", "e\u{301}x3"])
        let broken = try #require(
            HTTPCookie(properties: [.name: "n", .value: "a\r\nX: y", .domain: "b.example", .path: "/"])
        )
        storage.setCookie(broken)
        #expect(try field("http://b.example/") == nil)
    }

    @Test("Cookies that the caller made are sent by their own domain and path")
    func madeByCaller() throws {
        for (name, domain, path) in [("a", "a.example", "/"), ("b", ".a.example", ""), ("c", "A.Example", "/x")] {
            storage.setCookie(
                try #require(HTTPCookie(properties: [.name: name, .value: "1", .domain: domain, .path: path]))
            )
        }
        #expect(try field("http://a.example/x/y") == "c=1; a=1; b=1")
        #expect(try field("http://sub.a.example/") == "b=1")
    }

    @Test(
        "The accept policy decides which responses may set cookies",
        arguments: [
            (.always, "http://other.org/", true), (.never, nil, false), (.onlyFromMainDocumentDomain, nil, true),
            (.onlyFromMainDocumentDomain, "http://other.org/", false),
            (.onlyFromMainDocumentDomain, "http://example.com/", true),
            (.onlyFromMainDocumentDomain, "http://static.example.com/", true),
        ] as [(HTTPCookie.AcceptPolicy, String?, Bool)]
    )
    func policies(policy: HTTPCookie.AcceptPolicy, mainDocument: String?, accepts: Bool) throws {
        let origin = try url("http://www.example.com/")
        let main = try mainDocument.map { try url($0) }
        let strict = CookieJar(storage: storage, acceptPolicy: policy)
        strict.store(["a=b"], from: origin, mainDocumentURL: main)
        strict.finishWriting()
        #expect(stored.isEmpty == !accepts)
        try #require(storage.cookies).forEach(storage.deleteCookie)
        storage.cookieAcceptPolicy = policy
        jar.store(["a=b"], from: origin, mainDocumentURL: main)
        jar.finishWriting()
        #expect(stored.isEmpty == !accepts)
    }

    @Test("A session that does not handle cookies stores none")
    func disabled() throws {
        try store(
            "a=b",
            from: "http://a.example/",
            in: CookieJar(storage: storage, acceptPolicy: .always, isEnabled: false)
        )
        #expect(stored.isEmpty)
    }
}

#endif
