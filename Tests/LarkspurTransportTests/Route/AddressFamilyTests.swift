#if canImport(FoundationNetworking)
import HTTPSyntax
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("The family of addresses", .timeLimit(.minutes(5)))
struct AddressFamilyTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func outcome(
        of url: String,
        _ family: AddressFamily,
        addresses: [String] = [],
        _ change: (inout CurlURLSession.Options) -> Void = { _ in }
    ) async throws -> Outcome {
        var options = CurlURLSession.Options()
        options.proxy = .direct
        options.addressFamily = family
        if !addresses.isEmpty {
            options.hostAddresses = [HostAddress(host: "both.test", port: Int(server.port), addresses: addresses)]
        }
        change(&options)
        let session = CurlURLSession(configuration: .testing, options: options)
        defer { session.invalidateAndCancel() }
        return try await session.outcome(of: try #require(URL(string: url)))
    }

    @Test("A family contains its own addresses only")
    func addresses() throws {
        let four = try #require(IPAddress("192.0.2.1"))
        let six = try #require(IPAddress("2001:db8::1"))
        #expect(AddressFamily.any.contains(four) && AddressFamily.any.contains(six))
        #expect(AddressFamily.ipv4.contains(four) && !AddressFamily.ipv4.contains(six))
        #expect(!AddressFamily.ipv6.contains(four) && AddressFamily.ipv6.contains(six))
    }

    @Test("Only the addresses of the family are tried")
    func tried() async throws {
        let url = "http://both.test:\(server.port)/get"
        let both = ["::1", "127.0.0.1"]
        #expect(try await outcome(of: url, .ipv4, addresses: both).status == 200)
        #expect(server.requests.count == 1)
        // The server listens only to its IPv4 address.
        let sixth = try await outcome(of: url, .ipv6, addresses: both)
        let sentence = (sixth.error as? URLError)?.localizedDescription ?? ""
        #expect(sixth.status == nil && !sentence.isEmpty && !sentence.contains("127.0.0.1"), "\(sentence)")
        #expect(server.requests.count == 1)
        #expect(try await outcome(of: "http://localhost:\(server.port)/get", .ipv4).status == 200)
    }

    @Test("A host without an address of the family is an error that names the family and the host")
    func missing() async throws {
        let port = server.port
        for (url, addresses) in [
            ("http://both.test:\(port)/", ["127.0.0.1"]), ("http://127.0.0.1:\(port)/", []),
        ] {
            let error = try await outcome(of: url, .ipv6, addresses: addresses).error as? URLError
            let host = addresses.isEmpty ? "127.0.0.1" : "both.test"
            #expect(error?.code == .cannotFindHost, "\(url)")
            let sentence = error?.localizedDescription ?? ""
            #expect(sentence.hasPrefix("No IPv6 address of the server \(host):\(port) was found"), "\(sentence)")
        }
        let fourth = try await outcome(of: "http://[::1]:\(port)/", .ipv4).error as? URLError
        #expect(fourth?.code == .cannotFindHost)
        #expect(fourth?.localizedDescription.hasPrefix("No IPv4 address of the server [::1]:\(port)") == true)
        #expect(server.requests.isEmpty)
    }

    @Test("A host whose given addresses do not belong to the family is not looked up")
    func noLookUp() async throws {
        // The system has an IPv6 address for this name.
        let error =
            try await outcome(of: "http://localhost:\(server.port)/get", .ipv6) {
                $0.hostAddresses = [
                    HostAddress(host: "localhost", port: Int(self.server.port), addresses: ["127.0.0.1"])
                ]
            }.error as? URLError
        let sentence =
            "No IPv6 address of the server localhost:\(server.port) was found, and the session uses no other."
        #expect(error?.localizedDescription == sentence)
    }

    @Test("The addresses of a resolver are limited too")
    func resolver() async throws {
        let url = "http://found.test:\(server.port)/get"
        let resolver: HostResolver = { _ in
            [ResolvedAddress("::1", timeToLive: .seconds(60)), ResolvedAddress("127.0.0.1", timeToLive: .seconds(60))]
        }
        #expect(try await outcome(of: url, .ipv4) { $0.resolver = resolver }.status == 200)
        let only: HostResolver = { _ in [ResolvedAddress("127.0.0.1", timeToLive: .seconds(60))] }
        let error = try await outcome(of: url, .ipv6) { $0.resolver = only }.error as? URLError
        #expect(error?.code == .cannotFindHost)
    }

    @Test("With a proxy, the family is that of the proxy's address")
    func proxy() async throws {
        let proxy = ProxyServer(host: "127.0.0.1", port: Int(server.port))
        let error = try await outcome(of: "http://example.com/", .ipv6) { $0.proxy = .server(proxy) }.error as? URLError
        #expect(error?.code == .cannotFindHost)
        #expect(error?.localizedDescription.hasPrefix("No IPv6 address of the proxy 127.0.0.1:") == true)
        _ = try await outcome(of: "http://[2001:db8::1]/get", .ipv4) { $0.proxy = .server(proxy) }
        #expect(server.requests.count == 1)
    }
}
#endif
