#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import TestSupport
import Testing

/// The use of HTTP/3, with a libcurl that has it.
@Suite("HTTP/3", .needsHTTP3, .serialized, .timeLimit(.minutes(5)))
struct HTTP3Tests {
    private let servers: Servers

    init() throws { servers = try Servers() }

    private func makeSession(
        _ use: HTTP3Use,
        change: (inout CurlURLSession.Options) -> Void = { _ in }
    ) -> CurlURLSession {
        var options = servers.options
        options.http3 = use
        change(&options)
        return servers.makeSession(options: options)
    }

    /// Makes sessions that prefer HTTP/3, until one has a connection with it: libcurl gives QUIC a head start of a
    /// moment, in which a busy machine may not make a connection.
    private func connectedSession() async throws -> CurlURLSession {
        for _ in 0..<100 {
            let session = makeSession(.preferred)
            if try await session.reply(to: servers.url(.http3, "/echo")).last.protocolName == "h3" { return session }
            session.finishTasksAndInvalidate()
        }
        Issue.record("No connection with HTTP/3 was made.")
        return makeSession(.preferred)
    }

    @Test("A session that prefers HTTP/3 uses it, and reuses its connection")
    func preferred() async throws {
        let session = try await connectedSession()
        #expect(session.offersHTTP3)
        let reply = try await session.reply(to: servers.url(.http3, "/echo"))
        #expect(reply.text == "HTTP/3 GET 0")
        #expect(reply.status == 200)
        let metrics = try reply.last
        #expect(metrics.protocolName == "h3")
        #expect(metrics.protocolLibraries.map(\.name) == ["ngtcp2", "nghttp3"])
        #expect(metrics.tlsVersion == "TLSv1.3")
        #expect(metrics.isReusedConnection)
    }

    @Test("The TLS secrets of a connection with HTTP/3 are logged")
    func keyLog() async throws {
        let folder = TemporaryFolder()
        for number in 0..<100 {
            let file = folder.url.appendingPathComponent("\(number)")
            let session = makeSession(.preferred) { $0.tls.keyLog = file }
            let reply = try await session.reply(to: servers.url(.http3, "/echo"))
            session.finishTasksAndInvalidate()
            guard try reply.last.protocolName == "h3" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.contains("CLIENT_TRAFFIC_SECRET_0 ") && text.hasSuffix("\n"))
            return
        }
        Issue.record("No connection with HTTP/3 was made.")
    }

    @Test("By default a session does not use HTTP/3")
    func off() async throws {
        let session = servers.makeSession()
        #expect(!session.offersHTTP3)
        for _ in 0..<2 {
            #expect(try await session.reply(to: servers.url(.http3, "/echo")).text == "HTTP/1.1 GET 0")
        }
    }

    @Test("After a server has announced HTTP/3, it is used until the announcement is withdrawn")
    func automatic() async throws {
        for _ in 0..<100 {
            let session = makeSession(.automatic)
            #expect(try await session.reply(to: servers.url(.http3, "/echo")).text == "HTTP/1.1 GET 0")
            let second = try await session.reply(to: servers.url(.http3, "/echo"))
            guard try second.last.protocolName == "h3" else { continue }
            #expect(second.text == "HTTP/3 GET 0")
            let clear = try servers.url(.http3, "/echo?announce=clear")
            #expect(try await session.reply(to: clear).text == "HTTP/3 GET 0")
            for _ in 0..<2 { #expect(try await session.reply(to: clear).text == "HTTP/1.1 GET 0") }
            return
        }
        Issue.record("No connection with HTTP/3 was made.")
    }

    @Test(
        "An announcement of HTTP/3 for another port or protocol is not used",
        arguments: ["h3=\":1\"", "h2=\":443\"", "clear"]
    )
    func otherAnnouncement(_ announcement: String) async throws {
        let session = makeSession(.automatic)
        let value = try #require(announcement.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        for _ in 0..<2 {
            let reply = try await session.reply(to: servers.url(.http3, "/echo?announce=\(value)"))
            #expect(reply.text == "HTTP/1.1 GET 0")
        }
    }

    @Test("If QUIC does not work, requests use TCP", arguments: [HTTP3Use.automatic, .preferred])
    func fallback(_ use: HTTP3Use) async throws {
        let session = makeSession(use)
        for _ in 0..<3 {
            let reply = try await session.reply(to: servers.url(.http3Absent, "/echo"))
            #expect(reply.text == "HTTP/1.1 GET 0")
            #expect(try reply.last.protocolName == "http/1.1")
        }
    }

    @Test("A server without a trusted certificate gets no request over HTTP/3", arguments: [true, false])
    func impostor(_ trustsSystem: Bool) async throws {
        let authority = try servers.certificate("authority")
        let session = makeSession(.preferred) {
            $0.tls.trustedRoots = trustsSystem ? .systemAnd([authority]) : .only([authority])
        }
        let key = UUID().uuidString
        let reply = try await session.reply(to: servers.url(.http3Impostor, "/echo?key=\(key)"))
        #expect(reply.text == "HTTP/1.1 GET 0")
        #expect(try await session.reply(to: servers.url(.http3Impostor, "/count?key=\(key)")).text == "0")
    }

    @Test("A certificate that the session's own checks accept is accepted over HTTP/3", arguments: [true, false])
    func trusted(_ trustsSystem: Bool) async throws {
        let unknown = try servers.certificate("unknown-authority")
        let authority = try servers.certificate("authority")
        let roots = [unknown, authority]
        for _ in 0..<100 {
            let session = makeSession(.preferred) {
                $0.tls.trustedRoots = trustsSystem ? .systemAnd(roots) : .only(roots)
            }
            let reply = try await session.reply(to: servers.url(.http3Impostor, "/echo"))
            if reply.text == "HTTP/3 GET 0" { return }
        }
        Issue.record("No connection with HTTP/3 was made.")
    }

    @Test("A server without the pinned key or certificate gets no request over HTTP/3", arguments: Pinning.allCases)
    func wrongPin(_ pinning: Pinning) async throws {
        let url = try servers.url(.http3, "/echo")
        let other = try PublicKeyPin(sha256: Data(repeating: 7, count: 32).base64EncodedString())
        let unknown = try servers.certificate("unknown-authority")
        let session = makeSession(.preferred) { pinning.apply(other, unknown, host: url.host ?? "", to: &$0.tls) }
        #expect(session.offersHTTP3)
        for _ in 0..<20 {
            let key = UUID().uuidString
            let failure = try await session.failure(of: servers.url(.http3, "/echo?key=\(key)"))
            #expect(failure.code == .serverCertificateUntrusted)
            let count = try await connectedSession().reply(to: servers.url(.http3, "/count?key=\(key)"))
            #expect(count.text == "0")
        }
    }

    @Test("A server with the pinned key or certificate is used over HTTP/3", arguments: Pinning.allCases)
    func rightPin(_ pinning: Pinning) async throws {
        let url = try servers.url(.http3, "/echo")
        let authority = try servers.certificate("authority")
        let pin = PublicKeyPin(certificate: authority)
        for _ in 0..<100 {
            let session = makeSession(.preferred) { pinning.apply(pin, authority, host: url.host ?? "", to: &$0.tls) }
            let reply = try await session.reply(to: url)
            session.finishTasksAndInvalidate()
            guard try reply.last.protocolName == "h3" else { continue }
            #expect(reply.text == "HTTP/3 GET 0")
            return
        }
        Issue.record("No connection with HTTP/3 was made.")
    }

    /// The ways to pin a server.
    enum Pinning: CaseIterable {
        case keyOfHost, keyOfAllHosts, certificate

        func apply(
            _ pin: PublicKeyPin,
            _ certificate: TLSCertificate,
            host: String,
            to tls: inout TLSConfiguration
        ) {
            switch self {
            case .keyOfHost: tls.pins = (try? HostPins(host, pins: [pin])).map { [$0] } ?? []
            case .keyOfAllHosts: tls.pinsForAllHosts = [pin]
            case .certificate: tls.anchorsForAllHosts = [certificate]
            }
        }
    }

    @Test("A certificate for another host name is refused over HTTP/3")
    func otherHost() async throws {
        let port = try servers.number(of: .http3)
        let session = makeSession(.preferred) {
            $0.hostAddresses = [HostAddress(host: "other.test", port: port, addresses: ["127.0.0.1"])]
        }
        let key = UUID().uuidString
        let url = try servers.url(.http3, "/echo?key=\(key)", host: "other.test")
        #expect(try await session.failure(of: url).code == .serverCertificateUntrusted)
        let count = try await connectedSession().reply(to: servers.url(.http3, "/count?key=\(key)"))
        #expect(count.text == "0")
    }

    @Test(
        "Over HTTP/3, a response without a length that is cut short is an error",
        // H3_NO_ERROR, H3_INTERNAL_ERROR, H3_REQUEST_CANCELLED
        arguments: ["reset:256", "reset:258", "reset:268", "close:256", "close:258", "close:0"]
    )
    func truncation(_ end: String) async throws {
        let url = try servers.url(.http3, "/play?end=\(end)")
        let error = try await connectedSession().failure(of: url)
        #expect([.networkConnectionLost, .badServerResponse].contains(error.code), "\(error)")
    }

    @Test("Over HTTP/3, a response without a length that ends properly is complete")
    func completion() async throws {
        let reply = try await connectedSession().reply(to: servers.url(.http3, "/play?end=fin"))
        #expect(reply.content == Data(count: 10))
        #expect(try reply.last.protocolName == "h3")
    }

    @Test("Over HTTP/3, content of any size is sent and received", arguments: [1, 1 << 15, 1 << 21])
    func content(_ size: Int) async throws {
        let session = try await connectedSession()
        var request = URLRequest(url: try servers.url(.http3, "/echo"))
        request.httpMethod = "PUT"
        request.httpBody = Data(count: size)
        #expect(try await session.reply(to: request).text == "HTTP/3 PUT \(size)")
        let large = try await session.reply(to: servers.url(.http3, "/large"))
        #expect(large.content == Data(count: 1 << 20))
        #expect(try large.last.protocolName == "h3")
    }

    @Test("Over HTTP/3, simultaneous requests share a connection")
    func multiplexing() async throws {
        let session = try await connectedSession()
        let url = try servers.url(.http3, "/large")
        let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
            for _ in 0..<20 { group.addTask { try await session.reply(to: url) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(replies.allSatisfy { $0.content.count == 1 << 20 })
        #expect(replies.flatMap(\.metrics).allSatisfy { $0.isReusedConnection })
        #expect(replies.flatMap(\.metrics).allSatisfy { $0.protocolName == "h3" })
    }

    @Test("If a session allows TLS 1.2 only, or no HTTP/2, it does not offer HTTP/3")
    func prerequisites() async throws {
        let sessions = [
            makeSession(.preferred) { $0.tls.maximumVersion = .tls12 },
            makeSession(.preferred) { $0.http2 = .never },
        ]
        for session in sessions {
            #expect(!session.offersHTTP3)
            #expect(try await session.reply(to: servers.url(.http3, "/echo")).text == "HTTP/1.1 GET 0")
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// Tests of HTTP/3 are left out with a libcurl that does not have it.
    fileprivate static var needsHTTP3: Self {
        .enabled(
            if: Servers.areExpected && CurlURLSession.supportsHTTP3,
            "Run by Tests/Interop/servers.sh, with a libcurl that has HTTP/3: Tests/Interop/libcurls.sh http3."
        )
    }
}
#endif
