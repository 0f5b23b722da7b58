#if os(Linux)
import Foundation
import Larkspur
import Synchronization
import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// The test needs the server that Tests/Interop/load.sh starts, and a process without other tests.
    static var needsLoadServer: Self { .enabled(if: LoadServer.port != nil, "Tests/Interop/load.sh has not been run.") }
}

/// The server of Scripts/Load/server.py.
enum LoadServer {
    static var port: Int? { number("LARKSPUR_LOAD_PORT") }
    /// The time of mixed use.
    static let seconds = number("LARKSPUR_LOAD_SECONDS") ?? 15
    /// The requests of the soak.
    static let requests = number("LARKSPUR_LOAD_REQUESTS") ?? 20_000

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    static func makeManager(connections: Int = 6, options: CurlURLSession.Options = .init()) throws -> SessionManager {
        let configuration = URLSessionConfiguration.testing
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = connections
        return SessionManager(
            baseURL: "http://127.0.0.1:\(try #require(port))/",
            configuration: configuration,
            transport: .curl(options)
        )
    }
}

/// The kernel's figures of this process.
struct ProcessFigures: Sendable, CustomStringConvertible {
    var threads = 0
    var descriptors = 0
    var residentKiB = 0

    init() throws {
        for line in try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n") {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count > 1, let number = Int(words[1]) else { continue }
            switch words[0] {
            case "Threads:": threads = number
            case "VmRSS:": residentKiB = number
            default: break
            }
        }
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    var description: String { "\(residentKiB / 1024) MiB, \(threads) threads, \(descriptors) descriptors" }
}

/// Counts of things that happen on several threads.
final class Tally<Key: Hashable & Sendable>: Sendable {
    private let counts = Mutex<[Key: Int]>([:])

    var total: Int { counts.withLock { $0.values.reduce(0, +) } }

    func add(_ key: Key) { counts.withLock { $0[key, default: 0] += 1 } }

    func count(_ key: Key) -> Int { counts.withLock { $0[key] ?? 0 } }
}
#endif
