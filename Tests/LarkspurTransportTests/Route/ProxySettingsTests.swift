#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

@Suite struct ProxySettingsTests {
    private static let named = ProxyServer(host: "named.test", port: 8)

    private func proxy(
        for url: String,
        _ choice: ProxyChoice = .automatic,
        dictionary: [AnyHashable: Any]? = nil,
        environment: [String: String] = [:]
    ) throws -> String? {
        let settings = ProxySettings(choice, dictionary: dictionary) { environment[$0] }
        return try settings.proxy(for: try #require(URL(string: url)))?.description
    }

    @Test(
        "The environment names proxies by the scheme of the URL",
        arguments: [
            ([:], "http://a.test", nil),
            (["http_proxy": "p:1"], "http://a.test", "http://p:1"), (["http_proxy": "p:1"], "https://a.test", nil),
            (["HTTP_PROXY": "p:1"], "http://a.test", nil), (["HTTPS_PROXY": "p:1"], "https://a.test", "http://p:1"),
            (["https_proxy": "p:1", "HTTPS_PROXY": "q:1"], "https://a.test", "http://p:1"),
            (["all_proxy": "socks5://p"], "https://a.test", "socks5h://p:1080"),
            (["ALL_PROXY": "p:1", "http_proxy": ""], "http://a.test", nil),
            (["http_proxy": "p:1", "no_proxy": "b.test, a.test"], "http://a.test", nil),
            (["http_proxy": "p:1", "no_proxy": "\u{0603},a.test"], "http://a.test", nil),
            (["http_proxy": "p:1", "NO_PROXY": "b.test"], "http://a.test", "http://p:1"),
            (["http_proxy": "p:1", "no_proxy": "a.test:81"], "http://a.test:81/x", nil),
        ] as [([String: String], String, String?)]
    )
    func environment(variables: [String: String], url: String, expected: String?) throws {
        #expect(try proxy(for: url, environment: variables) == expected)
    }

    @Test("A proxy that cannot be used fails its requests, which are not sent directly")
    func unusable() throws {
        let broken = ["https_proxy": "gopher://p"]
        #expect(try proxy(for: "http://a.test", environment: broken) == nil)
        #expect(throws: ProxySettings.Failure.self) { try proxy(for: "https://a.test", environment: broken) }
        #expect(throws: ProxySettings.Failure.self) { try proxy(for: "http://a.test", .server(ProxyServer(host: ""))) }
        #expect(throws: ProxySettings.Failure.self) {
            try proxy(for: "http://a.test", dictionary: ["HTTPEnable": true, "HTTPProxy": "p", "HTTPPort": 0])
        }
        #expect(throws: ProxySettings.Failure.self) {
            try proxy(for: "http://a.test", dictionary: ["ProxyAutoConfigEnable": 1])
        }
    }

    @Test("The configuration's dictionary replaces the environment, even if it is empty")
    func dictionary() throws {
        let environment = ["all_proxy": "env:1"]
        #expect(try proxy(for: "http://a.test", dictionary: [:], environment: environment) == nil)
        let dictionary: [AnyHashable: Any] = [
            "HTTPEnable": 1, "HTTPProxy": "p", "HTTPPort": 8080, "HTTPSEnable": false, "HTTPSProxy": "q",
            "ExceptionsList": ["*.local.test"], "ExcludeSimpleHostnames": true, "kCFProxyUsernameKey": "ada",
        ]
        #expect(
            try proxy(for: "http://a.test", dictionary: dictionary, environment: environment) == "http://ada@p:8080"
        )
        #expect(try proxy(for: "https://a.test", dictionary: dictionary, environment: environment) == nil)
        #expect(try proxy(for: "http://a.local.test", dictionary: dictionary) == nil)
        #expect(try proxy(for: "http://printer", dictionary: dictionary) == nil)
        let socks: [AnyHashable: Any] = ["SOCKSEnable": NSNumber(value: 1), "SOCKSProxy": "s", "SOCKSPort": "9050"]
        #expect(try proxy(for: "https://a.test", dictionary: socks) == "socks5h://s:9050")
    }

    @Test(
        "A port may be any type of number, and anything else is an error",
        arguments: [8080, UInt16(8080), Int64(8080), NSNumber(value: 8080), "8080"] as [any Sendable]
    )
    func ports(port: any Sendable) throws {
        let dictionary: [AnyHashable: Any] = ["HTTPEnable": true, "HTTPProxy": "p", "HTTPPort": port]
        #expect(try proxy(for: "http://a.test", dictionary: dictionary) == "http://p:8080")
        #expect(throws: ProxySettings.Failure.self) {
            try proxy(for: "http://a.test", dictionary: ["HTTPEnable": true, "HTTPProxy": "p", "HTTPPort": [port]])
        }
    }

    @Test("The proxy in the session's options overrides the dictionary and the environment")
    func choice() throws {
        let environment = ["all_proxy": "env:1"]
        #expect(try proxy(for: "http://a.test", .direct, environment: environment) == nil)
        let choice = ProxyChoice.server(Self.named, exceptions: ["b.test"])
        #expect(try proxy(for: "https://a.test", choice, environment: environment) == "http://named.test:8")
        #expect(try proxy(for: "https://b.test", choice, environment: environment) == nil)
    }
}
#endif
