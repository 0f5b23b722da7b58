import Foundation
import Larkspur
import TestSupport
import Testing

@testable import LarkspurTesting

@Suite(.timeLimit(.minutes(5))) struct SecureServerTests {
    private func manager(
        _ server: LoopbackServer,
        trusting certificate: LoopbackServer.Certificate?,
        host: String = "127.0.0.1"
    ) throws -> SessionManager {
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only(try certificate.map { [try TLSCertificate($0.der)] } ?? [])
        return SessionManager(
            baseURL: URL(string: "https://\(host):\(server.port)"),
            configuration: .ephemeral,
            transport: .curl(options)
        )
    }

    @Test("A client that trusts the certificate gets small and large responses")
    func trusted() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        defer { server.stop() }
        let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        server.route("/large", .data(content))
        server.route("/echo") { request in .data(request.body) }
        #expect(server.baseURL.absoluteString == "https://127.0.0.1:\(server.port)")

        for host in ["127.0.0.1", "localhost"] {
            let manager = try manager(server, trusting: server.certificate, host: host)
            #expect(try await manager.get("large").data == content)
            #expect(try await manager.post("echo", body: .json(["a": 1])).string == #"{"a":1}"#)
        }
        #expect(server.acceptedConnectionCount == 2)
        let echoed = try await manager(server, trusting: server.certificate).get("get").string
        #expect(echoed.contains("https://127.0.0.1:\(server.port)/get") || echoed.contains("https:\\/\\/127.0.0.1"))
    }

    @Test("A client that trusts another certificate gets no response")
    func untrusted() async throws {
        let (server, other) = (try LoopbackServer(tls: .selfSigned()), try LoopbackServer(tls: .selfSigned()))
        defer {
            server.stop()
            other.stop()
        }
        #expect(server.certificate != other.certificate)
        let error = try await #require(throws: LarkspurError.self) {
            try await manager(server, trusting: other.certificate).get("get").data
        }
        #expect(error.code == .certificateUnknownRoot)
        #expect(server.requests.isEmpty)
    }

    @Test("The certificate has the requested hosts and validity")
    func hostsAndValidity() async throws {
        let elsewhere = try LoopbackServer(tls: .selfSigned(hosts: ["example.com"]))
        let expired = try LoopbackServer(
            tls: .selfSigned(validFrom: Date(timeIntervalSinceNow: -7_200), validUntil: Date(timeIntervalSinceNow: -60))
        )
        func code(_ server: LoopbackServer) async throws -> LarkspurError.Code {
            try await #require(throws: LarkspurError.self) {
                try await manager(server, trusting: server.certificate).get("get").data
            }.code
        }
        #expect(try await code(elsewhere) == .certificateHostMismatch)
        #expect(try await code(expired) == .certificateExpired)
        #expect(throws: LoopbackServer.StartError.self) { try LoopbackServer(tls: .selfSigned(hosts: [])) }
        #expect(throws: LoopbackServer.StartError.self) {
            try LoopbackServer(tls: .selfSigned(hosts: ["a,IP:1.2.3.4"]))
        }
    }

    @Test("A client that does not finish its handshake does not delay other clients")
    func stalledHandshake() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        defer { server.stop() }
        let stalled = try (0..<3).map { _ in try RawClient(server) }
        try stalled[1].send(Data([0x16, 0x03, 0x01]))
        try await server.waitForOpenConnections(3)
        #expect(try await manager(server, trusting: server.certificate).get("get").data.isEmpty == false)
        _ = stalled
    }

    @Test("A client that speaks plain HTTP gets no response")
    func plainClient() throws {
        let server = try LoopbackServer(tls: .selfSigned())
        defer { server.stop() }
        let client = try RawClient(server)
        try client.send(Data("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        try server.waitForOpenConnections(0)
        #expect(server.requests.isEmpty)
    }

    @Test("Faults and delayed responses work over TLS")
    func faults() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        defer { server.stop() }
        let manager = try manager(server, trusting: server.certificate)
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("free").held(until: gate))
        let held = Task { try await manager.get("held").string }
        try await server.waitForRequests(1, to: "/held")
        gate.open()
        #expect(try await held.value == "free")
        for fault in [LoopbackServer.Fault.closeBeforeHeader, .shortBody, .resetInBody] {
            server.route("/fault", .fault(fault))
            let error = try await #require(throws: LarkspurError.self) { try await manager.get("fault").data }
            #expect(error.code == .connectionLost, "\(fault)")
        }
    }

    @Test("WebSockets work over TLS")
    func webSocket() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        defer { server.stop() }
        let manager = try manager(server, trusting: server.certificate)
        let socket = manager.webSocket("websocket/echo")
        try await socket.send("hello")
        #expect(try await socket.receive() == .text("hello"))
        try await socket.close()
    }

    @Test("A certificate may come from data, and invalid data is refused")
    func identity() throws {
        let made = try ServerIdentity(.selfSigned())
        #expect(made.certificate.first == 0x30)
        for certificate in [Data(), Data("no certificate".utf8)] {
            let error = #expect(throws: LoopbackServer.StartError.self) {
                try LoopbackServer(tls: .identity(certificate: certificate, key: Data("no key".utf8)))
            }
            #expect(error?.description.hasPrefix("The server's certificate cannot be used: ") == true)
        }
    }

    // MARK: Ports

    @Test("A server can reuse a fixed port after its end, and a port in use is an error")
    func fixedPort() async throws {
        let free = try LoopbackServer()
        let port = free.port
        let error = #expect(throws: LoopbackServer.StartError.self) { try LoopbackServer(port: port) }
        #expect(error?.description == "Port \(port) of 127.0.0.1 is in use: another server listens on it already.")
        #expect(error?.localizedDescription == error?.description)
        _ = try free.answer("/get")
        free.stop()
        let server = try LoopbackServer(port: port)
        #expect(server.port == port)
        #expect(try server.answer("/get").status == 200)
        server.stop()
    }
}
