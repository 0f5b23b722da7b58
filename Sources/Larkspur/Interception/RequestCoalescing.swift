import HTTPSyntax
import Synchronization

/// An interceptor that lets equal concurrent requests share one attempt.
///
///     manager.interceptors.call = [login, .coalescing()]
///
/// Set it after interceptors that add credentials, so that the requests of different users differ. Requests are equal
/// if they have the same session manager, method, URL, fields, timeout, cache policy and cookie handling.
///
/// A call shares an attempt only if its method is one of `methods`, its request has no content, and its response is
/// collected in memory: downloads and streams share no attempts. A call also shares no attempt if it has its own hooks,
/// such as a credential or a rule for redirects, or if later interceptors are set for this call only.
///
/// A response is shared while its attempt is under way, and is not stored. If the call that sends the request is
/// cancelled or suspended, one of the waiting calls sends the request again. If a waiting call is cancelled, it ends
/// immediately.
final class RequestCoalescing: RequestInterceptor {
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
    init(methods: Set<HTTPMethod> = [.get]) { self.methods = methods }

    /// The number of calls that wait for the attempt of another call.
    var waiterCount: Int { underWay.withLock { Array($0.values) }.reduce(0) { $0 + $1.waiterCount } }

    /// Sends a request, or waits for the response to an equal request.
    /// - Throws: The error of the attempt; a `CancellationError` if the call is cancelled while it waits.
    func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        let method = request.httpMethod ?? "GET"
        // A response that depends on other content or on hooks of the call is valid for this call only.
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
                // The call that sent the request was cancelled or suspended. Unless this call is cancelled too, it
                // tries again.
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
        // A suspended call may never continue, so the other calls stop waiting for it. From then on, the suspended call
        // does not share its attempt.
        context.onSuspension(ObjectIdentifier(shared)) { [self] in finish(shared, key, with: .failure(LeaderLoss())) }
        defer { context.onSuspension(ObjectIdentifier(shared), nil) }
        let result: Result<InterceptedResponse, any Error>
        do {
            let leads = Lead.interceptors.union([ObjectIdentifier(self)])
            result = .success(try await Lead.$interceptors.withValue(leads) { try await next(request) })
        } catch {
            result = .failure(error)
        }
        // A cancellation concerns only this call. One of the waiting calls sends the request again.
        finish(shared, key, with: Task.isCancelled ? .failure(LeaderLoss()) : result)
        return try result.get()
    }

    /// Passes the result to the waiting calls. Only the first call of the method has an effect.
    private func finish(
        _ shared: SharedResult<InterceptedResponse>,
        _ key: Key,
        with result: Result<InterceptedResponse, any Error>
    ) {
        let isFirst = underWay.withLock { underWay in
            // After a suspension, the key may already belong to another call.
            guard underWay[key] === shared else { return false }
            underWay[key] = nil
            return true
        }
        // Outside the lock, because it resumes the waiting calls.
        if isFirst { shared.finish(with: result) }
    }
}

/// The interceptors for which the current task sends the shared attempt. An equal request of the same task must not
/// wait for that attempt. Otherwise the two could wait for each other.
private enum Lead {
    @TaskLocal static var interceptors: Set<ObjectIdentifier> = []
}

/// The error that waiting calls get when the call that sends the request is cancelled or suspended.
private struct LeaderLoss: Error {}

extension RequestInterceptor where Self == ClosureInterceptor {
    /// Returns an interceptor that lets equal concurrent requests share one attempt.
    /// - Parameter methods: The methods whose requests share attempts. Default: GET.
    public static func coalescing(methods: Set<HTTPMethod> = [.get]) -> ClosureInterceptor {
        ClosureInterceptor(RequestCoalescing(methods: methods))
    }
}
