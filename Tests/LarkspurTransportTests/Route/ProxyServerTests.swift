#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

@Suite struct ProxyServerTests {
    @Test(
        "A proxy is parsed in the notation of the environment",
        arguments: [
            ("proxy.test", ProxyServer(host: "proxy.test", port: 80)),
            ("proxy.test:3128", ProxyServer(host: "proxy.test", port: 3128)),
            ("http://proxy.test:3128/", ProxyServer(host: "proxy.test", port: 3128)),
            ("HTTPS://proxy.test", ProxyServer(kind: .https, host: "proxy.test", port: 443)),
            ("socks5://10.0.0.1", ProxyServer(kind: .socks5, host: "10.0.0.1", port: 1080)),
            ("socks5h://[::1]:9050", ProxyServer(kind: .socks5, host: "::1", port: 9050)),
            ("127.1:3128", ProxyServer(host: "127.0.0.1", port: 3128)),
            (" http://a da:p%40 s%@proxy.test ", ProxyServer(host: "proxy.test", user: "a da", password: "p@ s%")),
            (
                "http://ada:p%40ss@proxy.test:1",
                ProxyServer(host: "proxy.test", port: 1, user: "ada", password: "p@ss")
            ),
        ]
    )
    func reading(text: String, proxy: ProxyServer) {
        #expect(ProxyServer(text) == proxy)
    }

    @Test(
        "A text that is not a proxy is refused",
        arguments: [
            "", "://", "ftp://a", "http://", "a:0", "a:65536", "a:b", "http://a/path", "http://a?x", "a b",
            "http://a%0d", "http://a..b", "http://1.2.3.4.5", "http://[fe80::1%25lo]",
        ]
    )
    func garbage(text: String) {
        #expect(ProxyServer(text) == nil)
    }

    @Test("The protocols of proxies are described by their schemes")
    func kinds() {
        #expect([ProxyServer.Kind.http, .https, .socks5].map { "\($0)" } == ["http", "https", "socks5"])
        #expect(ProxyServer("socks5h://a.test")?.kind == .socks5)
    }

    @Test("No description of a proxy contains its password")
    func descriptions() {
        let proxy = ProxyServer(host: "::1", port: 3128, user: "ada", password: "secret")
        #expect(proxy.description == "http://ada@[::1]:3128")
        var dumped = ""
        dump(ProxyChoice.server(proxy), to: &dumped)
        for text in ["\(proxy)", String(reflecting: proxy), "\([proxy])", dumped] { #expect(!text.contains("secret")) }
    }
}
#endif
