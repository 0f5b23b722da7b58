import Foundation
import TestSupport
import Testing

@testable import Larkspur

/// The same steps on a store in memory, which is written from the documentation of `SharedStore`.
private struct ReferenceStore {
    struct Value {
        var data: Data
        /// The step that has written the value.
        var step: Int
        var end: Duration?
    }

    private(set) var values: [String: Value] = [:]
    private var full: [String: Duration] = [:]
    private var leases: [String: (number: UInt64, end: Duration)] = [:]
    private var now = Duration.seconds(1)

    mutating func advance(_ duration: Duration) {
        now += duration
        values = values.filter { $0.value.end.map { $0 > now } ?? true }
        leases = leases.filter { $0.value.end > now }
    }

    /// Starts the system again: all goes on by the wall clock.
    mutating func restart() {
        for key in leases.keys { leases[key]?.end -= now }
        for key in full.keys { full[key]? -= now }
        for key in values.keys { values[key]?.end? -= now }
        now = .zero
    }

    /// - Parameter version: The step that has written the last value.
    mutating func replace(_ key: String, version: Int?, with data: Data?, lifetime: Duration?, step: Int) -> Bool {
        guard values[key]?.step == version else { return false }
        values[key] = data.map { data in
            Value(data: data, step: step, end: lifetime.map { now + $0 })
        }
        return true
    }

    mutating func take(_ key: String, _ bucket: SharedBucket, within limit: Duration) -> Duration {
        let earliest = now - bucket.tolerance
        let next = max(full[key] ?? earliest, earliest) + bucket.interval
        let delay = max(next - now - bucket.capacity, .zero)
        if delay <= limit { full[key] = next }
        return delay
    }

    /// Returns the time for which another holder still has the lease; nil if there is none.
    func holding(_ key: String) -> Duration? { leases[key].map { $0.end - now } }

    mutating func acquire(_ lease: SharedLease, _ duration: Duration) {
        leases[lease.key] = duration > .zero ? (lease.number, now + duration) : nil
    }

    func isHeld(_ lease: SharedLease) -> Bool { leases[lease.key]?.number == lease.number }

    mutating func release(_ lease: SharedLease) {
        if isHeld(lease) { leases[lease.key] = nil }
    }
}

@Suite("A model of a store on a folder", .timeLimit(.minutes(5)), .seeded)
struct FolderStoreModelTests {
    private static let runs = ProcessInfo.processInfo.environment["LARKSPUR_MODEL_RUNS"].flatMap { Int($0) } ?? 30

    @Test("Random steps of three stores on one folder have the results of one store in memory")
    func sequences() async throws {
        for number in 0..<Self.runs {
            var random = SeededGenerator(number)
            try await run(&random)
        }
    }

    private func run(_ random: inout SeededGenerator) async throws {
        let folder = TemporaryFolder()
        let clock = StoreClock()
        let stores = try (0..<3).map { _ in
            try FolderStore(
                folder: folder.url.appendingPathComponent("s"),
                waitLimit: .seconds(60),
                cleaningInterval: .seconds(2)
            ) { clock.now }
        }
        let bucket = SharedBucket(interval: .milliseconds(300), capacity: .milliseconds(900))
        var reference = ReferenceStore()
        // The versions by their steps, and all leases.
        var versions: [SharedValue.Version] = []
        var leases: [SharedLease] = []
        for step in 0..<40 {
            let store = stores[Int.random(in: 0..<3, using: &random)]
            let key = ["a", "b"][Int.random(in: 0..<2, using: &random)]
            let duration = Duration.milliseconds(Int.random(in: 0..<4, using: &random) * 700)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<3:
                let value = try await store.value(for: key)
                #expect(value?.data == reference.values[key]?.data)
                #expect(value.map { $0.version == versions[reference.values[key]?.step ?? 0] } ?? true)
            case 3..<8:
                // Half of the versions are the present ones.
                var version = reference.values[key]?.step
                if Bool.random(using: &random) {
                    version = versions.isEmpty ? nil : Int.random(in: 0..<versions.count, using: &random)
                }
                let data = Int.random(in: 0..<4, using: &random) == 0 ? nil : Data("\(step)".utf8)
                let lifetime = Bool.random(using: &random) ? nil : duration
                let isReplaced = try await store.replaceValue(
                    for: key,
                    version: version.map { versions[$0] },
                    with: data,
                    lifetime: lifetime
                )
                let isExpected = reference.replace(
                    key,
                    version: version,
                    with: data,
                    lifetime: lifetime,
                    step: versions.count
                )
                #expect(isReplaced == isExpected, "step \(step)")
                reference.advance(.zero)
                guard isReplaced, data != nil, lifetime != .zero else { break }
                let written = try #require(try await store.value(for: key)?.version)
                #expect(!versions.contains(written))
                versions.append(written)
            case 8..<12:
                let limit = duration
                let delay = try await store.takeToken(for: key, from: bucket, within: limit)
                let expected = reference.take(key, bucket, within: limit)
                #expect(delay == expected, "step \(step)")
            case 12..<15:
                switch try await store.acquireLease(for: key, duration: duration) {
                case .acquired(let lease):
                    #expect(reference.holding(key) == nil, "step \(step)")
                    #expect(leases.allSatisfy { $0.number < lease.number })
                    leases.append(lease)
                    reference.acquire(lease, duration)
                case .held(let rest): #expect(reference.holding(key) == rest, "step \(step)")
                }
            case 15..<17:
                guard let lease = leases.randomElement(using: &random) else { break }
                if Bool.random(using: &random) {
                    let isRenewed = try await store.renew(lease, duration: duration)
                    #expect(isRenewed == reference.isHeld(lease), "step \(step)")
                    if isRenewed { reference.acquire(lease, duration) }
                } else {
                    try await store.release(lease)
                    reference.release(lease)
                }
            case 17..<19:
                clock.advance(duration)
                reference.advance(duration)
            default:
                // The wall clock of the reference is not set, because then the lifetimes would change.
                clock.restart("start-\(step)")
                reference.restart()
            }
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/s")
        #expect(files.count <= 7)
    }
}
