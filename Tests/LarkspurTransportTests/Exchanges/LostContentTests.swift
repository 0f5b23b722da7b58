#if canImport(FoundationNetworking)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LarkspurTransport

/// Requests whose connection is lost while they are sent: the server gets all of their content, or the task fails.
@Suite("Content on a lost connection", .timeLimit(.minutes(5)))
struct LostContentTests {
    /// The part that the server reads of the second request on its first connection, before it closes the connection.
    enum Loss: CaseIterable, Sendable {
        case nothing, head, part, all
    }

    /// A server that responds to one request on its first connection, and loses the next one there.
    private struct Server {
        let server: RawServer
        let requests = Recorder<WireRequest>()

        init(_ loss: Loss) throws {
            let count = Mutex(0)
            server = try RawServer { [requests] connection in
                let number = count.withLock { count in
                    defer { count += 1 }
                    return count
                }
                while let request = WireRequest(connection.readRequest(), connection: number) {
                    requests.record(request)
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nkept")
                    guard number == 0 else { continue }
                    switch loss {
                    case .nothing: connection.read(atLeast: 1)
                    case .head: connection.readHead()
                    case .part: connection.read(atLeast: 200_000)
                    case .all: connection.readRequest()
                    }
                    return
                }
            }
        }
    }

    private func outcome(
        of kind: BodyKind,
        _ content: Data,
        _ request: URLRequest,
        on server: Server,
        productions: Recorder<Void> = Recorder()
    ) async throws -> Outcome {
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.server.url).text == "kept")
        let outcome = try await kind.send(content, with: request, in: session, productions: productions)
        // The session is well afterwards.
        #expect(try await session.outcome(of: server.server.url).text == "kept")
        return outcome
    }

    static let sizes = [0, 1, 600_000]

    @Test(
        "All content is sent again on another connection if the method is idempotent",
        arguments: BodyKind.allCases.filter(\.isRepeatable),
        Loss.allCases
    )
    func again(_ kind: BodyKind, _ loss: Loss) async throws {
        for size in Self.sizes where kind != .short || size < 1 << 16 {
            // The server waits for more than it gets.
            if loss == .part, size < 200_000 { continue }
            let server = try Server(loss)
            defer { server.server.stop() }
            let content = Data.numbered(size)
            let outcome = try await outcome(of: kind, content, URLRequest(server.server.url, "PUT"), on: server)
            #expect(outcome.error == nil, "\(size) bytes")
            #expect(outcome.status == 200)
            let uploads = server.requests.values.filter { $0.line.hasPrefix("PUT") }
            #expect(uploads.map(\.content) == [content], "\(size) bytes")
            #expect(uploads.map(\.trailers) == [kind == .trailers ? ["X-Sum: \(size)"] : []])
        }
    }

    @Test("Content that can be sent only once is not sent again, and the error says so", arguments: Loss.allCases)
    func once(_ loss: Loss) async throws {
        for size in Self.sizes where loss != .part || size >= 200_000 {
            let server = try Server(loss)
            defer { server.server.stop() }
            let productions = Recorder<Void>()
            let outcome = try await outcome(
                of: .producedOnce,
                Data.numbered(size),
                URLRequest(server.server.url, "PUT"),
                on: server,
                productions: productions
            )
            #expect(productions.values.count == 1, "\(size) bytes")
            let uploads = server.requests.values.filter { $0.line.hasPrefix("PUT") }
            // If the connection is lost before libcurl asks for content, nothing of it is consumed.
            guard !uploads.isEmpty else {
                #expect(outcome.code == .requestBodyStreamExhausted)
                #expect(outcome.error?.localizedDescription.contains("once") == true)
                continue
            }
            #expect(loss != .part && loss != .all)
            #expect(outcome.error == nil && uploads.map(\.content) == [Data.numbered(size)])
        }
    }

    @Test("A request that is not idempotent is not sent again, whatever its content is", arguments: BodyKind.allCases)
    func notAgain(_ kind: BodyKind) async throws {
        for size in Self.sizes where kind != .short || size < 1 << 16 {
            let server = try Server(.all)
            defer { server.server.stop() }
            let request = URLRequest(server.server.url, "POST")
            let outcome = try await outcome(of: kind, Data.numbered(size), request, on: server)
            #expect(outcome.code == .networkConnectionLost, "\(size) bytes")
            #expect(outcome.error?.localizedDescription.contains("may have executed") == true)
            #expect(!server.requests.values.contains { $0.line.hasPrefix("POST") })
        }
    }

    @Test("A request that loses each connection is not sent forever")
    func oftenLost() async throws {
        let count = Atomic(0)
        // Each connection responds to requests without content alone.
        let server = try RawServer { connection in
            while true {
                let head = String(decoding: connection.readHead(), as: UTF8.self)
                guard head.hasPrefix("GET") else {
                    if !head.isEmpty { count.add(1, ordering: .relaxed) }
                    return
                }
                connection.write(KeptServer.kept)
            }
        }
        defer { server.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        for kind in BodyKind.allCases where kind.isRepeatable {
            #expect(try await session.outcome(of: server.url).text == "kept")
            let before = count.load(ordering: .relaxed)
            let outcome = try await kind.send(Data.numbered(1000), with: URLRequest(server.url, "PUT"), in: session)
            #expect(outcome.error != nil)
            #expect(count.load(ordering: .relaxed) - before == 2, "\(kind)")
        }
    }
}
#endif
