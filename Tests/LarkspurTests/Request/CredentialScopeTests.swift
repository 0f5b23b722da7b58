import Testing

@testable import Larkspur

@Suite("The origins that get credentials")
struct CredentialScopeTests {
    private func scope(_ base: String?) throws -> CredentialScope {
        CredentialScope(.success(try base.map { BaseURL.normalized(try #require(URL(string: $0))) }))
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text), "\(text)") }

    @Test(
        "Origins are compared by scheme, host and port, in the spellings that URLs allow",
        arguments: [
            ("http://a.test/v1", "http://a.test/v1/users"), ("http://a.test", "http://a.test"),
            ("http://a.test", "http://a.test?q"), ("http://a.test", "http://a.test#f"),
            ("http://a.test/v1", "http://A.TEST:80/x"), ("HTTPS://a.test:443/", "https://a.test/x"),
            ("https://a.test", "https://a.test:443"), ("https://a.test:8443", "https://a.test:8443/x"),
            ("http://xn--bcher-kva.test", "http://XN--BCHER-KVA.test/x"), ("http://a.test", "http://%61.test/"),
            ("http://127.0.0.1", "http://127.1/"), ("http://127.0.0.1", "http://0x7f.1/x"),
            ("http://[::1]:8080/v1/", "http://[0::1]:8080/"), ("https://ada:secret@a.test/", "https://a.test/"),
            ("https://a.test/", "https://ada@a.test/x"), ("https://a.test/v1", "wss://a.test/chat"),
            ("http://a.test/v1", "ws://a.test:80/chat"), ("wss://a.test/v1", "https://a.test/x"),
            ("http+unix://%2Frun%2Fd.sock/v1/", "http+unix://%2Frun%2Fd.sock/users"),
        ]
    )
    func same(_ base: String, _ target: String) throws {
        let scope = try scope(base)

        #expect(try scope.isAtBase(url(target)))
        #expect(try scope.contains(url(target), or: []) { _ in nil })
    }

    @Test(
        "An origin with another scheme, host or port is another origin, however similar its text is",
        arguments: [
            ("https://a.test/v1", "http://a.test/v1/users"), ("http://a.test", "https://a.test/"),
            ("https://a.test", "https://a.test.evil.test/"), ("https://a.test", "https://a.test:444/"),
            ("https://a.test", "https://a.test@evil.test/"), ("https://a.test", "https://a.test:443@evil.test/"),
            ("https://a.test", "https://evil.test/https://a.test/"),
            ("https://a.test", "https://evil.test/?https://a.test"),
            ("https://a.test", "https://b.a.test/"), ("https://b.a.test", "https://a.test/"),
            ("https://a.test", "https://a.test./"), ("https://a.test/", "ws://a.test/"),
            ("https://a.test/", "file:///a.test/x"), ("https://a.test/", "ftp://a.test/x"),
            ("http+unix://%2Frun%2Fd.sock/v1/", "http+unix://%2Frun%2Fe.sock/users"),
            ("http+unix://%2Frun%2Fd.sock/v1/", "http://a.test/users"), ("v1/users", "https://a.test/v1/users"),
        ]
    )
    func other(_ base: String, _ target: String) throws {
        let scope = try scope(base)

        #expect(try !scope.isAtBase(url(target)))
        #expect(try !scope.contains(url(target), or: [url("https://named.test/")]) { _ in nil })
    }

    @Test("Every URL to which a relative reference leads is at the base URL, and its text shows that")
    func relative() throws {
        for base in ["https://ada:secret@a.test:8443/v1/", "http://127.1", "http://[::1]:80/x?y", "HTTP://A.test/"] {
            let scope = try scope(base)
            for reference in ["users", "/users", "?q=1", "#f", "", "../../x", "./a:b", "a//b", "/https://evil.test/"] {
                let target = try BaseURL.resolve(reference, against: url(base))
                #expect(scope.isAtBase(target), "\(base) \(reference)")
            }
            for reference in ["//evil.test/users", "https://evil.test", " //evil.test", "HTTPS://evil.test"] {
                let target = try BaseURL.resolve(reference, against: url(base))
                #expect(!scope.isAtBase(target), "\(base) \(reference)")
            }
        }
    }

    @Test("The origins that the settings name get credentials, whatever the paths of their URLs are")
    func named() throws {
        let scope = try scope("https://a.test/")
        let others = [try url("https://b.test/uploads/?x"), try url("http://c.test:8080")]

        for target in ["https://B.test:443/", "https://b.test/other", "http://c.test:8080/x", "wss://b.test"] {
            #expect(try scope.contains(url(target), or: others) { _ in nil }, "\(target)")
        }
        for target in ["http://b.test/", "http://c.test/", "https://d.test/"] {
            #expect(try !scope.contains(url(target), or: others) { _ in nil }, "\(target)")
        }
    }

    @Test("The https URL that HSTS requires in place of the base URL is at its origin, and no other https URL is")
    func strictTransport() throws {
        func secured(_ url: URL) -> URL? {
            guard url.host == "a.test", let port = url.port else { return nil }
            return URL(string: "https://a.test:\(port == 80 ? 443 : port)/")
        }
        let rows = [
            ("http://a.test/v1", "https://a.test/users", true), ("http://a.test:8080", "https://a.test:8080/", true),
            ("ws://a.test/v1", "wss://a.test/chat", true), ("http://a.test:8080", "https://a.test/", false),
            ("http://a.test", "https://b.test/", false), ("http://b.test", "https://b.test/", false),
            ("https://a.test", "http://a.test/", false),
        ]
        for (base, target, isSame) in rows {
            #expect(try scope(base).contains(url(target), or: [], secured: secured) == isSame, "\(base) \(target)")
            let other = try scope("https://other.test")
            #expect(try other.contains(url(target), or: [url(base)], secured: secured) == isSame, "\(base) \(target)")
        }
    }

    @Test("Without a base URL every origin gets credentials, and with an invalid base URL none does")
    func extremes() throws {
        #expect(try scope(nil).contains(url("https://a.test/"), or: []) { _ in nil })
        let invalid = CredentialScope(BaseURL.result(of: "a.test"))
        #expect(try !invalid.contains(url("https://a.test/"), or: []) { _ in nil })
        #expect(!invalid.isUnlimited)
    }
}
