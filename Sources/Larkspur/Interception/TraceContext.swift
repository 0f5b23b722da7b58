import HTTPSyntax

/// An interceptor that adds the field `traceparent` to requests (W3C Trace Context). With it, a tracing system connects
/// the work of servers with the call.
///
///     manager.interceptors.attempt = [.traceContext()]
///
/// All attempts of a call have the same trace identifier, and each attempt has a separate span identifier. For this,
/// set the interceptor for attempts. A request that already has the field is not changed.
struct TraceContext: RequestInterceptor {
    private let isSampled: Bool

    /// Creates an interceptor.
    /// - Parameter isSampled: Whether the flag `sampled` is set. It means that the caller may have recorded the trace.
    ///   Default: true.
    init(isSampled: Bool = true) { self.isSampled = isSampled }

    /// Sends a request with the field `traceparent`.
    /// - Throws: The error of the attempt.
    func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        guard request.value(forHTTPHeaderField: "traceparent") == nil else { return try await next(request) }
        var request = request
        let trace = String(context.callID.uuidString.inLowercase.unicodeScalars.filter { $0 != "-" })
        // The specification forbids an identifier that consists of zeros.
        let span = String(UInt64.random(in: 1 ... .max), radix: 16)
        let digits = String(repeating: "0", count: 16 - span.count) + span
        request.setValue("00-\(trace)-\(digits)-\(isSampled ? "01" : "00")", forHTTPHeaderField: "traceparent")
        return try await next(request)
    }
}

extension RequestInterceptor where Self == ClosureInterceptor {
    /// Returns an interceptor that adds the field `traceparent` to requests (W3C Trace Context).
    /// - Parameter isSampled: Whether the flag `sampled` is set. It means that the caller may have recorded the trace.
    ///   Default: true.
    public static func traceContext(isSampled: Bool = true) -> ClosureInterceptor {
        ClosureInterceptor(TraceContext(isSampled: isSampled))
    }
}
