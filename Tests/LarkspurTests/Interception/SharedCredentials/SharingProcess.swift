import LarkspurTestSupport
import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

/// A token whose refresh token may be used once.
struct NumberedToken: Codable, Hashable, Sendable {
    /// The number of the login.
    var login = 0
    var number = 0
}

/// A server that refreshes each token once, and accepts only the newest token.
final class SingleUseServer: Sendable {
    private struct State {
        var newest = NumberedToken()
        var loginCount = 0
        /// Whether the newest access token was revoked.
        var isRevoked = false
        var used: Set<NumberedToken> = []
        var reused: [NumberedToken] = []
        var refreshCount = 0
    }

    private let state = Mutex(State())

    /// The number of tokens that were issued for others.
    var refreshCount: Int { state.withLock { $0.refreshCount } }
    /// The tokens that were used for a second refresh.
    var reused: [NumberedToken] { state.withLock { $0.reused } }
    var newest: NumberedToken { state.withLock { $0.newest } }

    /// Refuses the newest access token from now on.
    func revoke() { state.withLock { $0.isRevoked = true } }

    /// Issues a token for a new login.
    func login() -> NumberedToken {
        state.withLock { state in
            state.loginCount += 1
            state.newest = NumberedToken(login: state.loginCount)
            state.isRevoked = false
            return state.newest
        }
    }

    func accepts(_ text: String?) -> Bool {
        state.withLock { !$0.isRevoked && text == NumberedTokens.text($0.newest) }
    }

    func refresh(_ token: NumberedToken) -> NumberedToken {
        state.withLock { state in
            if !state.used.insert(token).inserted { state.reused.append(token) }
            state.refreshCount += 1
            state.newest = NumberedToken(login: token.login, number: token.number + 1)
            state.isRevoked = false
            return state.newest
        }
    }
}

struct NumberedTokens: RequestAuthenticator {
    var allowsRepeatedRefresh = false
    var expiry: @Sendable (NumberedToken) -> Date? = { _ in nil }
    let renew: @Sendable (NumberedToken) async throws -> NumberedToken

    static func text(_ token: NumberedToken) -> String { "secret-\(token.login)-\(token.number)" }

    func apply(_ token: NumberedToken, to request: inout URLRequest) {
        request.setValue(Self.text(token), forHTTPHeaderField: "Authorization")
    }

    func expirationDate(of token: NumberedToken) -> Date? { expiry(token) }

    func refresh(_ token: NumberedToken, after refusal: InterceptedResponse?) async throws -> NumberedToken {
        try await renew(token)
    }
}

/// A process with its own way to a store, which a test interrupts.
final class ProcessStore: SharedStore {
    typealias Fault = @Sendable (InMemorySharedStore.Operation) -> InMemorySharedStore.Fault?

    private let base: InMemorySharedStore
    private let stored = Mutex<Hook>(Hook())
    let steps = Recorder<InMemorySharedStore.Operation>()

    /// A closure in a structure, which a mutex stores without a wrapper.
    private struct Hook {
        var fault: Fault = { _ in nil }
    }

    init(_ base: InMemorySharedStore) { self.base = base }

    var description: String { "the test's store" }

    func setFault(_ fault: @escaping Fault) { stored.withLock { $0.fault = fault } }

    private func perform<Value: Sendable>(
        _ operation: InMemorySharedStore.Operation,
        _ body: () async throws -> Value
    ) async throws -> Value {
        steps.record(operation)
        switch stored.withLock({ $0 }).fault(operation) {
        case .failed(let error): throw error
        case .lost(let error):
            _ = try await body()
            throw error
        // Not even a cancellation ends the step.
        case .held(let gate, _): await Task.detached { await gate.wait() }.value
        case .delayed, nil: break
        }
        return try await body()
    }

    func value(for key: String) async throws -> SharedValue? {
        try await perform(.value) { try await base.value(for: key) }
    }

    func replaceValue(
        for key: String,
        version: SharedValue.Version?,
        with data: Data?,
        lifetime: Duration?
    ) async throws -> Bool {
        try await perform(.replaceValue) {
            try await base.replaceValue(for: key, version: version, with: data, lifetime: lifetime)
        }
    }

    func takeToken(for key: String, from bucket: SharedBucket, within limit: Duration) async throws -> Duration {
        try await base.takeToken(for: key, from: bucket, within: limit)
    }

    func acquireLease(for key: String, duration: Duration) async throws -> SharedLease.Attempt {
        try await perform(.acquireLease) { try await base.acquireLease(for: key, duration: duration) }
    }

    func renew(_ lease: SharedLease, duration: Duration) async throws -> Bool {
        try await perform(.renewLease) { try await base.renew(lease, duration: duration) }
    }

    func release(_ lease: SharedLease) async throws {
        try await perform(.releaseLease) { try await base.release(lease) }
    }
}

/// A process that shares a token: an interceptor, its way to the store, and its calls.
struct SharingProcess: Sendable {
    let store: ProcessStore
    let login: AuthenticationInterceptor<NumberedToken>
    let server: SingleUseServer
    let clock: any Clock<Duration>
    /// The reasons in the events of failures of the store.
    let events = Recorder<String>()

    init(
        _ token: NumberedToken?,
        _ base: InMemorySharedStore,
        _ server: SingleUseServer,
        _ tokens: NumberedTokens? = nil,
        clock: any Clock<Duration> = FastClock(),
        timeout: Duration = .seconds(1000),
        date: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        store = ProcessStore(base)
        self.server = server
        self.clock = clock
        var sharing = CredentialSharing<NumberedToken>(store, key: "login", timeout: timeout)
        sharing.clock = clock
        login = AuthenticationInterceptor(
            token,
            authenticator: tokens ?? NumberedTokens { server.refresh($0) },
            refreshWindow: .seconds(30),
            sharing: sharing,
            urls: [try Self.apiURL],
            date: date
        )
    }

    private static var apiURL: URL {
        get throws { try #require(URL(string: "https://api.test/")) }
    }

    /// Makes a call.
    /// - Returns: The status of the server: 200 or 401.
    func call() async throws -> Int? {
        var context = RequestContext(clock: clock)
        context.note = { [events] note in
            if case .sharedStore(let reason) = note { events.record(reason) }
        }
        let request = URLRequest(url: try Self.apiURL)
        return try await login.intercept(request, context: context) { [server] request in
            let isAccepted = server.accepts(request.value(forHTTPHeaderField: "Authorization"))
            let head = try httpResponse(isAccepted ? 200 : 401, url: "https://api.test/")
            return InterceptedResponse(request: request, response: head)
        }.statusCode
    }

    /// Makes a call that fails, and returns its error.
    func failure() async -> LarkspurError? {
        do {
            _ = try await call()
            return nil
        } catch {
            return error as? LarkspurError
        }
    }
}

/// A clock on which time passes a hundred times as fast.
struct FastClock: Clock {
    typealias Instant = ContinuousClock.Instant

    private let start = ContinuousClock.now
    private static let factor = 100

    var now: Instant { start.advanced(by: start.duration(to: .now) * Self.factor) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let rest = now.duration(to: deadline)
        guard rest > .zero else { return }
        guard await ContinuousClock().wait(for: rest / Self.factor) else { throw CancellationError() }
    }
}
