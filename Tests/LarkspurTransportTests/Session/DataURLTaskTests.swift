#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

@Suite("Tasks for data URLs", .timeLimit(.minutes(5)))
struct DataURLTaskTests {
    private let session = CurlURLSession(configuration: .testing)
    private let valid = "data:text/html;charset=utf-8;base64,Y29udGVudA=="

    @Test("The engine delivers the content of a data URL to a handler, a delegate, a loop and a file")
    func valid() async throws {
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: valid))
        let (content, response) = try await session.data(from: url)
        #expect(String(decoding: content, as: UTF8.self) == "content")
        #expect((response.mimeType, response.textEncodingName) == ("text/html", "utf-8"))
        #expect((response.url, response.expectedContentLength) == (url, 7))
        let task = session.dataTask(with: url)
        #expect(task is CurlDataTask)
        let log = DelegateLog()
        task.delegate = log
        _ = try await log.outcome(of: task)
        #expect(log.data == Data("content".utf8))
        var bytes: [UInt8] = []
        for try await byte in try await session.bytes(from: url).0 { bytes.append(byte) }
        #expect(bytes == Array("content".utf8))
        let (file, _) = try await session.download(from: url)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try Data(contentsOf: file) == Data("content".utf8))
        #expect(!session.core.usesSuperclass)
    }

    @Test(
        "A malformed data URL fails at once, with the reason",
        arguments: [("data:;base64,%%%", "base64"), ("data:text/plain", "comma"), ("data:", "comma")]
    )
    func malformed(text: String, reason: String) async throws {
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: text))
        let outcome = try await session.outcome(of: url)
        #expect(outcome.code == .badURL)
        #expect(outcome.error?.localizedDescription.contains(reason) == true)
        let error = await #expect(throws: URLError.self) { try await session.download(from: url) }
        #expect(error?.code == .badURL)
    }

    @Test("A WebSocket cannot be opened with a data URL")
    func webSocket() async throws {
        defer { session.invalidateAndCancel() }
        let socket = session.webSocket(with: try #require(URL(string: valid)))
        await #expect(throws: (any Error).self) { try await socket.open() }
    }

    @Test("The limit of collected content applies to data URLs")
    func limit() async throws {
        var options = CurlURLSession.Options()
        options.maximumContentSize = 6
        let session = CurlURLSession(configuration: .testing, options: options)
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: #require(URL(string: valid))).code == .dataLengthExceedsMaximum)
    }
}
#endif
