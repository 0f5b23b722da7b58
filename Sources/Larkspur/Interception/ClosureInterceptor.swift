/// An interceptor that calls a closure. Most ready interceptors are of this type.
///
///     manager.interceptors.attempt = [
///         .custom { request, context, next in
///             let response = try await next(request)
///             print(request.url?.path ?? "", response.statusCode ?? 0)
///             return response
///         }
///     ]
public struct ClosureInterceptor: RequestInterceptor {
    /// A closure with the parameters and the result of ``RequestInterceptor/intercept(_:context:next:)``.
    public typealias Body =
        @Sendable (URLRequest, RequestContext, RequestContext.Next) async throws -> InterceptedResponse

    private let body: Body

    /// Creates an interceptor.
    /// - Parameter body: A closure that handles a request, usually by calling its third parameter. It is called on an
    ///   arbitrary thread, and concurrently for different requests.
    public init(_ body: @escaping Body) { self.body = body }

    /// Creates an interceptor that calls one of the ready interceptors, whose types are not public.
    init(_ interceptor: some RequestInterceptor) { body = interceptor.intercept }

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
    /// Returns an interceptor that calls a closure.
    /// - Parameter body: A closure that handles a request, usually by calling its third parameter. It is called on an
    ///   arbitrary thread, and concurrently for different requests.
    public static func custom(_ body: @escaping ClosureInterceptor.Body) -> ClosureInterceptor {
        ClosureInterceptor(body)
    }

    /// Returns an interceptor that changes requests before they are sent.
    ///
    ///     manager.interceptors.attempt = [.adapting { $0.headers["Signature"] = sign($0) }]
    ///
    /// If a value that is set with `headers` contains a line break, the call fails with the error `invalidHeaderField`.
    /// The method `setValue(_:forHTTPHeaderField:)` of `URLRequest` drops such a value without an error.
    /// - Parameter change: A closure that changes a request. If the closure throws an error, the call fails with that
    ///   error. The closure is called on an arbitrary thread, and concurrently for different requests.
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
