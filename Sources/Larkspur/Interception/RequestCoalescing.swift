import Synchronization

/// An interceptor by which equal requests under way share one attempt.
///
///     manager.interceptors.call = [login, .coalescing()]
///
/// Set it after interceptors that add credentials, so that the requests of different users differ. Requests are equal
/// if their method, URL, fields, timeout and cache policy are, and their session manager is. Only those of `methods`
/// without content share an attempt, and only calls whose content is collected in memory: neither downloads nor
/// streams. A call with hooks of its own, such as a credential or a rule for redirects, or with later interceptors of
/// its own shares none. A response is shared while its attempt is under way, and is not stored. If the call with the
/// attempt is cancelled or suspended, one of the others sends the request again; a call that waits and is cancelled
/// ends at once.
public final class RequestCoalescing: RequestInterceptor {
    private struct Key: Hashable {
        let sender: ObjectIdentifier?
        let method: String
        let url: URL?
        let fields: [String: String]
        let cachePolicy: URLRequest.CachePolicy
        let handlesCookies: Bool
        let timeout: TimeInterval
    }

    private let methods: Set<HTTPMethod>
    private let underWay = Mutex<[Key: SharedResult<InterceptedResponse>]>([:])

    /// Creates an interceptor.
    /// - Parameter methods: The methods whose requests share attempts. Default: GET.
    public init(methods: Set<HTTPMethod> = [.get]) { self.methods = methods }

    /// The number of calls that wait for the attempt of another one.
    var waiterCount: Int { underWay.withLock { Array($0.values) }.reduce(0) { $0 + $1.waiterCount } }

    /// Sends a request, or waits for the response to an equal one.
    /// - Throws: The error of the attempt; a `CancellationError` if the call is cancelled while it waits.
    public func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        let method = request.httpMethod ?? "GET"
        guard context.collectsContent, !context.isPersonal, !Lead.interceptors.contains(ObjectIdentifier(self)),
            methods.contains(HTTPMethod(rawValue: method)), request.httpBody == nil, request.httpBodyStream == nil
        else { return try await next(request) }
        let key = Key(
            sender: context.sender,
            method: method,
            url: request.url,
            fields: request.allHTTPHeaderFields ?? [:],
            cachePolicy: request.cachePolicy,
            handlesCookies: request.httpShouldHandleCookies,
            timeout: request.timeoutInterval
        )
        while true {
            let own = SharedResult<InterceptedResponse>()
            let other = underWay.withLock { underWay -> SharedResult<InterceptedResponse>? in
                if let other = underWay[key] { return other }
                underWay[key] = own
                return nil
            }
            guard let other else { return try await lead(request, context, key, own, next) }
            context.note(.coalesced)
            do {
                return try await other.value()
            } catch is LeaderLoss {
                // The call with the attempt was cancelled or suspended, not this one.
                try Task.checkCancellation()
            }
        }
    }

    private func lead(
        _ request: URLRequest,
        _ context: RequestContext,
        _ key: Key,
        _ shared: SharedResult<InterceptedResponse>,
        _ next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        // The others do not wait for a call that may never go on. Its attempt is its own from then on.
        context.onSuspension(ObjectIdentifier(shared)) { [self] in finish(shared, key, with: .failure(LeaderLoss())) }
        defer { context.onSuspension(ObjectIdentifier(shared), nil) }
        let result: Result<InterceptedResponse, any Error>
        do {
            let leads = Lead.interceptors.union([ObjectIdentifier(self)])
            result = .success(try await Lead.$interceptors.withValue(leads) { try await next(request) })
        } catch {
            result = .failure(error)
        }
        finish(shared, key, with: Task.isCancelled ? .failure(LeaderLoss()) : result)
        return try result.get()
    }

    /// Ends the wait of the others, once.
    private func finish(
        _ shared: SharedResult<InterceptedResponse>,
        _ key: Key,
        with result: Result<InterceptedResponse, any Error>
    ) {
        let isFirst = underWay.withLock { underWay in
            guard underWay[key] === shared else { return false }
            underWay[key] = nil
            return true
        }
        if isFirst { shared.finish(with: result) }
    }
}

/// The interceptors for which the present task has the attempt, so that its requests do not wait for themselves.
private enum Lead {
    @TaskLocal static var interceptors: Set<ObjectIdentifier> = []
}

/// The error of those that wait for a call that was cancelled or suspended.
private struct LeaderLoss: Error {}

extension RequestInterceptor where Self == RequestCoalescing {
    /// Returns an interceptor by which equal requests under way share one attempt.
    /// - Parameter methods: The methods whose requests share attempts. Default: GET.
    public static func coalescing(methods: Set<HTTPMethod> = [.get]) -> RequestCoalescing {
        RequestCoalescing(methods: methods)
    }
}
