public import Larkspur
internal import Tracing

/// An interceptor that records a span around a request, with the attributes of OpenTelemetry's conventions for HTTP
/// clients, and sends the span's context with the request.
///
///     manager.interceptors.attempt = [.tracing()]
///
/// As an interceptor of attempts it records one span for each, as the conventions ask for: each retry has a span with
/// the attribute `http.request.resend_count`. As an interceptor of calls it records one span for the call with all its
/// attempts, and as both, the spans of the attempts are children of that of the call. Redirects have no spans of their
/// own. A span ends when the content of the response has arrived.
///
/// The parent is the current `ServiceContext` of the Swift task that started the call. The tracer of the program
/// chooses the fields that carry the context, as a rule `traceparent` (W3C Trace Context).
public struct TracingInterceptor: RequestInterceptor {
    /// Creates an interceptor.
    public init() {}

    /// Sends a request with the fields of a new span.
    /// - Throws: The error of the attempt, which the span records.
    public func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        let earlierAttempts = context.attempts
        return try await withSpan(request.httpMethod ?? "GET", ofKind: .client) { span in
            var request = request
            InstrumentationSystem.instrument.inject(span.context, into: &request, using: FieldInjector())
            span.updateAttributes { $0.describe(request, resent: earlierAttempts) }
            do {
                let response = try await next(request)
                span.describe(response)
                return response
            } catch {
                span.attributes["error.type"] = (error as? LarkspurError)?.label ?? "\(type(of: error))"
                throw error
            }
        }
    }
}

extension RequestInterceptor where Self == TracingInterceptor {
    /// Returns an interceptor that records a span around a request.
    public static func tracing() -> TracingInterceptor { TracingInterceptor() }
}

/// The rule by which a tracer writes a context into a request: each value is a field.
private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into request: inout URLRequest) {
        request.setValue(value, forHTTPHeaderField: key)
    }
}

extension SpanAttributes {
    fileprivate mutating func describe(_ request: URLRequest, resent count: Int) {
        self["http.request.method"] = request.httpMethod ?? "GET"
        if count > 0 { self["http.request.resend_count"] = count }
        guard let url = request.url else { return }
        self["url.full"] = Redaction.standard.text(of: url)
        self["server.address"] = url.host(percentEncoded: false)
        self["server.port"] = url.port ?? (url.scheme == "https" ? 443 : 80)
    }
}

extension Span {
    fileprivate func describe(_ response: InterceptedResponse) {
        guard let status = response.statusCode else { return }
        attributes["http.response.status_code"] = status
        guard status >= 400 else { return }
        attributes["error.type"] = String(status)
        setStatus(SpanStatus(code: .error))
    }
}
