#if canImport(FoundationNetworking)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LarkspurTransport

/// Final responses that arrive before the content of their request was sent.
@Suite("Early responses", .timeLimit(.minutes(5)))
struct EarlyResponseTests {
    /// A server that responds as soon as it has the head of a request with content, and then reads the content.
    private struct Server {
        let server: RawServer
        let requests = Recorder<WireRequest>()
        /// The bytes that came behind the head of each early response.
        let rests = Recorder<Data>()

        /// - Parameter count: The number of bytes that are read behind an early response.
        init(_ response: String, reading count: Int = .max) throws {
            let connections = Mutex(0)
            server = try RawServer { [requests, rests] connection in
                let number = connections.withLock { count in
                    defer { count += 1 }
                    return count
                }
                while true {
                    let head = connection.readHead()
                    guard let request = WireRequest(head, connection: number) else { return }
                    requests.record(request)
                    guard !request.line.hasPrefix("GET") else {
                        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext")
                        continue
                    }
                    connection.write(response)
                    rests.record(connection.read(exactly: count))
                    if count == .max { return }
                }
            }
        }
    }

    /// More than libcurl sends without waiting for a 100 response.
    private static let size = 1_200_000

    static let stayingResponses = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    ]

    /// Whether libcurl may end a transfer whose content waits for a 100 response before the content was sent.
    private static let mayEndEarly = Libcurl.isAtLeast(8, 7) && !Libcurl.isAtLeast(8, 19)

    @Test(
        "After an early success on a persistent connection, the content is sent or the connection is closed",
        arguments: stayingResponses,
        [BodyKind.long, .file, .streamOfLength, .producedLength]
    )
    func staying(_ response: String, _ kind: BodyKind) async throws {
        let server = try Server(response, reading: Self.size)
        defer { server.server.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        let content = Data.numbered(Self.size)
        for _ in 0..<2 {
            let outcome = try await kind.send(content, with: URLRequest(server.server.url, "POST"), in: session)
            #expect(outcome.error == nil)
            #expect(outcome.status.map { 200..<300 ~= $0 } == true)
            #expect(try await session.outcome(of: server.server.url).text == "next")
        }
        let rests = server.rests.values
        #expect(rests == [content, content] || Self.mayEndEarly && rests.allSatisfy { content.starts(with: $0) })
        #expect(server.requests.values.map { String($0.line.prefix(4)) } == ["POST", "GET ", "POST", "GET "])
        #expect(server.requests.values.allSatisfy { $0.line.hasPrefix("GET") || $0.fields.contains("100-continue") })
    }

    @Test("After an early success, short content with Expect is sent or the connection is closed")
    func ownExpectation() async throws {
        let content = Data("short".utf8)
        let server = try Server(Self.stayingResponses[0], reading: content.count)
        defer { server.server.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        let request = URLRequest(server.server.url, "POST", body: content, headers: ["Expect": "100-continue"])
        #expect(try await session.outcome(of: request).text == "hello")
        #expect(try await session.outcome(of: server.server.url).text == "next")
        let rests = server.rests.values
        #expect(rests == [content] || Self.mayEndEarly && rests.allSatisfy(\.isEmpty))
    }

    static let closingResponses = [
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nConnection: keep-alive, close\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    ]

    @Test(
        "An early success on a closing connection is the response, and only content follows on that connection",
        arguments: closingResponses + ["HTTP/1.1 413 No\r\nContent-Length: 5\r\n\r\nhello"],
        [BodyKind.long, .file, .streamOfLength, .producedLength]
    )
    func closing(_ response: String, _ kind: BodyKind) async throws {
        let server = try Server(response)
        defer { server.server.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        let content = Data.numbered(Self.size)
        let outcome = try await kind.send(content, with: URLRequest(server.server.url, "POST"), in: session)
        #expect(outcome.error == nil)
        #expect(outcome.text == "hello")
        #expect(try await session.outcome(of: server.server.url).text == "next")
        #expect(server.requests.values.map(\.connection) == [0, 1])
        let rest = try await server.rests.first()
        #expect(content.starts(with: rest))
    }

    @Test(
        "A complete response is delivered even if the server then resets the connection",
        arguments: [BodyKind.long, .file]
    )
    func reset(_ kind: BodyKind) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            connection.read(atLeast: 100_000)
            connection.reset()
        }
        defer { server.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        // More than the sockets hold.
        let outcome = try await kind.send(Data(count: 64 << 20), with: URLRequest(server.url, "PUT"), in: session)
        #expect(outcome.error == nil)
        #expect(outcome.text == "hello")
    }

    @Test(
        "A connection is not reused if the response has the option close, at any place in the field",
        arguments: [
            "Connection: keep-alive, close", "Connection: close, keep-alive", "Connection: \t x ,\tCLOSE ",
            "Connection: keep-alive\r\nConnection: close", "Connection: keep-alive,close", "Proxy-Connection: a, close",
        ]
    )
    func closeOption(_ field: String) async throws {
        let count = Mutex(0)
        let server = try RawServer { connection in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            while !connection.readHead().isEmpty {
                connection.write("HTTP/1.1 200 OK\r\n\(field)\r\nContent-Length: 1\r\n\r\n\(number)")
            }
        }
        defer { server.stop() }
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url).text == "0")
        #expect(try await session.outcome(of: server.url).text == "1")
    }
}
#endif
