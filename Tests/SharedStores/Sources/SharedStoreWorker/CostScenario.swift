import Larkspur
import LarkspurRedis

/// Measures calls with and without a shared rate limit, beside `PING` and the step of the limit, in turns.
struct CostScenario {
    private let arguments: Arguments
    private let store: RedisStore

    init(_ arguments: Arguments, _ store: RedisStore) {
        self.arguments = arguments
        self.store = store
    }

    func run() async throws {
        let plain = SessionManager(baseURL: arguments.server, configuration: .ephemeral)
        let limited = SessionManager(baseURL: arguments.server, configuration: .ephemeral)
        // No call waits.
        limited.interceptors.attempt = [
            .rateLimit(1_000_000, burst: 1000, store: store, key: arguments["key"], shareWithoutStore: 0)
        ]
        let bucket = SharedBucket(interval: .microseconds(1), capacity: .seconds(1))
        let count = arguments.number("count")
        var times: [String: [Duration]] = [:]
        // The first tenth is not counted.
        for index in -count / 10..<count {
            let ping = try await store.ping()
            let token = try await Self.time { [store] in
                _ = try await store.takeToken(for: "cost", from: bucket, within: .zero)
            }
            let plainCall = try await Self.time { _ = try await plain.get("work").string }
            let limitedCall = try await Self.time { _ = try await limited.get("work").string }
            guard index >= 0 else { continue }
            times["ping", default: []].append(ping)
            times["token", default: []].append(token)
            times["plain", default: []].append(plainCall)
            times["limited", default: []].append(limitedCall)
        }
        try printJSON(times.mapValues { $0.sorted()[$0.count / 2] / .microseconds(1) })
    }

    private static func time(_ body: () async throws -> Void) async throws -> Duration {
        let start = ContinuousClock.now
        try await body()
        return start.duration(to: .now)
    }
}
