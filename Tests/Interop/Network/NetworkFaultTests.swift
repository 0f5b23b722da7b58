#if os(Linux)
import Foundation
import Larkspur
import TestSupport
import Testing

/// Transfers over a path between two network namespaces that fails in every way that a network can. Larkspur and the
/// server are on kernels' TCP, and nothing of either knows of the other.
@Suite("Faults in transit", .needsFaultyNetwork, .seeded, .serialized, .timeLimit(.minutes(30)))
enum NetworkFaultTests {
    /// A fault of the path, and the sizes of content with which it still ends in reasonable time.
    struct Fault: Sendable, CustomTestStringConvertible {
        let settings: String
        let size: Int
        var isSecure = false
        /// The count that shows that the fault has happened.
        let count: @Sendable (NetworkPath.Counts) -> Int

        var testDescription: String { settings + (isSecure ? " over TLS" : "") }
    }

    static let faults = [
        Fault(settings: "loss=1", size: 2 << 20) { $0.lost },
        Fault(settings: "loss=5", size: 1 << 20) { $0.lost },
        Fault(settings: "loss=20", size: 96 << 10) { $0.lost },
        Fault(settings: "reorder=30", size: 2 << 20) { $0.reordered },
        Fault(settings: "jitter=10", size: 2 << 20) { $0.forwarded },
        Fault(settings: "duplicate=30", size: 2 << 20) { $0.duplicated },
        Fault(settings: "delay=100", size: 1 << 20) { $0.forwarded },
        Fault(settings: "rate=1000000", size: 100 << 10) { $0.forwarded },
        Fault(settings: "loss=3 reorder=20 duplicate=10 delay=10 rate=20000000", size: 512 << 10) {
            min($0.lost, $0.reordered, $0.duplicated)
        },
        Fault(settings: "loss=5", size: 512 << 10, isSecure: true) { $0.lost },
        Fault(settings: "loss=3 reorder=20 duplicate=10 jitter=5", size: 512 << 10, isSecure: true) {
            min($0.lost, $0.reordered, $0.duplicated)
        },
    ]

    @Suite("A path that loses, delays, reorders and repeats packets")
    struct Transfers {
        private let server: NetworkServer

        init() async throws { server = try await NetworkServer.fresh() }

        @Test("GET, POST, a download and an upload have the right bytes", arguments: NetworkFaultTests.faults)
        func content(_ fault: Fault) async throws {
            for round in 0..<NetworkPath.rounds {
                var generator = SeededGenerator(round)
                let folder = TemporaryFolder()
                let seed = Int(generator.next() % 1_000_000)
                let data = generator.bytes(fault.size)
                let (sent, file) = (try SHA256Sum.of(data), try folder.file("content", data))
                let expected = try await server.digest(length: fault.size, seed: seed)
                let manager = try server.makeManager(isSecure: fault.isSecure)
                try NetworkPath.set(fault.settings, round: round)

                async let got = manager.get("file/\(fault.size)/\(seed)").data
                async let posted = manager.post("hash", body: .data(data)).string
                async let uploaded = manager.upload("hash", from: .file(file), method: .put).string
                async let produced = manager.post("hash", body: .sequence(making: { Chunks(data: data) })).string
                let downloaded = folder.url.appendingPathComponent("file")
                async let saved = manager.download("file/\(fault.size)/\(seed)", to: .file(downloaded)).file

                #expect(try await SHA256Sum.of(got) == expected)
                #expect(try await posted == "POST \(fault.size) \(sent)")
                #expect(try await uploaded == "PUT \(fault.size) \(sent)")
                #expect(try await produced == "POST \(fault.size) \(sent)")
                #expect(try await SHA256Sum.of(saved) == expected)
                let counts = try NetworkPath.set()
                #expect(fault.count(counts) > 0)
            }
        }

        @Test("Messages of a WebSocket and events arrive in order", arguments: [5, 15])
        func messages(loss: Int) async throws {
            let manager = try server.makeManager()
            try NetworkPath.set("loss=\(loss) reorder=10 duplicate=10")
            let socket = manager.webSocket("socket")
            try await socket.open()
            #expect(try await socket.receive() == .text("connection 1"))
            async let numbers = Self.numbers(manager, count: 20)
            for number in 0..<20 {
                try await socket.send("message \(number)")
                #expect(try await socket.receive() == .text("message \(number)"))
            }
            try await socket.close()
            #expect(try await numbers == Array(1...20))
            #expect(try NetworkPath.set().lost > 0)
        }

        private static func numbers(_ manager: SessionManager, count: Int) async throws -> [Int] {
            var numbers: [Int] = []
            for try await event in manager.events("events") {
                numbers.append(try #require(Int(event.id)))
                if numbers.count == count { break }
            }
            return numbers
        }
    }

    /// Data in parts of 10,000 bytes.
    struct Chunks: AsyncSequence, Sendable {
        typealias Element = Data
        let data: Data

        struct Iterator: AsyncIteratorProtocol {
            fileprivate var rest: Data

            mutating func next() async -> Data? {
                guard !rest.isEmpty else { return nil }
                defer { rest = rest.dropFirst(10_000) }
                return rest.prefix(10_000)
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(rest: data) }
    }
}
#endif
