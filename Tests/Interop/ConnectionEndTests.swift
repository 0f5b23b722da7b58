#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Testing

/// Connections with TLS that end, or bring something, when they should not.
@Suite("Ends of connections with TLS", .needsServers, .timeLimit(.minutes(5)))
struct ConnectionEndTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    private func url(_ target: String) throws -> URL { try servers.url(.tlsFaults, target) }

    private func lenientSession() -> CurlURLSession {
        var options = servers.options
        options.tls.acceptsMissingCloseNotify = true
        return servers.makeSession(options: options)
    }

    // MARK: close_notify

    @Test("Without close_notify, content that the connection ends is an error after its delivery")
    func cut() async throws {
        let log = ContentLog()
        let session = servers.makeSession(delegate: log)
        session.dataTask(with: try url("/cut")).resume()
        let (content, end) = await log.end()
        let error = try #require(end as? URLError)
        #expect(error.code == .badServerResponse)
        #expect(error.tlsFailure?.reason == .missingCloseNotify)
        #expect(error.tlsFailure?.host == "localhost")
        #expect(error.localizedDescription.contains("acceptsMissingCloseNotify"))
        #expect(content == Data("part".utf8))
        #expect(try await servers.makeSession().failure(of: url("/cut")).tlsFailure?.reason == .missingCloseNotify)
    }

    @Test("The option acceptsMissingCloseNotify accepts content without close_notify")
    func accepted() async throws { #expect(try await lenientSession().reply(to: url("/cut")).text == "part") }

    @Test(
        "Content with a length or a last chunk needs no close_notify",
        arguments: [
            "/cut-length": "whole", "/cut-chunks": "whole", "/cut-nothing": "", "/end": "whole",
            "/alert-behind": "whole", "/cut-redirect": "whole",
        ]
    )
    func ends(target: String, text: String) async throws {
        for _ in 0..<3 { #expect(try await servers.makeSession().reply(to: url(target)).text == text) }
    }

    @Test("Content that is shorter than announced has the same error as without TLS")
    func short() async throws {
        for session in [servers.makeSession(), lenientSession()] {
            #expect(try await session.failure(of: url("/short")).code == .networkConnectionLost)
        }
    }

    @Test("A challenge is handled whatever its content, and without credentials its content must be complete")
    func challenge() async throws {
        let error = try await servers.makeSession().failure(of: url("/cut-challenge"))
        #expect(error.tlsFailure?.reason == .missingCloseNotify)
    }

    @Test("Of many requests at once, only those without close_notify fail")
    func many() async throws {
        let session = servers.makeSession()
        let results = try await withThrowingTaskGroup(of: (Bool, TLSFailure.Reason?).self) { group in
            for number in 0..<60 {
                let url = try url(number % 2 == 0 ? "/cut?\(number)" : "/end?\(number)")
                group.addTask {
                    do {
                        _ = try await session.reply(to: url)
                        return (number % 2 == 0, nil)
                    } catch {
                        return (number % 2 == 0, (error as? URLError)?.tlsFailure?.reason)
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let wrong = results.filter { isCut, reason in reason != (isCut ? .missingCloseNotify : nil) }
        #expect(wrong.isEmpty)
    }

    @Test("A download that was cut short has resume data with the received content")
    func download() async throws {
        let session = servers.makeSession()
        let error = await #expect(throws: URLError.self) {
            _ = try await session.download(from: self.url("/cut-file"))
        }
        #expect(error?.tlsFailure?.reason == .missingCloseNotify)
        #expect(error?.downloadTaskResumeData != nil)
    }

    // MARK: Kept connections

    @Test(
        "An idle connection that has received bytes, or has ended, is not reused",
        arguments: ["/surplus", "/surplus-in-record", "/timeout", "/idle-close"],
        ["GET", "POST"]
    )
    func unasked(target: String, method: String) async throws {
        let session = servers.makeSession()
        let first = try await session.reply(to: url(target))
        #expect(first.text == "whole")
        var request = URLRequest(url: try url("/whole"))
        request.httpMethod = method
        if method == "POST" { request.httpBody = Data("content".utf8) }
        let second = try await session.reply(to: request)
        #expect(second.text == "whole")
        #expect(second.field("X-Connection") != first.field("X-Connection"))
        #expect(second.metrics.count == 1)
    }

    @Test(
        "Late session tickets and new keys are not content",
        arguments: ["/ticket", "/key-update", "/key-update-request"]
    )
    func messages(target: String) async throws {
        let session = servers.makeSession()
        var connections: Set<String?> = []
        for target in [target, target, "/whole", target, "/whole"] {
            let reply = try await session.reply(to: url(target))
            #expect(reply.text == "whole")
            connections.insert(reply.field("X-Connection"))
        }
        // The one after /whole finds a connection on which nothing has come.
        #expect(connections.count == (LibcurlTraits.closesConnectionsWithLateMessages ? 4 : 1))
    }

    /// A way to the server.
    enum Way: CaseIterable, Sendable {
        case direct
        /// Through an http and an https proxy.
        case tunnel, secureTunnel
    }

    private func session(_ way: Way) throws -> CurlURLSession {
        var options = servers.options
        switch way {
        case .direct: break
        case .tunnel:
            let proxy = ProxyServer(kind: .http, host: "127.0.0.1", port: try servers.number(of: .proxy))
            options.proxy = .server(proxy, exceptions: [])
        case .secureTunnel:
            let port = try servers.number(of: .secureProxy)
            options.proxy = .server(ProxyServer(kind: .https, host: "other.test", port: port), exceptions: [])
            options.hostAddresses = [HostAddress(host: "other.test", port: port, addresses: ["127.0.0.1"])]
        }
        return servers.makeSession(options: options)
    }

    @Test(
        "Connections in tunnels end, are reused and lose requests like other connections",
        arguments: Way.allCases
    )
    func tunnels(way: Way) async throws {
        let session = try session(way)
        let kept = try await session.reply(to: url("/whole")).field("X-Connection")
        #expect(try await session.reply(to: url("/whole")).field("X-Connection") == kept)
        #expect(try await session.failure(of: url("/cut")).tlsFailure?.reason == .missingCloseNotify)
        #expect(try await session.reply(to: url("/end")).text == "whole")
        _ = try await session.reply(to: url("/whole"))
        let target = "/drop?\(UUID().uuidString)"
        var request = URLRequest(url: try url(target))
        request.httpMethod = "POST"
        let error = await #expect(throws: URLError.self) { _ = try await session.reply(to: request) }
        #expect(error?.code == .networkConnectionLost)
        let seen = try await session.reply(to: url("/seen")).text.split(separator: "\n")
        #expect(seen.filter { $0.contains(target) }.count == 1)
    }

    @Test("An idle connection that has received nothing is reused")
    func quiet() async throws {
        let session = servers.makeSession()
        var connections: Set<String?> = []
        for _ in 0..<5 { connections.insert(try await session.reply(to: url("/whole")).field("X-Connection")) }
        #expect(connections.count == 1)
    }

    @Test("After a lost connection, a POST is not sent again, and a PUT is", arguments: ["POST", "PUT"])
    func again(method: String) async throws {
        let session = servers.makeSession()
        _ = try await session.reply(to: url("/whole"))
        let target = "/drop?\(UUID().uuidString)"
        var request = URLRequest(url: try url(target))
        request.httpMethod = method
        request.httpBody = Data("content".utf8)
        let error = await #expect(throws: URLError.self) { _ = try await session.reply(to: request) }
        #expect(error?.code == .networkConnectionLost)
        let seen = try await session.reply(to: url("/seen")).text.split(separator: "\n")
        #expect(seen.filter { $0.contains(target) }.count == (method == "POST" ? 1 : 2))
    }

    // MARK: Names

    @Test("A proxy's certificate whose host is only its common name is refused")
    func proxy() async throws {
        var options = servers.options
        let port = try servers.number(of: .commonName)
        options.proxy = .server(ProxyServer(kind: .https, host: "localhost", port: port), exceptions: [])
        let error = try await servers.makeSession(options: options).failure(of: servers.url(.h2, "/echo"))
        #expect(error.tlsFailure?.reason == .missingSubjectAltName)
        #expect(error.localizedDescription.hasPrefix("The proxy's certificate has no subjectAltName"))
    }

    @Test(
        "A certificate whose host is only its common name is refused, and an option accepts it",
        arguments: [Servers.Port.commonName, .commonNameAndMail]
    )
    func commonName(port: Servers.Port) async throws {
        let error = try await servers.makeSession().failure(of: servers.url(port, "/echo"))
        #expect(error.code == .serverCertificateUntrusted)
        #expect(error.tlsFailure?.reason == .missingSubjectAltName)
        #expect(error.localizedDescription.contains("acceptsCommonNames"))
        var options = servers.options
        options.tls.acceptsCommonNames = true
        #expect(try await servers.makeSession(options: options).reply(to: servers.url(port, "/echo")).status == 200)
        options = servers.options
        options.tls.dangerouslySkipsHostNameVerification = true
        #expect(try await servers.makeSession(options: options).reply(to: servers.url(port, "/echo")).status == 200)
    }
}

/// A delegate that keeps what comes of one task.
private final class ContentLog: NSObject, URLSessionDataDelegate {
    private let events = AsyncStream<(Data, (any Error)?)>.makeStream()

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        events.continuation.yield((data, nil))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        events.continuation.yield((Data(), error))
        events.continuation.finish()
    }

    /// The content and the error of the task, once it has ended.
    func end() async -> (Data, (any Error)?) {
        await events.stream.reduce((Data(), nil)) { ($0.0 + $1.0, $1.1) }
    }
}
#endif
