#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import LarkspurTesting
import Synchronization
import Testing

@testable import LarkspurTransport

/// Chunks that a test gives; after them an end, an error, or a wait for the cancellation.
private final class ScriptedSource: ByteSource {
    enum End: Sendable {
        case success, never
        case failure(URLError)
    }

    private let chunks: Mutex<ArraySlice<Data>>
    private let end: End
    let cancellation = LoopbackServer.Gate()
    let isWaiting = LoopbackServer.Gate()

    init(_ chunks: [Data], end: End = .success) {
        self.chunks = Mutex(chunks[...])
        self.end = end
    }

    func next() async throws -> Data? {
        if let chunk = chunks.withLock({ $0.popFirst() }) { return chunk }
        switch end {
        case .success: return nil
        case .failure(let error): throw error
        case .never:
            isWaiting.open()
            await cancellation.wait()
            throw URLError(.cancelled)
        }
    }

    func cancel() { cancellation.open() }
}

@Suite(.timeLimit(.minutes(5)))
struct AsyncBytesTests {
    private let task: URLSessionDataTask

    init() throws {
        let url = try #require(URL(string: "http://host.invalid/"))
        task = URLSession(configuration: .testing).dataTask(with: url)
    }

    private func bytes(_ source: ScriptedSource) -> URLSession.AsyncBytes {
        URLSession.AsyncBytes(task: task, source: source)
    }

    @Test(
        "Every byte of every chunk arrives in order",
        arguments: [[], [[]], [[1, 2], [], [3]], [[], [], [255]], [[UInt8](repeating: 7, count: 100_000), [8]]]
    )
    func allBytes(chunks: [[UInt8]]) async throws {
        var result: [UInt8] = []
        for try await byte in bytes(ScriptedSource(chunks.map { Data($0) })) { result.append(byte) }
        #expect(result == chunks.flatMap { $0 })
    }

    @Test("A slice of data is read from its own beginning")
    func slice() async throws {
        let whole = Data([0, 1, 2, 3, 4])
        var result: [UInt8] = []
        for try await byte in bytes(ScriptedSource([whole[2..<4]])) { result.append(byte) }
        #expect(result == [2, 3])
    }

    @Test("A sequence stays at its end, and a failure follows the bytes before it")
    func ends() async throws {
        var iterator = bytes(ScriptedSource([Data([1])])).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)

        var failing = bytes(ScriptedSource([Data([1])], end: .failure(URLError(.networkConnectionLost))))
            .makeAsyncIterator()
        #expect(try await failing.next() == 1)
        let error = await #expect(throws: URLError.self) { try await failing.next() }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test("The transfer is cancelled when the sequence can no longer be read")
    func release() async throws {
        let source = ScriptedSource([Data([1]), Data([2])])
        do {
            var iterator = bytes(source).makeAsyncIterator()
            #expect(try await iterator.next() == 1)
            #expect(!source.cancellation.isOpen)
        }
        #expect(source.cancellation.isOpen)
    }

    @Test("A cancellation ends a read that is waiting")
    func cancellationDuring() async throws {
        let source = ScriptedSource([Data([1])], end: .never)
        let bytes = bytes(source)
        let reader = Task { try await bytes.reduce(0) { $0 + Int($1) } }
        await source.isWaiting.wait()
        reader.cancel()
        let error = await #expect(throws: URLError.self) { try await reader.value }
        #expect(error?.code == .cancelled)
        #expect(source.cancellation.isOpen)
    }

    @Test("A Swift task that was cancelled reads nothing, and cancels the transfer")
    func cancellationBefore() async throws {
        let source = ScriptedSource([Data([1])])
        let bytes = bytes(source)
        let reader = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await bytes.reduce(0) { $0 + Int($1) }
        }
        let error = await #expect(throws: URLError.self) { try await reader.value }
        #expect(error?.code == .cancelled)
        #expect(source.cancellation.isOpen)
        #expect(bytes.task === task)
    }

    static let texts: [(String, [String])] = [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\r\nb", ["a", "b"]), ("a\rb\n\n\nc\n", ["a", "b", "c"]),
        ("\n\r\n", []), ("a\u{B}b\u{C}c", ["a", "b", "c"]), ("a\u{85}b\u{2028}c\u{2029}d", ["a", "b", "c", "d"]),
        ("Ä €\n…\u{2027}", ["Ä €", "…\u{2027}"]), ("Å\u{A8}", ["Å\u{A8}"]),
    ]

    @Test("Lines end at every line terminator of Unicode, wherever the chunks end", arguments: texts)
    func lines(text: String, expected: [String]) async throws {
        for size in [1, 2, 3, 1000] {
            let data = Data(text.utf8)
            let chunks = stride(from: 0, to: data.count, by: size).map { data[$0..<min($0 + size, data.count)] }
            var lines: [String] = []
            for try await line in bytes(ScriptedSource(chunks)).lines { lines.append(line) }
            #expect(lines == expected)
        }
    }

    @Test("A line is delivered as soon as its end arrives, and malformed UTF-8 is replaced")
    func promptLines() async throws {
        let source = ScriptedSource([Data([0x61, 0xFF, 0x0D])], end: .never)
        var iterator = bytes(source).lines.makeAsyncIterator()
        #expect(try await iterator.next() == "a\u{FFFD}")
        #expect(!source.isWaiting.isOpen)
    }
}
#endif
