#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite struct HostAddressTests {
    @Test("A host's addresses are written in libcurl's notation")
    func line() {
        #expect(HostAddress(host: "a.test", port: 80, addresses: ["1.2.3.4"]).curlLine == "a.test:80:1.2.3.4")
        #expect(HostAddress(host: "A.test", port: 80, addresses: ["::1"]).curlLine == "a.test:80:[::1]")
        #expect(HostAddress(host: "127.1", port: 80, addresses: ["::1"]).curlLine == "127.0.0.1:80:[::1]")
        #expect(HostAddress(host: "ü.test", port: 80, addresses: ["::1"]).curlLine == "xn--tda.test:80:[::1]")
        let both = HostAddress(host: "a.test", port: 443, addresses: ["::1", "[::2]", "1.2.3.4"])
        #expect(both.curlLine == "a.test:443:[::1],[::2],1.2.3.4")
    }

    @Test(
        "A host address that libcurl would misread is refused",
        arguments: [
            HostAddress(host: "-a.test", port: 80, addresses: ["1.2.3.4"]),
            HostAddress(host: "+a.test", port: 80, addresses: ["1.2.3.4"]),
            HostAddress(host: "*", port: 80, addresses: ["1.2.3.4"]),
            HostAddress(host: "a:1", port: 80, addresses: ["1.2.3.4"]),
            HostAddress(host: "a..test", port: 80, addresses: ["1.2.3.4"]),
            HostAddress(host: "a\r\n", port: 80, addresses: ["1.2.3.4"]),
            HostAddress(host: "", port: 80, addresses: ["1.2.3.4"]),
            HostAddress(host: "a.test", port: 0, addresses: ["1.2.3.4"]),
            HostAddress(host: "a.test", port: 65536, addresses: ["1.2.3.4"]),
            HostAddress(host: "a.test", port: 80, addresses: []),
            HostAddress(host: "a.test", port: 80, addresses: ["1.2.3.4", "b.test"]),
            HostAddress(host: "a.test", port: 80, addresses: ["1.2.3.4,5.6.7.8"]),
        ]
    )
    func refused(address: HostAddress) {
        #expect(address.curlLine == nil)
    }
}
#endif
