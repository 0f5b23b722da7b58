import Foundation
import TestSupport
import Testing

@testable import Larkspur

@Suite("A store on a folder, used by many at once", .timeLimit(.minutes(5)))
struct FolderStoreProcessTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.url.appendingPathComponent("shared").path }

    @Test("Increments from many tasks with several stores lose nothing")
    func increments() async throws {
        let stores = try (0..<4).map { _ in
            try FolderStore(folder: URL(fileURLWithPath: path), waitLimit: .seconds(120))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                let store = stores[number % 4]
                group.addTask { for _ in 0..<10 { try await Self.increment("count", in: store) } }
            }
            try await group.waitForAll()
        }
        #expect(try await stores[0].value(for: "count")?.data == Data("80".utf8))
    }

    private static func increment(_ key: String, in store: FolderStore) async throws {
        while true {
            let last = try await store.value(for: key)
            let count = Int(String(decoding: last?.data ?? Data(), as: UTF8.self)) ?? 0
            let next = Data("\(count + 1)".utf8)
            if try await store.replaceValue(for: key, version: last?.version, with: next, lifetime: nil) { return }
        }
    }

    @Test("Increments from several processes lose nothing, and each fencing number is issued once")
    func processes() async throws {
        let worker = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("StoreWorker")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                let path = path
                group.addTask {
                    let process = Process()
                    process.executableURL = worker
                    process.arguments = ["increment", path, "20"]
                    try process.run()
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            process.waitUntilExit()
                            continuation.resume()
                        }
                    }
                    #expect(process.terminationStatus == 0)
                }
            }
            try await group.waitForAll()
        }
        let store = try FolderStore(folder: URL(fileURLWithPath: path))
        #expect(try await store.value(for: "count")?.data == Data("80".utf8))
        let numbers = try #require(try await store.value(for: "numbers")).data
        let text = String(decoding: numbers, as: UTF8.self).split(separator: " ").compactMap { UInt64($0) }
        // They were added while the lease was held, so they are in order.
        #expect(text.count == 80 && text == text.sorted() && Set(text).count == 80)
    }
}
