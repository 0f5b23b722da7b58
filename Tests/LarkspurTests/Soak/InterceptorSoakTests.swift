#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

/// Each ready interceptor alone, with many attempts on a thread with a small stack: the last ones cost what the first
/// ones did, in time, in stack and in memory.
///
/// LARKSPUR_SOAK_CALLS sets the number of attempts. Without it there are few, and only the stack is compared, because
/// the other tests of the process disturb the other figures.
@Suite("Interceptors with many calls", .serialized, .timeLimit(.minutes(60)))
struct InterceptorSoakTests {
    private static let setCount = ProcessInfo.processInfo.environment["LARKSPUR_SOAK_CALLS"].flatMap { Int($0) }

    @Test("The last of many calls cost as much as the first calls", arguments: Soak.all)
    func flatness(_ soak: Soak) async throws {
        // Some interceptors go on in tasks of the shared pool, for which other tests wait, too.
        let count = Self.setCount ?? 100
        let executor = SmallStackExecutor()
        defer { executor.stop() }
        let clock = SoakClock(executor, step: soak.step)
        let meter = SoakMeter(count, clock, measuresMemory: Self.setCount != nil)
        try await Task(executorPreference: executor) {
            try await soak.run(SoakRun(count: count, clock: clock, meter: meter))
        }.value

        #expect(meter.count >= count)
        let (first, last) = (meter.first, meter.last)
        // A wrapper around a closure takes at least 32 bytes of stack, and there is one for each call.
        #expect(first.depth > 0 && last.depth < first.depth + count * 8)
        guard Self.setCount != nil else { return }
        #expect(last.cost <= first.cost * 2)
        #expect(last.memory <= first.memory + (8 << 20))
        let costs = String(format: "%.1f then %.1f", first.cost * 1e6, last.cost * 1e6)
        let depths = "\(first.depth) then \(last.depth)"
        let sizes = "\(first.memory >> 10) then \(last.memory >> 10)"
        print("soak | \(soak.name) | \(meter.count) attempts | \(costs) µs | stack \(depths) B | memory \(sizes) KiB")
    }

    @Test("The soak test finds a closure that each call wraps once more")
    func wrapping() async throws {
        let growing = WrappedClosure()
        let executor = SmallStackExecutor()
        defer { executor.stop() }
        let clock = SoakClock(executor, step: 1)
        let meter = SoakMeter(1000, clock, measuresMemory: false)
        let task = Task(executorPreference: executor) {
            for _ in 0..<1000 {
                growing.callOnceMoreWrapped { clock.noteDepth() }
                meter.tick()
            }
        }
        await task.value
        #expect(meter.last.depth >= meter.first.depth + 1000 * 8)
    }
}

/// A closure that each call wraps once more, as a generic container does with a closure that is read and stored again.
private final class WrappedClosure: Sendable {
    private let stored = Mutex<@Sendable () -> Void>({})

    func callOnceMoreWrapped(_ note: @escaping @Sendable () -> Void) {
        let wrapped = stored.withLock { stored in
            let inner = stored
            stored = {
                note()
                inner()
            }
            return stored
        }
        wrapped()
    }
}

/// An interceptor, and its use.
struct Soak: Sendable, CustomTestStringConvertible {
    let name: String
    /// The time between two reads of the clock, in microseconds.
    var step: Int64 = 1000
    let run: @Sendable (SoakRun) async throws -> Void

    var testDescription: String { name }

    static let all: [Soak] = limits + retries + sharing + credentials + content + longCalls

    /// Returns the response to the request of a call with a number.
    private typealias Responder = @Sendable (_ number: Int, URLRequest) throws -> InterceptedResponse

    /// Sends requests one after the other.
    private static func each(
        _ interceptor: some RequestInterceptor,
        ofSeveralOrigins: Bool = true,
        _ respond: @escaping Responder = { SoakRun.response(200, to: $1) }
    ) -> @Sendable (SoakRun) async throws -> Void {
        { run in
            var number = 0
            // Not each call has an attempt, and some have several.
            while run.meter.count < run.count {
                let request = run.request(number, ofSeveralOrigins: ofSeveralOrigins)
                _ = try? await run.send(request, through: interceptor) { [number] in try respond(number, $0) }
                number += 1
            }
        }
    }

    private static func failing(_ isFailure: @escaping @Sendable (Int) -> Bool) -> Responder {
        { SoakRun.response(isFailure($0) ? 503 : 200, to: $1) }
    }

    /// Announces the number of remaining requests, until the next second.
    private static func announcing(_ remaining: @escaping @Sendable (Int) -> Int) -> Responder {
        { SoakRun.response(200, to: $1, fields: ["RateLimit": "\"a\";r=\(remaining($0));t=1"]) }
    }

    // MARK: Limits

    private static let limits = [
        Soak(name: "circuitBreaker", run: each(.circuitBreaker())),
        Soak(
            name: "circuitBreaker, open now and then",
            run: each(.circuitBreaker(failures: 3, openTime: .milliseconds(20)), failing { $0 / 50 % 2 == 0 })
        ),
        Soak(
            name: "circuitBreaker, by proportion",
            run: each(
                .circuitBreaker(failureRatio: 0.1, period: .milliseconds(500), openTime: .milliseconds(20)),
                failing { $0 / 500 % 2 == 0 }
            )
        ),
        Soak(name: "rateLimit", run: each(.rateLimit(10_000, burst: 10_000))),
        Soak(name: "rateLimit, waiting", step: 1, run: each(.rateLimit(100, burst: 1), ofSeveralOrigins: false)),
        Soak(name: "serverRateLimits", run: each(.serverRateLimits(), announcing { 9 - $0 % 9 })),
        Soak(name: "serverRateLimits, waiting", step: 1, run: each(.serverRateLimits(), announcing { _ in 0 })),
        Soak(name: "concurrencyLimit", run: each(.concurrencyLimit(4))),
        Soak(name: "concurrencyLimit, waiting") { run in
            try await concurrently(3, run, through: .concurrencyLimit(1))
        },
        Soak(name: "time limit", run: each(TimeLimit(part: .attempt, limit: .seconds(10)))),
    ]

    /// Sends requests in several tasks at once.
    private static func concurrently(
        _ count: Int,
        _ run: SoakRun,
        through interceptor: some RequestInterceptor
    ) async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    while run.meter.count < run.count {
                        try await run.send(run.request(0), through: interceptor)
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: Retries

    private static let retries = [
        Soak(name: "retry", run: each(.retry())),
        Soak(name: "retry, with failures", run: each(.retry(deadline: nil), failing { $0 % 3 == 0 })),
        Soak(
            name: "retry, with failures, no budget",
            run: each(.retry(deadline: nil, budget: nil), failing { $0 % 3 == 0 })
        ),
    ]

    // MARK: Sharing

    private static let sharing = [
        Soak(name: "coalescing", run: each(.coalescing())),
        Soak(name: "coalescing, several at once") { run in
            try await concurrently(3, run, through: .coalescing())
        },
        Soak(name: "traceContext", run: each(.traceContext())),
        Soak(name: "custom", run: each(ClosureInterceptor.custom { try await $2($0) })),
        Soak(name: "adapting", run: each(ClosureInterceptor.adapting { $0.timeoutInterval = 5 })),
    ]

    // MARK: Credentials

    private struct Numbers: RequestAuthenticator {
        func apply(_ credential: Int, to request: inout URLRequest) {
            request.setValue("Number \(credential)", forHTTPHeaderField: "Authorization")
        }

        func refresh(_ credential: Int, after refusal: InterceptedResponse?) async throws -> Int { credential + 1 }
    }

    private static let credentials = [
        Soak(
            name: "authentication",
            run: each(AuthenticationInterceptor(0, authenticator: Numbers(), for: SoakRun.url), ofSeveralOrigins: false)
        ),
        Soak(
            name: "authentication, refused now and then",
            run: each(
                AuthenticationInterceptor(0, authenticator: Numbers(), for: SoakRun.url),
                ofSeveralOrigins: false
            ) { SoakRun.response($0 % 20 == 19 ? 401 : 200, to: $1) }
        ),
        Soak(
            name: "OAuth2, each token for one call",
            run: each(
                AuthenticationInterceptor(
                    OAuth2Credential(accessToken: "0", refreshToken: "r", expirationDate: .distantPast),
                    authenticator: OAuth2Authenticator(tokenEndpoint: SoakRun.url, clientID: "soak") { _ in
                        let response = HTTPURLResponse(
                            url: SoakRun.url,
                            statusCode: 200,
                            httpVersion: nil,
                            headerFields: nil
                        )
                        guard let response else { throw URLError(.badServerResponse) }
                        return (Data(#"{"access_token": "1", "refresh_token": "r", "expires_in": 0}"#.utf8), response)
                    },
                    for: SoakRun.url
                ),
                ofSeveralOrigins: false
            )
        ),
    ]

    // MARK: Content

    private static let content = [
        Soak(name: "compression") { run in
            let content = Data(repeating: UInt8(ascii: "x"), count: 2000)
            for number in 0..<run.count {
                var request = run.request(number)
                request.httpMethod = "POST"
                request.httpBody = content
                try await run.send(request, through: .compression())
            }
        }
    ]

    // MARK: Calls with many attempts

    private static let longCalls = [
        Soak(name: "retry, one call with all attempts") { run in
            var policy = RetryPolicy(maximumAttempts: run.count, deadline: nil, budget: nil)
            policy.maximumDelay = .milliseconds(1)
            try await run.send(run.request(0), through: policy) { SoakRun.response(503, to: $0) }
        },
        Soak(name: "resuming download, all in one call") { run in
            _ = try? await run.send(run.request(0), through: DownloadResumption(limit: run.count - 1)) { _ in
                var loss = LarkspurError(.connectionLost, "lost")
                loss.resumeData = Data([1])
                throw loss
            }
        },
        Soak(name: "resumable upload, a byte each time") { run in
            let content = Data(count: run.count)
            var settings = ResumableUpload.tus
            settings.maximumPartSize = 1
            let control = UploadControl(
                sendsLengthOfStreams: true,
                keepsConnections: true,
                prepare: { _ in },
                completed: { 0 },
                complete: { _ in },
                isCancelled: { false },
                note: { _ in },
                report: { $0() },
                secured: { _ in nil },
                sendApart: { _, _ in }
            )
            let offset = Atomic(0)
            var request = run.request(0)
            request.httpMethod = "POST"
            try await run.send(request, through: UploadResumer(settings, .data(content)), upload: control) { request in
                if request.httpMethod == "POST" {
                    return SoakRun.response(201, to: request, fields: ["Location": "/uploads/1"])
                }
                let next = offset.add(1, ordering: .relaxed).newValue
                return SoakRun.response(204, to: request, fields: ["Upload-Offset": "\(next)"])
            }
        },
    ]
}
#endif
