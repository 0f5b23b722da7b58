internal import HTTPSyntax
import Synchronization

/// An interceptor that adds a credential to requests, and refreshes it when it expires or a server refuses it.
///
///     let login = AuthenticationInterceptor(credential, authenticator: authenticator, for: baseURL)
///     manager.interceptors.call = [login, .retry()]
///
/// All requests share one refresh. A request whose credential has expired waits for the refresh. A request that was
/// sent with the old credential and refused is sent again with the new credential. If the content of a request cannot
/// be sent again, the refusal is its response. If the new credential is refused too, the second refusal is the
/// response.
///
/// If a refresh fails, two groups of calls fail with the code `credentialRefreshFailed`: the calls that wait for the
/// refresh, and the calls that were sent with the old credential and are refused. A call whose credential has not
/// expired yet is sent with that credential instead. The next call refreshes again. If a waiting call is cancelled, the
/// refresh continues.
///
/// The credential is sent only to the given origins (scheme, host and port). A redirect to another origin is followed
/// without the fields that the authenticator has set. The interceptor may surround a ``RetryPolicy`` or stand inside
/// it.
public final class AuthenticationInterceptor<Credential: Sendable>: RequestInterceptor {
    /// A credential, and the state of the interceptor when a request took it.
    struct Use: Sendable {
        let credential: Credential
        /// The number of times that the credential had been replaced.
        let version: Int
        /// The number of refreshes that had ended.
        let refreshCount: Int
    }

    struct State {
        var credential: Credential?
        var version = 0
        /// The date of the refresh that led to the credential; nil for a credential that the program has set.
        var refreshDate: Date?
        var pastRefreshes = PastRefreshes()
        var refresh: SharedResult<Void>?
        /// The names of the fields that the authenticator has set.
        var fields: Set<TextKey> = []
        /// The use of the store; nil if the credential is not shared.
        var shared: SharedState?

        var use: Use? { credential.map { Use(credential: $0, version: version, refreshCount: pastRefreshes.count) } }

        /// Replaces the credential, and returns the old one. The caller releases the old credential outside the lock,
        /// because the deinitializer of a credential may run other code.
        mutating func replace(by new: Credential?, refreshDate: Date? = nil) -> Credential? {
            version += 1
            self.refreshDate = refreshDate
            return exchange(&credential, with: new)
        }

        /// Returns the next step of a request whose credential has expired or was refused.
        mutating func step(after use: Use) -> Step {
            guard credential != nil, version == use.version else { return .use(self.use) }
            // The request took its credential before the failed refresh ended. So the failure applies to this request,
            // too.
            if let error = pastRefreshes.failure(after: use.refreshCount) { return .fail(error) }
            if let refresh { return .wait(refresh) }
            let result = SharedResult<Void>()
            refresh = result
            return .refresh(result, use)
        }
    }

    /// The refreshes that have ended.
    struct PastRefreshes {
        private(set) var count = 0
        /// The error of the last one that has failed, and its number.
        private var failure: (number: Int, error: LarkspurError)?

        mutating func end() { count += 1 }

        /// Records the error of the refresh that has just ended.
        mutating func fail(with error: LarkspurError) { failure = (count, error) }

        /// Returns the error of the last failed refresh, if it ended when more refreshes had ended than a number.
        func failure(after count: Int) -> LarkspurError? {
            failure.flatMap { $0.number > count ? $0.error : nil }
        }
    }

    enum Step {
        /// The credential has been replaced, or removed.
        case use(Use?)
        case fail(LarkspurError)
        case wait(SharedResult<Void>)
        case refresh(SharedResult<Void>, Use)
    }

    let rules: CredentialRules<Credential>
    private let origins: Set<Origin>
    let state: Mutex<State>
    /// The store of the credential; nil if the credential is not shared.
    let sharing: CredentialSharing<Credential>?

    /// Creates an interceptor.
    /// - Parameters:
    ///   - credential: The credential; nil if there is none yet. Requests are then sent without a credential.
    ///   - authenticator: The rules of the credential.
    ///   - refreshWindow: The credential is refreshed when it expires within this time. For a credential from a
    ///     refresh, the time is at most half of the time from that refresh to the expiry. Default: 30 seconds.
    ///   - urls: The URLs to whose origins the credential is sent, such as the base URL of the session manager.
    public convenience init(
        _ credential: Credential?,
        authenticator: some RequestAuthenticator<Credential>,
        refreshWindow: Duration = .seconds(30),
        for urls: URL...
    ) {
        self.init(credential, authenticator: authenticator, refreshWindow: refreshWindow, urls: urls) { Date() }
    }

    /// - Parameter date: The source of the present date.
    package convenience init(
        _ credential: Credential?,
        authenticator: some RequestAuthenticator<Credential>,
        refreshWindow: Duration,
        urls: [URL],
        date: @escaping @Sendable () -> Date
    ) {
        self.init(
            credential,
            authenticator: authenticator,
            refreshWindow: refreshWindow,
            sharing: nil,
            urls: urls,
            date: date
        )
    }

    /// - Parameters:
    ///   - sharing: The store of the credential; nil if the credential is not shared.
    ///   - date: The source of the present date.
    init(
        _ credential: Credential?,
        authenticator: some RequestAuthenticator<Credential>,
        refreshWindow: Duration,
        sharing: CredentialSharing<Credential>?,
        urls: [URL],
        date: @escaping @Sendable () -> Date
    ) {
        rules = CredentialRules(authenticator: authenticator, window: refreshWindow, date: date)
        origins = Set(urls.compactMap(Origin.init))
        self.sharing = sharing
        let shared = sharing.map { sharing in
            SharedState(copy: CredentialCopy(initial: credential.map { sharing.record(of: $0) }))
        }
        state = Mutex(State(credential: credential, shared: shared))
    }

    /// The current credential; nil if there is none. Set it after a login, and to nil after a logout. A credential that
    /// is set during a refresh stays: the result of that refresh is ignored.
    ///
    /// A credential that is shared through a store replaces that of the store shortly afterwards:
    /// ``setCredential(_:)`` also waits for the store. Other processes use it when they next read the store. The
    /// property does not read the store: if the interceptor was created without a credential, it is nil until the first
    /// request.
    public var credential: Credential? {
        get { state.withLock { $0.credential } }
        set {
            if let sharing {
                replaceShared(by: newValue, sharing)
                startSaving(sharing)
            } else {
                _ = state.withLock { $0.replace(by: newValue) }
            }
        }
    }

    /// The number of calls that wait for a refresh.
    var waiterCount: Int { state.withLock { $0.refresh }?.waiterCount ?? 0 }

    /// Sends a request with the credential. If the server refuses the credential, sends the request once more with a
    /// new credential.
    /// - Throws: The error of the attempt; `credentialRefreshFailed`; a `CancellationError` if the call is cancelled
    ///   while it waits for a refresh.
    public func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        // A request of the refresh itself must not wait for that refresh.
        guard isOwn(request.url), !RefreshScope.interceptors.contains(ObjectIdentifier(self)),
            let use = try await presentUse(context)
        else { return try await next(request) }
        let response = try await next(applying(use, to: request, context))
        // After a redirect to another origin, the response does not concern this credential.
        guard isOwn(response.response?.url), rules.authenticator.isRefused(response), context.canRepeatBody,
            !context.hasDeliveredContent, !Task.isCancelled
        else { return response }
        let newUse: Use?
        do {
            newUse = try await newerUse(than: use, after: response, context)
        } catch let error as LarkspurError {
            throw error.filled(
                request: response.request,
                response: response.response,
                responseData: response.data
            )
        }
        guard let newUse else { return response }
        return try await next(applying(newUse, to: request, context))
    }

    private func isOwn(_ url: URL?) -> Bool { url.flatMap(Origin.init).map(origins.contains) ?? false }

    /// Returns the request with the credential. Redirects to other origins omit the fields that the authenticator sets.
    private func applying(_ use: Use, to request: URLRequest, _ context: RequestContext) -> URLRequest {
        var authenticated = request
        rules.authenticator.apply(use.credential, to: &authenticated)
        let fields = authenticated.allHTTPHeaderFields ?? [:]
        let changed = fields.filter { $0.value != request.value(forHTTPHeaderField: $0.key) }
        // If the request already has the value, the field is not in `changed`. So the names from earlier requests are
        // used, too.
        let own = state.withLock { state in
            state.fields.formUnion(changed.keys)
            return state.fields
        }
        context.withholdFromOtherOrigins(own.map(\.text))
        return authenticated
    }

    // MARK: Refresh

    /// Returns the credential, and refreshes it first if it is about to expire. If the refresh fails and the old
    /// credential has not expired yet, returns the old credential.
    private func presentUse(_ context: RequestContext) async throws -> Use? {
        if let sharing { return try await presentSharedUse(sharing, context) }
        let (use, refreshDate) = state.withLock { ($0.use, $0.refreshDate) }
        guard let use, let expiry = rules.dueExpiry(of: use.credential, from: refreshDate) else { return use }
        do {
            return try await newerUse(than: use, after: nil, context)
        } catch let error as LarkspurError {
            guard rules.date() < expiry else { throw error }
            return use
        }
    }

    /// Returns the credential that has replaced the credential of a request. If it was not replaced yet, refreshes it,
    /// or waits for the refresh under way.
    /// - Parameter refusal: The response that refused the request's credential; nil if the credential has expired.
    /// - Returns: The newer credential; nil if the credential was removed.
    private func newerUse(
        than use: Use,
        after refusal: InterceptedResponse?,
        _ context: RequestContext
    ) async throws -> Use? {
        if let sharing { return try await newerSharedUse(than: use, after: refusal, sharing, context) }
        switch state.withLock({ $0.step(after: use) }) {
        case .use(let newer): return newer
        case .fail(let error): throw error
        case .wait(let result): try await result.value()
        case .refresh(let result, let use):
            // The task is detached. Otherwise the caller's cancellation or deadline would end the refresh for all
            // callers. A detached task does not inherit task-local values, so the scope is passed on.
            let scope = RefreshScope.interceptors.union([ObjectIdentifier(self)])
            Task.detached { await self.refresh(use, after: refusal, result, scope) }
            try await result.value()
        }
        return state.withLock { $0.use }
    }

    /// - Parameter scope: The interceptors for which credentials are being refreshed, including this interceptor.
    private func refresh(
        _ use: Use,
        after refusal: InterceptedResponse?,
        _ shared: SharedResult<Void>,
        _ scope: Set<ObjectIdentifier>
    ) async {
        let result: Result<Credential, any Error>
        do {
            result = .success(
                try await RefreshScope.$interceptors.withValue(scope) {
                    try await rules.authenticator.refresh(use.credential, after: refusal)
                }
            )
        } catch {
            result = .failure(error)
        }
        let now = rules.date()
        let (replaced, failure) = state.withLock { state -> (Credential?, LarkspurError?) in
            state.refresh = nil
            state.pastRefreshes.end()
            // A credential that was set in the meantime is newer.
            guard state.version == use.version else { return (nil, nil) }
            switch result {
            case .success(let credential): return (state.replace(by: credential, refreshDate: now), nil)
            case .failure(let error):
                let failure = LarkspurError(refresh: error)
                state.pastRefreshes.fail(with: failure)
                return (nil, failure)
            }
        }
        // Releases the old credential here, outside the lock.
        withExtendedLifetime(replaced) {}
        shared.finish(with: failure.map { .failure($0) } ?? .success(()))
    }
}

/// The interceptors whose credential the current task refreshes. The requests of the refresh are sent without the
/// credential, because otherwise they would wait for the refresh itself.
enum RefreshScope {
    @TaskLocal static var interceptors: Set<ObjectIdentifier> = []
    /// Whether the current task refreshes a credential.
    static var isActive: Bool { !interceptors.isEmpty }
}

extension LarkspurError {
    init(refresh error: any Error) {
        if let error = error as? LarkspurError, error.code == .credentialRefreshFailed {
            self = error
        } else {
            self.init(
                .credentialRefreshFailed,
                "The credential could not be refreshed: \(SerializationFailure.reason(error).withoutFullStop).",
                underlyingError: error
            )
        }
    }
}

extension RequestInterceptor {
    /// Returns an interceptor that adds a credential to requests, and refreshes it when it expires or a server refuses
    /// it.
    /// - Parameters:
    ///   - credential: The credential; nil if there is none yet. Requests are then sent without a credential.
    ///   - authenticator: The rules of the credential.
    ///   - refreshWindow: The credential is refreshed when it expires within this time. For a credential from a
    ///     refresh, the time is at most half of the time from that refresh to the expiry. Default: 30 seconds.
    ///   - urls: The URLs to whose origins the credential is sent, such as the base URL of the session manager.
    public static func authentication<Credential>(
        _ credential: Credential?,
        authenticator: some RequestAuthenticator<Credential>,
        refreshWindow: Duration = .seconds(30),
        for urls: URL...
    ) -> Self where Self == AuthenticationInterceptor<Credential> {
        AuthenticationInterceptor(credential, authenticator: authenticator, refreshWindow: refreshWindow, urls: urls) {
            Date()
        }
    }
}
