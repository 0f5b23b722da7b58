#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import Testing

@testable import LarkspurTransport

@Suite struct HostExceptionTests {
    @Test(
        "An exception names hosts, domains, addresses and networks",
        arguments: [
            ("example.com", "example.com", 80, true), ("example.com", "EXAMPLE.com.", 80, true),
            ("example.com", "a.example.com", 80, true), ("example.com", "badexample.com", 80, false),
            (".example.com", "a.b.example.com", 80, true), ("*.example.com", "a.example.com", 80, true),
            (".example.com", "example.com", 80, true), ("example.com", "com", 80, false),
            ("localhost:8080", "localhost", 8080, true), ("localhost:8080", "localhost", 80, false),
            ("*", "anything.test", 1, true), ("<local>", "printer", 80, true), ("<local>", "a.b", 80, false),
            ("<local>", "::1", 80, false), ("10.0.0.1", "10.0.0.1", 80, true), ("10.0.0.1", "10.0.0.10", 80, false),
            ("10.0.0.0/8", "10.255.1.2", 80, true), ("10.0.0.0/8", "11.0.0.1", 80, false),
            ("10.0.0.0/9", "10.127.0.1", 80, true), ("10.0.0.0/9", "10.128.0.1", 80, false),
            ("0.0.0.0/0", "1.2.3.4", 80, true), ("0.0.0.0/0", "::1", 80, false), ("0.0.0.0/0", "a.test", 80, false),
            ("::1", "[::1]", 80, true), ("[::1]:81", "::1", 81, true), ("[::1]:81", "::1", 80, false),
            ("fe80::/10", "fe80::1", 80, true), ("fe80::/10", "fec0::1", 80, false), (" a ", "a", 1, true),
            ("example.com.", "a.example.com", 80, true), ("example.com.:80", "example.com", 80, true),
            (".\u{FE0F}a.test", "a.test", 80, true), ("bücher.test", "xn--bcher-kva.test", 80, true),
            ("127.0.0.1", "127.1", 80, true), ("127.0.0.1", "2130706433", 80, true), ("127.1", "127.0.0.1", 80, true),
            ("127.0.0.1", "0x7f.1", 80, true), ("127.0.0.1", "0177.0.0.1", 80, true),
            ("127.0.0.0/8", "①②⑦.1", 80, true), ("0.1", "127.0.0.1", 80, false), ("::1", "0::0:1", 80, true),
            ("fe80::1", "fe80::1%eth0", 80, true), ("a_b.test", "A_B.test", 80, true),
            ("127.0.0.1:8000", "127.0.0.1", 8000, true),
        ]
    )
    func matching(exception: String, host: String, port: Int, isExcepted: Bool) throws {
        let host = try CanonicalHost(named: host)
        #expect(HostException(exception)?.matches(host, port: port) == isExcepted)
    }

    @Test(
        "A text without a host, domain, address or network is not an exception",
        arguments: ["", " ", ".", "*.", "a..b", "*.\u{301}a.test", "[\u{301}::1]", "10.0.0.0/33", "1.2.3.4.5"]
    )
    func nothing(text: String) {
        #expect(HostException(text) == nil)
    }
}
#endif
