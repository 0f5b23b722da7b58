#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Testing
import TestSupport

/// WebSockets with a server that we did not write, directly, through nginx and through proxies.
@Suite("WebSockets with real servers", .needsServers, .timeLimit(.minutes(5)))
struct WebSocketTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    /// A WebSocket with the subprotocol that the echo server wants.
    private func socket(
        _ port: Servers.Port,
        _ target: String = "/socket",
        options: CurlURLSession.Options? = nil,
        protocols: [String] = ["other", "echo"]
    ) throws -> WebSocketTask {
        var settings = WebSocketOptions()
        settings.protocols = protocols
        return servers.makeSession(options: options)
            .webSocket(with: try servers.webSocketURL(port, target), options: settings)
    }

    /// Opens a WebSocket, uses it, and closes it.
    private func expectEcho(_ socket: WebSocketTask, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await socket.open()
        #expect(socket.response?.statusCode == 101, sourceLocation: sourceLocation)
        #expect(socket.subprotocol == "echo", sourceLocation: sourceLocation)
        let extensions = socket.response?.value(forHTTPHeaderField: "Sec-WebSocket-Extensions") ?? ""
        #expect(extensions.hasPrefix("permessage-deflate"), sourceLocation: sourceLocation)
        let messages: [WebSocketTask.Message] = [
            .text(""), .text("grüße 👋"), .data(Data([0, 255])), .text(String(repeating: "x", count: 100_000)),
            .data(Data(try servers.contents(of: "content/large").prefix(2 << 20))),
        ]
        for message in messages {
            try await socket.send(message)
            let isSame = try await socket.receive() == message
            #expect(isSame, sourceLocation: sourceLocation)
        }
        try await socket.ping()
        try await socket.close(.normalClosure, reason: "done")
        let closure = WebSocketTask.CloseFrame(code: .normalClosure, reason: "done")
        #expect(socket.closeFrame == closure, sourceLocation: sourceLocation)
    }

    /// Returns the requests with a target that nginx has had on a port.
    private func requests(_ port: Servers.Port, _ target: String) async throws -> [String] {
        // nginx writes a line when it has answered, so that with the second answer all earlier lines are there.
        for _ in 0..<2 { _ = try await servers.makeSession().reply(to: servers.url(.http, "/echo")) }
        let number = try servers.number(of: port)
        return try servers.requests().filter { $0.hasPrefix("\(number) ") && $0.contains(" \(target) ") }
    }

    // MARK: Messages

    @Test(
        "Messages return from the server, directly and through nginx, with and without TLS",
        arguments: [Servers.Port.webSocket, .http, .http1, .h2, .tls12]
    )
    func echo(port: Servers.Port) async throws { try await expectEcho(socket(port)) }

    @Test("The server's close frame arrives through nginx", arguments: [Servers.Port.http, .h2])
    func close(port: Servers.Port) async throws {
        let socket = try socket(port)
        try await socket.open()
        try await socket.send("leave")
        for try await message in socket.messages { Issue.record("\(message)") }
        #expect(socket.closeFrame == WebSocketTask.CloseFrame(code: .goingAway, reason: "as you wish"))
    }

    @Test(
        "If nginx closes an idle connection, the WebSocket reports a lost connection",
        arguments: [Servers.Port.http, .h2]
    )
    func idle(port: Servers.Port) async throws {
        let socket = try socket(port, "/socket/impatient")
        try await socket.open()
        let error = await #expect(throws: URLError.self) { _ = try await socket.receive() }
        #expect(error?.code == .networkConnectionLost)
        #expect(socket.closeFrame == nil)
    }

    // MARK: Handshakes

    @Test("A server with HTTP/2 is offered HTTP/1.1 only")
    func applicationProtocol() async throws {
        let target = "/socket?\(UUID().uuidString)"
        let socket = try socket(.h2, target)
        try await socket.open()
        try await socket.close()
        let line = "\(try servers.number(of: .h2)) GET \(target) HTTP/1.1"
        try await eventually { (try? servers.requests())?.contains(line) ?? false }
    }

    @Test("A refusal by nginx or by the server behind it is an error with the response", arguments: [404, 400])
    func refusal(status: Int) async throws {
        let socket = try status == 404 ? socket(.h2, "/nothing") : socket(.h2, protocols: [])
        let error = await #expect(throws: WebSocketError.self) { try await socket.open() }
        #expect(error?.kind == .refused)
        #expect(error?.response?.statusCode == status)
        #expect(error?.content?.isEmpty == false)
    }

    // MARK: TLS

    @Test(
        "A server without a trusted certificate gets no handshake",
        arguments: [
            (Servers.Port.expired, TLSFailure.Reason.certificateExpired), (.otherHost, .hostMismatch),
            (.unknownIssuer, .unknownRoot),
        ]
    )
    func untrusted(port: Servers.Port, reason: TLSFailure.Reason) async throws {
        let target = "/socket?\(UUID().uuidString)"
        let socket = try socket(port, target)
        let error = await #expect(throws: URLError.self) { try await socket.open() }
        #expect(error?.tlsFailure?.reason == reason)
        #expect(try await requests(port, target).isEmpty)
    }

    @Test("A server with the pinned key gets the handshake, and another server gets none")
    func pins() async throws {
        func options(pin name: String) throws -> CurlURLSession.Options {
            var options = servers.options(trusting: "chain-root")
            let pin = PublicKeyPin(certificate: try servers.certificate(name))
            options.tls.pins.append(try HostPins("localhost", pins: [pin]))
            return options
        }
        try await expectEcho(socket(.chain, options: options(pin: "chain-leaf")))
        let target = "/socket?\(UUID().uuidString)"
        let refused = try socket(.chain, target, options: options(pin: "other-chain"))
        let error = await #expect(throws: URLError.self) { try await refused.open() }
        #expect(error?.tlsFailure?.reason == .pinMismatch)
        #expect(try await requests(.chain, target).isEmpty)
    }

    @Test("A server that requests a certificate gets the client's", arguments: [Servers.Port.mutual, .mutual12])
    func clientCertificate(port: Servers.Port) async throws {
        var options = servers.options
        options.tls.clientIdentity = try .pem(
            certificateFile: servers.certificates("client"),
            keyFile: servers.certificates("client-key")
        )
        try await expectEcho(socket(port, options: options))
        let refused = try socket(port)
        let error = await #expect(throws: WebSocketError.self) { try await refused.open() }
        #expect(error?.kind == .refused)
        #expect(error?.response?.statusCode == 400)
    }

    // MARK: Proxies

    @Test(
        "HTTP and SOCKS proxies get the credentials that they require",
        arguments: [Servers.Port.webSocket, .http, .h2],
        [(ProxyServer.Kind.http, Servers.Port.protectedProxy), (.socks5, .protectedSocks)]
    )
    func proxies(target: Servers.Port, proxy: (kind: ProxyServer.Kind, port: Servers.Port)) async throws {
        func options(password: String) throws -> CurlURLSession.Options {
            var options = servers.options
            options.proxy = .server(
                ProxyServer(
                    kind: proxy.kind,
                    host: "127.0.0.1",
                    port: try servers.number(of: proxy.port),
                    user: "ada",
                    password: password
                )
            )
            return options
        }
        try await expectEcho(socket(target, options: options(password: "secret")))
        let refused = try socket(target, options: options(password: "wrong"))
        await #expect(throws: (any Error).self) { try await refused.open() }
    }

    @Test(
        "A proxy over TLS opens a tunnel, for connections with and without TLS",
        arguments: [Servers.Port.webSocket, .http1]
    )
    func secureProxy(target: Servers.Port) async throws {
        var options = servers.options
        let port = try servers.number(of: .secureProxy)
        options.proxy = .server(ProxyServer(kind: .https, host: "other.test", port: port))
        options.hostAddresses = [HostAddress(host: "other.test", port: port, addresses: ["127.0.0.1"])]
        try await expectEcho(socket(target, options: options))
        let tunnel = "CONNECT localhost:\(try servers.number(of: target))"
        #expect(try servers.tunnels().contains(tunnel))
    }
}
#endif
