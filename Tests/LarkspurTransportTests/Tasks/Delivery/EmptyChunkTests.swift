#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Synchronization
import Testing

/// Bytes that arrive by themselves and have no content: the framing of chunks, the head of a coding.
@Suite("Arrivals without content", .timeLimit(.minutes(5)))
struct EmptyChunkTests {
    /// A server that sends the next part when the client has received the content of the one before.
    private final class Steps: Sendable {
        let turns = DispatchSemaphore(value: 0)

        func server(_ head: String, _ parts: [Data]) throws -> RawServer {
            try RawServer { [turns] connection in
                connection.readHead()
                connection.write(head)
                for (index, part) in parts.enumerated() {
                    if index > 0, turns.wait(timeout: .now() + 60) == .timedOut { return }
                    connection.write(part)
                }
            }
        }
    }

    private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// Contents whose last part is framing alone, so that it arrives by itself.
    static let endings = ["\r\n0\r\n\r\n", "\r\n0\r\nX-Sum: 1\r\n\r\n", "\r\n0;a=b\r\n\r\n"]

    @Test("A delegate receives content without framing", arguments: endings)
    func delegate(ending: String) async throws {
        let steps = Steps()
        let server = try steps.server(Self.head, ["3\r\nabc", "\r\n3\r\ndef", ending].map { Data($0.utf8) })
        defer { server.stop() }
        let log = DelegateLog(.with { $0.data = { _, _ in steps.turns.signal() } })
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let outcome = try await log.outcome(of: session.dataTask(with: server.url))
        #expect(outcome.error == nil)
        let chunks = log.events.values.compactMap { if case .data(let data) = $0 { data } else { nil } }
        #expect(chunks == [Data("abc".utf8), Data("def".utf8)])
    }

    @Test("Framing that arrives byte by byte is not delivered as content", arguments: [1, 2, 3])
    func byteByByte(length: Int) async throws {
        var text = ""
        var contentLength = 0
        for count in 1...40 {
            text += "\(String(count, radix: 16));x\r\n"
            text += String(repeating: "a", count: count)
            text += "\r\n"
            contentLength += count
        }
        let whole = Data((text + "0\r\n\r\n").utf8)
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(Self.head)
            for start in stride(from: 0, to: whole.count, by: length) {
                connection.write(whole[start..<min(start + length, whole.count)])
            }
        }
        defer { server.stop() }
        let log = DelegateLog()
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let outcome = try await log.outcome(of: session.dataTask(with: server.url))
        #expect(outcome.error == nil)
        #expect(outcome.data?.count == contentLength)
        for event in log.events.values { if case .data(let data) = event { #expect(!data.isEmpty) } }
    }

    @Test("A download's delegate gets calls for content only", arguments: endings)
    func download(ending: String) async throws {
        let steps = Steps()
        let server = try steps.server(Self.head, ["3\r\nabc", ending].map { Data($0.utf8) })
        defer { server.stop() }
        let counts = Recorder<[Int64]>()
        let watcher = DownloadWatcher {
            counts.record($0); steps.turns.signal()
        }
        let session = CurlURLSession(configuration: .testing, delegate: watcher, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        session.downloadTask(with: server.url).resume()
        #expect(try await watcher.ends.first() == nil)
        #expect(counts.values == [[3, 3]])
    }

    @Test("After a data task becomes a download, its delegate gets calls for content only")
    func becomesDownload() async throws {
        let steps = Steps()
        let server = try steps.server(Self.head, ["3\r\nabc", Self.endings[0]].map { Data($0.utf8) })
        defer { server.stop() }
        let counts = Recorder<[Int64]>()
        let watcher = DownloadWatcher {
            counts.record($0); steps.turns.signal()
        }
        let session = CurlURLSession(configuration: .testing, delegate: watcher, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        session.dataTask(with: server.url).resume()
        #expect(try await watcher.ends.first() == nil)
        #expect(counts.values == [[3, 3]])
    }

    /// A delegate of downloads, which answers data tasks by making them downloads.
    private final class DownloadWatcher: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
        let ends = Recorder<URLError?>()
        private let wrote: @Sendable ([Int64]) -> Void

        init(_ wrote: @escaping @Sendable ([Int64]) -> Void) { self.wrote = wrote }

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            didReceive response: URLResponse,
            completionHandler: @Sendable @escaping (URLSession.ResponseDisposition) -> Void
        ) {
            // The case is deprecated, as FoundationNetworking ignores it.
            completionHandler(URLSession.ResponseDisposition(rawValue: 2) ?? .allow)
        }

        func urlSession(
            _ session: URLSession,
            downloadTask: URLSessionDownloadTask,
            didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64,
            totalBytesExpectedToWrite: Int64
        ) {
            wrote([bytesWritten, totalBytesWritten])
        }

        func urlSession(
            _ session: URLSession,
            downloadTask: URLSessionDownloadTask,
            didFinishDownloadingTo location: URL
        ) {}

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            ends.record(error as? URLError)
        }
    }

    @Test(
        "A call in code without this module gives its delegate no empty content",
        arguments: ["/status/204", "/empty"]
    )
    func handed(path: String) async throws {
        let server = try LoopbackServer()
        server.route("/empty", .chunked([]))
        let log = DelegateLog()
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        // The type chooses Foundation's method.
        let delegate: (any URLSessionTaskDelegate)? = log
        let (data, _) = try await session.data(for: URLRequest(url: server.url(path)), delegate: delegate)
        #expect(data.isEmpty)
        #expect(!log.names.contains("data"))
    }
}
#endif
