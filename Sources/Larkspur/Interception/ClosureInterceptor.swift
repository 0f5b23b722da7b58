/// An interceptor that is a closure.
///
///     manager.interceptors.attempt = [
///         .custom { request, context, next in
///             let response = try await next(request)
///             print(request.url?.path ?? "", response.statusCode ?? 0)
///             return response
///         }
///     ]
public struct ClosureInterceptor: RequestInterceptor {
    /// A closure that handles a request, with the parameters of ``RequestInterceptor/intercept(_:context:next:)``.
    public typealias Body =
        @Sendable (URLRequest, RequestContext, RequestContext.Next) async throws -> InterceptedResponse

    private let body: Body

    /// Creates an interceptor.
    /// - Parameter body: Handles a request, as a rule by calling its third parameter. Called on an arbitrary thread,
    ///   concurrently for different requests.
    public init(_ body: @escaping Body) { self.body = body }

    /// Calls the closure.
    /// - Throws: The error of the closure.
    public func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        try await body(request, context, next)
    }
}

extension RequestInterceptor where Self == ClosureInterceptor {
    /// Returns an interceptor that is a closure.
    /// - Parameter body: Handles a request, as a rule by calling its third parameter. Called on an arbitrary thread,
    ///   concurrently for different requests.
    public static func custom(_ body: @escaping ClosureInterceptor.Body) -> ClosureInterceptor {
        ClosureInterceptor(body)
    }

    /// Returns an interceptor that changes requests before they are sent.
    ///
    ///     manager.interceptors.attempt = [.adapting { $0.headers["Signature"] = sign($0) }]
    ///
    /// A field whose value breaks the line is the error `invalidHeaderField` if it is set by `headers`. The method
    /// `setValue(_:forHTTPHeaderField:)` of `URLRequest` drops it.
    /// - Parameter change: Changes a request. An error that it throws ends the call. Called on an arbitrary thread,
    ///   concurrently for different requests.
    public static func adapting(
        _ change: @escaping @Sendable (inout URLRequest) async throws -> Void
    ) -> ClosureInterceptor {
        ClosureInterceptor { request, _, next in
            var request = request
            try await change(&request)
            return try await next(request)
        }
    }
}
