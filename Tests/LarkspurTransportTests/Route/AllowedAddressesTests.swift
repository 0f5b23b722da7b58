#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import LarkspurTesting
import SessionClients
import Synchronization
import Testing

@testable import LarkspurTransport

@Suite("The addresses and ports to which a session may connect", .timeLimit(.minutes(5)))
struct AllowedAddressesTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/text", .text("text"))
    }

    private func session(
        _ addresses: AllowedAddresses = .all,
        delegate: (any URLSessionDelegate)? = nil,
        _ change: (inout CurlURLSession.Options) -> Void = { _ in }
    ) -> CurlURLSession {
        var options = CurlURLSession.Options()
        options.allowedAddresses = addresses
        change(&options)
        return CurlURLSession(configuration: .testing, delegate: delegate, options: options)
    }

    private func url(_ host: String, _ path: String = "/text") throws -> URL {
        try #require(URL(string: "http://\(host):\(server.port)\(path)"))
    }

    @Test(
        "A loopback address is refused in each spelling, and no connection is opened",
        arguments: [
            "127.0.0.1", "localhost", "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "%3127.0.0.1",
            "[::ffff:127.0.0.1]", "[::1]", "[::]", "0.0.0.0", "[::127.0.0.1]",
        ]
    )
    func spellings(host: String) async throws {
        let session = session(.publicOnly)
        defer { session.invalidateAndCancel() }
        let outcome = try await session.outcome(of: url(host))
        #expect(outcome.code == .dataNotAllowed)
        let failure = try #require((outcome.error as? URLError)?.accessFailure)
        #expect(failure.reason == .addressNotAllowed)
        #expect(failure.host == (try CanonicalHost(named: host.removingPercentEncoding ?? host)).name)
        let address = try #require(failure.address)
        #expect(address.port == Int(server.port))
        #expect(!address.isPublic)
        #expect(outcome.error?.localizedDescription.contains(address.description) == true)
        #expect(server.acceptedConnectionCount == 0)
    }

    @Test("A closure gets each address with its port, and decides")
    func closure() async throws {
        let addresses = Mutex<[ConnectionAddress]>([])
        let port = Int(server.port)
        let session = session(
            .matching { address in
                addresses.withLock { $0.append(address) }
                return address.port == port && address.bytes == [127, 0, 0, 1]
            }
        )
        defer { session.invalidateAndCancel() }
        for _ in 0..<3 { #expect(try await session.outcome(of: url("127.0.0.1")).text == "text") }
        // The connection is used again, so the closure was called once.
        #expect(addresses.withLock { $0.map(\.description) } == ["127.0.0.1:\(port)"])
        let other = try LoopbackServer()
        defer { other.stop() }
        #expect(try await session.outcome(of: other.url("/text")).code == .dataNotAllowed)
        #expect(other.acceptedConnectionCount == 0)
        #expect(try await session.outcome(of: url("127.0.0.1")).text == "text")
    }

    @Test("A redirect to an address that is not allowed fails", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        let other = try LoopbackServer()
        defer { other.stop() }
        server.route("/from", .text("", status: status).adding("Location", other.url("/text").absoluteString))
        let port = Int(server.port)
        let session = session(.matching { $0.port == port })
        defer { session.invalidateAndCancel() }
        let outcome = try await session.outcome(of: server.url("/from"))
        #expect((outcome.error as? URLError)?.accessFailure?.address?.port == Int(other.port))
        #expect(other.acceptedConnectionCount == 0)
    }

    @Test("If some addresses of a name are not allowed, the others are tried")
    func mixedAddresses() async throws {
        let session = session(.matching { $0.bytes != [127, 0, 0, 2] }) {
            $0.hostAddresses = [
                HostAddress(host: "mixed.test", port: Int(server.port), addresses: ["127.0.0.2", "127.0.0.1"]),
                HostAddress(host: "refused.test", port: Int(server.port), addresses: ["127.0.0.2"]),
                HostAddress(host: "closed.test", port: 1, addresses: ["127.0.0.2", "127.0.0.1"]),
            ]
        }
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: url("mixed.test")).text == "text")
        #expect(try await session.outcome(of: url("refused.test")).code == .dataNotAllowed)
        // The failure of an address that was tried is the error.
        let closed = try await session.outcome(of: try #require(URL(string: "http://closed.test:1/")))
        #expect(closed.code == .cannotConnectToHost)
    }

    @Test("The addresses of the session's resolver are checked too")
    func resolver() async throws {
        let session = session(.publicOnly) {
            $0.resolver = { _ in [ResolvedAddress("127.0.0.1", timeToLive: .seconds(60))] }
        }
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: url("public.test")).code == .dataNotAllowed)
        #expect(server.acceptedConnectionCount == 0)
    }

    @Test(
        "If addresses or ports are limited, no other schemes and no Unix-domain sockets are loaded",
        arguments: ["file:///etc/hosts", "ftp://127.0.0.1/x", "data:,x", "http+unix://%2Frun%2Fx.sock/"],
        [true, false]
    )
    func schemes(text: String, limitsAddresses: Bool) async throws {
        let session = session(limitsAddresses ? .publicOnly : .all) { if !limitsAddresses { $0.allowedPorts = [80] } }
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: text))
        let code: URLError.Code = text.begins(with: "http") ? .dataNotAllowed : .unsupportedURL
        #expect(try await session.outcome(of: url).code == code)
        let handed = try await AsyncCall.dataForRequest.outcome(URLRequest(url: url), with: session)
        #expect(handed.code == code)
    }

    @Test("A port that is not allowed is refused before the address is looked up")
    func ports() async throws {
        let port = Int(server.port)
        let session = session { $0.allowedPorts = [80, port] }
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: url("127.0.0.1")).text == "text")
        let other = try LoopbackServer()
        defer { other.stop() }
        for url in [other.url("/text"), try #require(URL(string: "https://nowhere.invalid/"))] {
            let outcome = try await session.outcome(of: url)
            #expect(outcome.code == .dataNotAllowed)
            #expect((outcome.error as? URLError)?.accessFailure?.reason == .portNotAllowed)
        }
        server.route("/from", .redirect(to: other.url("/text").absoluteString))
        let redirected = try await session.outcome(of: server.url("/from"))
        #expect((redirected.error as? URLError)?.accessFailure?.reason == .portNotAllowed)
        #expect(other.acceptedConnectionCount == 0)
    }

    @Test("A request through a proxy is refused, unless the proxy is trusted to check addresses")
    func proxy() async throws {
        let proxy = ProxyChoice.server(ProxyServer(host: "127.0.0.1", port: Int(server.port)))
        let url = try #require(URL(string: "http://nowhere.test/anything"))
        for (addresses, succeeds) in [
            (AllowedAddresses.publicOnly, false), (.matching { _ in true }, false),
            (.publicOnly(proxy: .trusted), true),
        ] {
            let session = session(addresses) { $0.proxy = proxy }
            defer { session.invalidateAndCancel() }
            let outcome = try await session.outcome(of: url)
            #expect(outcome.code == (succeeds ? nil : .dataNotAllowed))
            #expect(server.requests.count == (succeeds ? 1 : 0))
        }
    }

    @Test("A host for which the proxy is not used is checked, even if the proxy is trusted")
    func proxyException() async throws {
        let proxy = ProxyServer(host: "127.0.0.1", port: Int(server.port))
        let session = session(.publicOnly(proxy: .trusted)) { $0.proxy = .server(proxy, exceptions: ["localhost"]) }
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: url("localhost")).code == .dataNotAllowed)
        #expect(server.requests.isEmpty)
    }

    @Test("A request to the server of DNS over HTTPS is refused, because its address is not checked")
    func nameServer() async throws {
        let session = session(.matching { _ in true }) { $0.dnsOverHTTPS = URL(string: "https://127.0.0.1/dns-query") }
        defer { session.invalidateAndCancel() }
        let outcome = try await session.outcome(of: try #require(URL(string: "https://127.1:443/other")))
        #expect((outcome.error as? URLError)?.accessFailure?.reason == .addressNotAllowed)
        #expect(outcome.error?.localizedDescription.contains("DNS over HTTPS") == true)
    }

    @Test("WebSockets and downloads are no exceptions")
    func otherTasks() async throws {
        let session = session(.publicOnly)
        defer { session.invalidateAndCancel() }
        let socket = session.webSocket(with: try #require(URL(string: "ws://127.0.0.1:\(server.port)/socket")))
        let error = await #expect(throws: URLError.self) { _ = try await socket.receive() }
        #expect(error?.accessFailure?.reason == .addressNotAllowed)
        await #expect(throws: URLError.self) { _ = try await session.download(from: server.url("/text")) }
        #expect(server.acceptedConnectionCount == 0)
    }

    @Test("A session follows as many redirects as its options allow", arguments: [0, 2])
    func redirects(limit: Int) async throws {
        for number in 0..<4 { server.route("/\(number)", .redirect(to: "/\(number + 1)")) }
        server.route("/4", .text("end"))
        let session = session { $0.maximumRedirects = limit }
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: server.url("/\(4 - limit)")).text == "end")
        let outcome = try await session.outcome(of: server.url("/\(3 - limit)"))
        #expect(outcome.code == .httpTooManyRedirects)
    }

    @Test("The limit of a response's size applies to all tasks", arguments: ["/bytes/5000", "/chunked", "/coded"])
    func responseSize(path: String) async throws {
        server.route("/chunked", .chunked([Data(count: 2500), Data(count: 2501)]))
        server.route("/coded", .data(CodedSample.zeros(members: 1)).adding("Content-Encoding", "gzip"))
        let log = DelegateLog()
        let session = session(delegate: log) { $0.maximumResponseSize = 4999 }
        defer { session.invalidateAndCancel() }
        let url = server.url(path)
        #expect(try await session.outcome(of: url).code == .dataLengthExceedsMaximum)
        #expect(try await log.outcome(of: session.dataTask(with: url)).code == .dataLengthExceedsMaximum)
        let error = await #expect(throws: URLError.self) { _ = try await session.download(from: url) }
        #expect(error?.code == .dataLengthExceedsMaximum)
        #expect(error?.downloadTaskResumeData == nil)
        let streamed = await #expect(throws: URLError.self) {
            for try await _ in try await session.bytes(from: url).0 {}
        }
        #expect(streamed?.code == .dataLengthExceedsMaximum)
        #expect(try await session.outcome(of: server.url("/bytes/4999")).data?.count == 4999)
    }

    @Test("A thread of the program never runs the closure for addresses")
    func loop() {
        func settings(_ addresses: AllowedAddresses) -> SessionSettings {
            var options = EngineOptions()
            options.allowedAddresses = addresses
            return SessionSettings(.ephemeral, options: options)
        }
        #expect(settings(.all).mayLendLoop && settings(.publicOnly).mayLendLoop)
        #expect(!settings(.matching { _ in true }).mayLendLoop)
    }

    @Test("An address is described with its port, and a mapped address is the IPv4 address within it")
    func description() throws {
        func address(_ text: String) throws -> ConnectionAddress {
            ConnectionAddress(try #require(IPAddress(text)), port: 443)
        }
        #expect(try address("192.0.2.1").description == "192.0.2.1:443")
        #expect(try address("2001:DB8:0::1").description == "[2001:db8::1]:443")
        #expect(try address("::ffff:192.0.2.1") == address("192.0.2.1"))
        #expect(try address("1.2.3.4").bytes == [1, 2, 3, 4])
        #expect(try address("1.2.3.4").isPublic)
    }
}
#endif
