internal import HTTPSyntax
import Synchronization

/// An interceptor that adds a credential to requests, and refreshes it when it expires or is refused.
///
///     let login = AuthenticationInterceptor(credential, authenticator: authenticator, for: baseURL)
///     manager.interceptors.call = [login, .retry()]
///
/// All requests share one refresh: those whose credential has expired wait for it, and those that were sent with the
/// old credential and are refused are sent again with the new one. A request whose content cannot be sent again is not;
/// the refusal is its response, and so it is if the new credential is refused too.
///
/// If a refresh fails, the calls that wait for it, and those that were sent before, fail with the code
/// `credentialRefreshFailed`. The next call refreshes again. The cancellation of a call that waits does not end the
/// refresh.
///
/// The credential is sent only to the given origins (scheme, host and port): a redirect to another one is followed
/// without the fields that the authenticator has set. Set the interceptor outside a ``RetryPolicy`` or inside it, in
/// either order.
public final class AuthenticationInterceptor<Credential: Sendable>: RequestInterceptor {
    /// A credential at the time of its use.
    private struct Use: Sendable {
        let credential: Credential
        /// The number of credentials before it.
        let version: Int
        /// The number of refreshes that had ended.
        let refreshCount: Int
    }

    private struct State {
        var credential: Credential?
        var version = 0
        /// The date at which the credential was refreshed; nil for one that was set.
        var refreshDate: Date?
        var refreshCount = 0
        /// The error of the last refresh, and its number.
        var failure: (number: Int, error: LarkspurError)?
        var refresh: SharedResult<Void>?
        /// The names of the fields that the authenticator has set.
        var fields: Set<String> = []

        var use: Use? { credential.map { Use(credential: $0, version: version, refreshCount: refreshCount) } }

        /// Replaces the credential, and returns the old one, whose release may call foreign code.
        mutating func replace(by new: Credential?, refreshDate: Date? = nil) -> Credential? {
            version += 1
            self.refreshDate = refreshDate
            return exchange(&credential, with: new)
        }

        /// Returns the step of a request whose credential has expired or was refused.
        mutating func step(after use: Use) -> Step {
            guard credential != nil, version == use.version else { return .use(self.use) }
            if let failure, failure.number > use.refreshCount { return .fail(failure.error) }
            if let refresh { return .wait(refresh) }
            let result = SharedResult<Void>()
            refresh = result
            return .refresh(result, use)
        }
    }

    private enum Step {
        /// The credential has been replaced, or removed.
        case use(Use?)
        case fail(LarkspurError)
        case wait(SharedResult<Void>)
        case refresh(SharedResult<Void>, Use)
    }

    private let authenticator: any RequestAuthenticator<Credential>
    private let origins: Set<Origin>
    private let window: Duration
    private let date: @Sendable () -> Date
    private let state: Mutex<State>

    /// Creates an interceptor.
    /// - Parameters:
    ///   - credential: The credential; nil if there is none yet, so that requests are sent without it.
    ///   - authenticator: The rules of the credential.
    ///   - refreshWindow: The time before its expiry at which the credential is refreshed, at most half of its
    ///     lifetime. Default: 30 seconds.
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
    init(
        _ credential: Credential?,
        authenticator: some RequestAuthenticator<Credential>,
        refreshWindow: Duration,
        urls: [URL],
        date: @escaping @Sendable () -> Date
    ) {
        self.authenticator = authenticator
        origins = Set(urls.compactMap(Origin.init))
        window = refreshWindow
        self.date = date
        state = Mutex(State(credential: credential))
    }

    /// The present credential; nil if there is none. Set it after a login, or to nil after a logout. A refresh under
    /// way does not replace a credential that was set in the meantime.
    public var credential: Credential? {
        get { state.withLock { $0.credential } }
        set { _ = state.withLock { $0.replace(by: newValue) } }
    }

    /// The number of calls that wait for a refresh.
    var waiterCount: Int { state.withLock { $0.refresh }?.waiterCount ?? 0 }

    /// Sends a request with the credential, and once more if it is refused.
    /// - Throws: The error of the attempt; `credentialRefreshFailed`; a `CancellationError` if the call is cancelled
    ///   while it waits for a refresh.
    public func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        guard isOwn(request.url), !RefreshScope.interceptors.contains(ObjectIdentifier(self)),
            let use = try await presentUse()
        else { return try await next(request) }
        let response = try await next(applying(use, to: request, context))
        // The response of another origin, after a redirect, is none to this credential.
        guard isOwn(response.response?.url), authenticator.isRefused(response), context.canReplayContent,
            !context.hasDeliveredContent, !Task.isCancelled
        else { return response }
        let newUse: Use?
        do {
            newUse = try await refreshedUse(after: use)
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

    /// Returns a request with the credential, whose fields no other origin gets.
    private func applying(_ use: Use, to request: URLRequest, _ context: RequestContext) -> URLRequest {
        var authenticated = request
        authenticator.apply(use.credential, to: &authenticated)
        let fields = authenticated.allHTTPHeaderFields ?? [:]
        let changed = fields.filter { $0.value != request.value(forHTTPHeaderField: $0.key) }
        // The authenticator may set a value that a request has already.
        let own = state.withLock { state in
            state.fields.formUnion(changed.keys)
            return state.fields
        }
        context.withholdFromOtherOrigins(Array(own))
        return authenticated
    }

    // MARK: Refresh

    /// Returns the credential, which is refreshed if it is about to expire. If that fails, the old one is used until it
    /// has expired.
    private func presentUse() async throws -> Use? {
        let (use, refreshDate) = state.withLock { ($0.use, $0.refreshDate) }
        guard let use, let expiry = authenticator.expirationDate(of: use.credential) else { return use }
        var window = window.timeInterval
        if let refreshDate { window = min(window, max(0, expiry.timeIntervalSince(refreshDate)) / 2) }
        guard date() >= expiry - window else { return use }
        do {
            return try await refreshedUse(after: use)
        } catch let error as LarkspurError {
            guard date() < expiry else { throw error }
            return use
        }
    }

    /// Returns a newer credential than one that was used, or else the result of a refresh.
    /// - Returns: Nil if there is no credential any more.
    private func refreshedUse(after use: Use) async throws -> Use? {
        switch state.withLock({ $0.step(after: use) }) {
        case .use(let newer): return newer
        case .fail(let error): throw error
        case .wait(let result): try await result.value()
        case .refresh(let result, let use):
            // The task is not that of the caller, whose cancellation or deadline would end the refresh for the others.
            let scope = RefreshScope.interceptors.union([ObjectIdentifier(self)])
            Task.detached { await self.refresh(use, result, scope) }
            try await result.value()
        }
        return state.withLock { $0.use }
    }

    /// - Parameter scope: The interceptors for which credentials are being refreshed, this one included.
    private func refresh(_ use: Use, _ shared: SharedResult<Void>, _ scope: Set<ObjectIdentifier>) async {
        let result: Result<Credential, any Error>
        do {
            result = .success(
                try await RefreshScope.$interceptors.withValue(scope) {
                    try await authenticator.refresh(use.credential)
                }
            )
        } catch {
            result = .failure(error)
        }
        let now = date()
        let (replaced, failure) = state.withLock { state -> (Credential?, LarkspurError?) in
            state.refresh = nil
            state.refreshCount += 1
            // A credential that was set in the meantime is newer.
            guard state.version == use.version else { return (nil, nil) }
            switch result {
            case .success(let credential): return (state.replace(by: credential, refreshDate: now), nil)
            case .failure(let error):
                let failure = LarkspurError(refresh: error)
                state.failure = (state.refreshCount, failure)
                return (nil, failure)
            }
        }
        withExtendedLifetime(replaced) {}
        shared.finish(with: failure.map { .failure($0) } ?? .success(()))
    }
}

/// The interceptors for which the present task refreshes a credential, so that its requests do not wait for themselves.
enum RefreshScope {
    @TaskLocal static var interceptors: Set<ObjectIdentifier> = []
    /// Whether the present task refreshes a credential.
    static var isActive: Bool { !interceptors.isEmpty }
}

extension LarkspurError {
    fileprivate init(refresh error: any Error) {
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
    /// Returns an interceptor that adds a credential to requests, and refreshes it when it expires or is refused.
    /// - Parameters:
    ///   - credential: The credential; nil if there is none yet, so that requests are sent without it.
    ///   - authenticator: The rules of the credential.
    ///   - refreshWindow: The time before its expiry at which the credential is refreshed, at most half of its
    ///     lifetime. Default: 30 seconds.
    ///   - url: The URL to whose origin the credential is sent, such as the base URL of the session manager.
    public static func authentication<Credential>(
        _ credential: Credential?,
        authenticator: some RequestAuthenticator<Credential>,
        refreshWindow: Duration = .seconds(30),
        for url: URL
    ) -> Self where Self == AuthenticationInterceptor<Credential> {
        AuthenticationInterceptor(credential, authenticator: authenticator, refreshWindow: refreshWindow, for: url)
    }
}
