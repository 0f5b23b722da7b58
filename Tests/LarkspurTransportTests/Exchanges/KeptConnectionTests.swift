#if canImport(FoundationNetworking)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LarkspurTransport

/// Connections that were kept, and what came on them that was not asked for.
@Suite("Reused connections", .timeLimit(.minutes(5)))
struct KeptConnectionTests {
    static let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

    /// Bytes that belong to no response; without any, the end.
    static let surplus = [
        evil, "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "H", "\r\n", "\0",
        "HTTP/1.1 200 OK\r\nContent-Le", String(repeating: evil, count: 3000), "",
    ]

    @Test(
        "A connection that has received unexpected bytes or its end is not reused, and the next task succeeds",
        arguments: surplus,
        ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"]
    )
    func unasked(surplus: String, method: String) async throws {
        let server = try KeptServer { connection, log in
            connection.write(surplus)
            if surplus.isEmpty { connection.finish() }
            return true
        }
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url).text == "kept")
        try await server.step()

        let body = method == "POST" || method == "PUT" ? Data("content".utf8) : nil
        let outcomes = Recorder<Outcome>()
        let task = session.dataTask(with: URLRequest(server.url, method, body: body)) {
            outcomes.record(Outcome(data: $0, response: $1, error: $2))
        }
        task.resume()
        let outcome = try await outcomes.first()
        #expect(outcome.text == (method == "HEAD" ? "" : "fresh"))
        #expect(outcome.error == nil)
        #expect(task.transactionMetrics.count == 1)
        #expect(task.transactionMetrics.first?.isReusedConnection == false)
        #expect(server.requests.values.map(\.connection) == [0, 1])
        server.begin()
    }

    @Test(
        "Bytes after a response are not part of the next response",
        arguments: [
            KeptServer.kept, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nkept\r\n0\r\n\r\n",
            "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        ],
        [1, 4000]
    )
    func behindResponse(response: String, count: Int) async throws {
        let server = try KeptServer(first: response + String(repeating: Self.evil, count: count)) { connection, log in
            if log.readRequest(connection) { connection.write(KeptServer.fresh) }
            return true
        }
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url).error == nil)
        server.begin()
        #expect(try await session.outcome(of: URLRequest(server.url, "POST", body: Data("a".utf8))).text == "fresh")
        server.begin()
    }

    @Test("A quiet connection is reused")
    func quiet() async throws {
        let server = try KeptServer { connection, log in
            if log.readRequest(connection) { connection.write(KeptServer.fresh) }
            return true
        }
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url).text == "kept")
        for _ in 0..<3 {
            server.begin()
            #expect(try await session.outcome(of: server.url).text == "fresh")
        }
        #expect(server.requests.values.map(\.connection) == [0, 0, 0, 0])
        server.begin()
    }

    // MARK: Sending again

    enum Body: CaseIterable, Sendable {
        case none, short, long, file, stream
    }

    private func outcome(
        of request: URLRequest,
        _ body: Body,
        in session: CurlURLSession
    ) async throws -> Outcome {
        var request = request
        let long = Data(repeating: 1, count: 300_000)
        switch body {
        case .none: return try await session.outcome(of: request)
        case .short: request.httpBody = Data("content".utf8)
        case .long: request.httpBody = long
        case .stream: request.httpBodyStream = InputStream(data: long)
        case .file:
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try long.write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let outcomes = Recorder<Outcome>()
            session.uploadTask(with: request, fromFile: file) {
                outcomes.record(Outcome(data: $0, response: $1, error: $2))
            }.resume()
            return try await outcomes.first()
        }
        return try await session.outcome(of: request)
    }

    /// A server that reads a second request on its first connection, or some of it, and closes.
    private func makeDroppingServer(readsAll: Bool = true) throws -> KeptServer {
        try KeptServer { connection, log in
            if readsAll { _ = log.readRequest(connection) } else { connection.read(atLeast: 1) }
            return false
        }
    }

    @Test(
        "A request that is not idempotent is not sent again when its connection is lost, whatever its content is",
        arguments: ["POST", "PATCH", "SPECIAL"],
        Body.allCases
    )
    func notAgain(method: String, body: Body) async throws {
        let server = try makeDroppingServer()
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url).text == "kept")
        server.begin()
        let outcome = try await outcome(of: URLRequest(server.url, method), body, in: session)
        #expect(outcome.code == .networkConnectionLost)
        #expect(outcome.error?.localizedDescription.contains("may have executed") == true)
        #expect(server.requests.values.map(\.connection) == [0, 0])
        // Nor does it come later.
        #expect(try await session.outcome(of: server.url).text == "fresh")
        #expect(server.requests.values.map(\.line).filter { $0.hasPrefix(method) }.count == 1)
    }

    @Test("A POST is not sent again if its connection is lost, even if the server has read only a byte of it")
    func byteRead() async throws {
        let server = try makeDroppingServer(readsAll: false)
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url).text == "kept")
        server.begin()
        #expect(try await session.outcome(of: URLRequest(server.url, "POST")).code == .networkConnectionLost)
        #expect(server.requests.values.map(\.connection) == [0])
    }

    @Test(
        "An idempotent request is sent again when its reused connection is lost",
        arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]
    )
    func again(method: String) async throws {
        let server = try makeDroppingServer()
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url).text == "kept")
        server.begin()
        let outcome = try await outcome(
            of: URLRequest(server.url, method),
            method == "PUT" ? .long : .none,
            in: session
        )
        #expect(outcome.status == 200)
        #expect(isRepeatedOnce(server))
    }

    /// Whether the second request was lost with the kept connection, and sent again on another one. libcurl has opened
    /// a connection for long content before the engine keeps it from repeating the request.
    private func isRepeatedOnce(_ server: KeptServer) -> Bool {
        let connections = server.requests.values.map(\.connection)
        return connections.count == 3 && connections[1] == 0 && connections[2] > 0
    }

    @Test(
        "If a request was lost with its reused connection, and the server then stops, the error does not seem to be one before the sending",
        arguments: ["POST", "PATCH", "GET", "PUT"],
        [Body.none, .short]
    )
    func stoppedServer(method: String, body: Body) async throws {
        let (lines, isStopped) = (Recorder<Data>(), DispatchSemaphore(value: 0))
        let server = try RawServer { connection in
            guard !connection.readHead().isEmpty else { return }
            connection.write(KeptServer.kept)
            lines.record(connection.readRequest())
            isStopped.wait()
        }
        defer { server.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url).text == "kept")
        let outcomes = Recorder<Outcome>()
        let content = body == .none ? nil : Data("content".utf8)
        session.dataTask(with: URLRequest(server.url, method, body: content)) {
            outcomes.record(Outcome(data: $0, response: $1, error: $2))
        }.resume()
        #expect(try await lines.first().isEmpty == false)
        // New connections are refused from now on.
        server.stop()
        isStopped.signal()
        let error = try #require(try await outcomes.first().error as? URLError)
        if method == "GET" || method == "PUT" {
            #expect(error.code == .cannotConnectToHost)
        } else {
            #expect(error.code == .networkConnectionLost)
            #expect(error.localizedDescription.contains("may have executed"))
        }
        #expect(error.curlError?.systemError == ECONNREFUSED)
        #expect(error.userInfo[RequestSending.userInfoKey] as? Bool == true)
    }

    @Test("A response whose header begins with a folded line does not depend on the response before")
    func foldedBeginning() async throws {
        // libcurl would append the line to a field of the response before, which it has freed.
        let server = try RawServer { connection in
            while !connection.readHead().isEmpty {
                let fields = (0..<20).map { "X-\($0): \(String(repeating: "a", count: 50 + $0))\r\n" }.joined()
                let folded = "HTTP/1.1 200 OK\r\n folded: line\r\nContent-Length: 4\r\n\r\nkept"
                connection.write("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 4\r\n\r\nkept")
                guard !connection.readHead().isEmpty else { return }
                connection.write(folded)
            }
        }
        defer { server.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        for _ in 0..<200 {
            #expect(try await session.outcome(of: server.url).text == "kept")
            // The first line is skipped, or, by other versions of libcurl, the response is refused.
            let text = try await session.outcome(of: server.url).text
            #expect(text == "kept" || !Libcurl.remembersFreedFields && text?.isEmpty != false)
        }
    }

    @Test("An idempotent request on a lost connection is sent again, however many connections were lost before")
    func oftenAgain() async throws {
        // Each connection brings one response, and ends with the next request.
        let server = try RawServer { connection in
            guard !connection.readHead().isEmpty else { return }
            connection.write(KeptServer.kept)
            connection.readHead()
        }
        defer { server.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        for _ in 0..<20 { #expect(try await session.outcome(of: server.url).text == "kept") }
    }

    @Test(
        "A POST on a lost connection is sent again if it has an idempotency key or the session allows it",
        arguments: [true, false],
        [Body.none, .short, .long, .file]
    )
    func allowed(byKey: Bool, body: Body) async throws {
        let server = try makeDroppingServer()
        var options = CurlURLSession.Options()
        options.resendsNonIdempotentRequests = !byKey
        let session = CurlURLSession(configuration: .testing, options: options)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url).text == "kept")
        server.begin()
        let request = URLRequest(server.url, "POST", headers: byKey ? ["Idempotency-Key": "\"1\""] : [:])
        #expect(try await outcome(of: request, body, in: session).text == "fresh")
        #expect(isRepeatedOnce(server))
    }

    @Test("Connections that end at random moments never duplicate a request that is not idempotent", .seeded)
    func storm() async throws {
        let lines = Recorder<String>()
        let generators = Mutex(SeededGenerator())
        let server = try RawServer { connection in
            var random = generators.withLock { SeededGenerator(seed: $0.next()) }
            while true {
                let request = String(decoding: connection.readRequest(), as: UTF8.self)
                guard let line = request.split(separator: "\r\n").first else { return }
                lines.record(String(line))
                if Int.random(in: 0..<4, using: &random) == 0 { return }
                connection.write(KeptServer.kept)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: return
                case 1:
                    for _ in 0..<Int.random(in: 0..<50, using: &random) { sched_yield() }
                    return
                default: break
                }
            }
        }
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        let ends = Recorder<(String, Outcome)>()
        let methods = ["POST", "GET", "PATCH", "PUT", "DELETE"]
        for number in 0..<600 {
            let method = methods[number % methods.count]
            var request = URLRequest(server.url.appendingPathComponent("\(number)"), method)
            if number % 2 == 0, method != "GET", method != "DELETE" { request.httpBody = Data("content".utf8) }
            session.dataTask(with: request) { ends.record((method, Outcome(data: $0, response: $1, error: $2))) }
                .resume()
        }
        for (_, outcome) in try await ends.wait(for: 600) {
            #expect(outcome.text == "kept" || outcome.code == .networkConnectionLost)
        }
        let once = lines.values.filter { $0.hasPrefix("POST") || $0.hasPrefix("PATCH") }
        #expect(Set(once).count == once.count)
    }
}
#endif
