import HTTPSyntax
import Synchronization

/// A component that handles a request before it is sent, and the response after it has arrived. It surrounds the rest
/// of the chain: the later interceptors and the transfer.
///
/// An interceptor may change the request, send it more than once, read the response or replace it:
///
///     struct Logger: RequestInterceptor {
///         func intercept(
///             _ request: URLRequest,
///             context: RequestContext,
///             next: RequestContext.Next
///         ) async throws -> InterceptedResponse {
///             let response = try await next(request)
///             print(request.url?.path ?? "", response.statusCode ?? 0)
///             return response
///         }
///     }
///
/// ``SessionManager/interceptors`` sets interceptors for all calls, and ``SessionTask/intercept(with:)`` sets them for
/// one call. The first one is the outermost. Each interceptor is called on an arbitrary thread, and concurrently for
/// different requests.
public protocol RequestInterceptor: Sendable {
    /// Handles a request, usually by calling `next`.
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The facts about the call, and its clock.
    ///   - next: A closure that sends a request through the rest of the chain. After the closure has returned, the
    ///     interceptor may call it again for another attempt, but not twice at the same time. The closure returns a
    ///     response with any status. If there is no response, it throws ``LarkspurError``. If the Swift task that calls
    ///     the closure is cancelled, the attempt under way ends with the code `cancelled`.
    /// - Returns: The response that the call gets. It is validated and serialized afterwards.
    /// - Throws: The error that the call gets. ``LarkspurError`` is reported unchanged. A `CancellationError` is
    ///   reported with the code `cancelled`. Any other error is the `underlyingError` of an error with the code
    ///   `interceptionFailed`.
    func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse
}

/// The interceptors of a call.
///
/// The interceptors in ``call`` surround the whole call, and those in ``attempt`` surround each attempt. If an
/// interceptor of the call sends the request again, as ``RetryPolicy`` does, the interceptors of attempts run again.
public struct RequestInterceptors: Sendable {
    /// The interceptors that run once for each call. The first one is the outermost.
    public var call: [any RequestInterceptor]
    /// The interceptors that run once for each attempt. The first one is the outermost.
    public var attempt: [any RequestInterceptor]

    /// Creates interceptors.
    /// - Parameters:
    ///   - call: The interceptors that run once for each call. Default: none.
    ///   - attempt: The interceptors that run once for each attempt. Default: none.
    public init(call: [any RequestInterceptor] = [], attempt: [any RequestInterceptor] = []) {
        self.call = call
        self.attempt = attempt
    }

    /// Whether there is no interceptor.
    package var isEmpty: Bool { call.isEmpty && attempt.isEmpty }

    /// Returns all interceptors of a call, the outermost first.
    /// - Parameter own: The interceptors that are set for this call only.
    func chain(with own: RequestInterceptors) -> [any RequestInterceptor] {
        call + own.call + attempt + own.attempt
    }

    /// Returns the index in the chain of the last interceptor that is set for this call only; −1 if there is none.
    func lastIndex(of own: RequestInterceptors) -> Int {
        if !own.attempt.isEmpty { return call.count + own.call.count + attempt.count + own.attempt.count - 1 }
        return own.call.isEmpty ? -1 : call.count + own.call.count - 1
    }
}

/// The facts about a call that its interceptors need, and its clock.
public struct RequestContext: Sendable {
    /// A closure that sends a request through the rest of a chain.
    public typealias Next = @Sendable (URLRequest) async throws -> InterceptedResponse

    /// The clock for all delays. Default: the continuous clock.
    public let clock: any Clock<Duration>
    /// Whether the content of the request can be sent again. False for an `httpBodyStream`, and for a body that can be
    /// produced once and whose production has begun.
    public var canRepeatBody: Bool { repeatsBody && state().canBeginContent }
    private let repeatsBody: Bool
    /// Whether the content of the response is collected in memory. False for a download and for a stream.
    public let collectsContent: Bool
    /// The identifier of the call. It is random, and the same for all attempts of the call.
    public var callID: UUID { identity.id }
    /// The storage of ``callID``, which the events of the call share.
    var identity = CallIdentity()
    /// A closure that reports an action of an interceptor to the observers of the call. Tasks are in a higher layer, so
    /// an interceptor cannot post an event itself.
    var note: @Sendable (CallNote) -> Void = { _ in }
    /// A closure that sets or removes a handler of suspension. The handler is called once: when the task is suspended,
    /// or immediately if the task is suspended already. The first parameter identifies the owner of the handler.
    var onSuspension: @Sendable (ObjectIdentifier, (@Sendable () -> Void)?) -> Void = { _, _ in }
    /// Whether the result may depend on more than the request and the session manager: on content outside of the
    /// request, on hooks of this call, or on later interceptors that are set for this call only.
    var isPersonal = false
    /// Whether the content of the response is delivered in chunks while it arrives.
    package var deliversContent = false
    /// Whether the call has a credential for challenges (``CallOptions/credential``).
    package var hasCredential = false
    /// The identity of the session manager's sessions, which send the request.
    var sender: ObjectIdentifier?
    /// Whether the content of the request comes from a file or a stream.
    var sendsLargeBody = false
    /// The closure that returns whether the response of the last attempt was stored before, so that its fields say
    /// nothing about the present. Called after an attempt.
    var isStored: @Sendable () -> Bool = { false }
    /// The content that is not in the request; nil if the request has the content, or there is none.
    package var separateContent: SeparateContent?
    /// A closure that replaces the separate content in the next attempt.
    var sendCoded: @Sendable (BodyProducer) -> Void = { _ in }
    /// The operations of the call that a resumable upload uses; nil for other calls.
    var upload: UploadControl?
    /// A closure that records whether the next requests go where a response has led.
    var lead: @Sendable (Bool) -> Void = { _ in }
    private let withhold: @Sendable ([String]) -> Void
    private let state: @Sendable () -> State

    /// The facts that change during a call.
    struct State: Sendable {
        var attempts = 0
        var hasDeliveredContent = false
        /// Whether content that is produced has not been consumed by an earlier attempt.
        var canBeginContent = true
        /// The number of bytes of content that have arrived.
        var receivedBytes: Int64 = 0
        /// The number of bytes of the request's content that were sent, and the number of all; −1 if it is not known.
        /// For a resumable upload, the first number counts all attempts.
        var sentBytes: (Int64, total: Int64) = (0, -1)
        /// Whether a closure of the program is producing the request's content.
        var isProducing = false
        /// Whether the head of the current attempt's response has arrived.
        var hasResponse = false
        /// Whether a response of another origin has led to the URL of the request.
        var isLedElsewhere = false
        /// The names, in lower case, of the fields that are omitted from a redirect to another origin.
        var withheldFields: Set<TextKey> = []
    }

    /// - Parameters:
    ///   - withhold: A closure that records the names of fields to omit from a redirect to another origin.
    ///   - state: A closure that returns the facts that change.
    init(
        clock: any Clock<Duration>,
        canRepeatBody: Bool,
        collectsContent: Bool,
        withhold: @escaping @Sendable ([String]) -> Void,
        state: @escaping @Sendable () -> State
    ) {
        self.clock = clock
        repeatsBody = canRepeatBody
        self.collectsContent = collectsContent
        self.withhold = withhold
        self.state = state
    }

    /// Creates a context, for tests of interceptors.
    /// - Parameters:
    ///   - clock: The clock for all delays. Default: the continuous clock.
    ///   - canRepeatBody: Whether the content of the request can be sent again. Default: true.
    ///   - collectsContent: Whether the content of the response is collected in memory. Default: true.
    ///   - attempts: The number of attempts that have begun. Default: 0.
    ///   - hasDeliveredContent: Whether content was delivered to the consumer of a stream. Default: false.
    public init(
        clock: any Clock<Duration> = ContinuousClock(),
        canRepeatBody: Bool = true,
        collectsContent: Bool = true,
        attempts: Int = 0,
        hasDeliveredContent: Bool = false
    ) {
        let state = State(attempts: attempts, hasDeliveredContent: hasDeliveredContent)
        self.init(
            clock: clock,
            canRepeatBody: canRepeatBody,
            collectsContent: collectsContent,
            withhold: { _ in },
            state: { state }
        )
    }

    /// The number of attempts of the call that have begun, including the current attempt.
    public var attempts: Int { state().attempts }

    /// Whether content was delivered to the consumer of a stream. Such content cannot be withdrawn, so another attempt
    /// then fails.
    public var hasDeliveredContent: Bool { state().hasDeliveredContent }

    /// Whether a response of another origin has led to the URL of the request, such as that of the next page of a list
    /// or of an upload resource. An interceptor that looks up credentials by the URL must not add any, as for a
    /// redirect.
    package var isLedElsewhere: Bool { state().isLedElsewhere }

    /// The number of bytes of content that have arrived in all attempts of a download.
    var receivedBytes: Int64 { state().receivedBytes }

    /// The number of bytes of the request's content that were sent, and the number of all; −1 if it is not known. For a
    /// resumable upload, the first number counts all attempts.
    var sentBytes: (Int64, total: Int64) { state().sentBytes }

    /// Whether a closure of the program is producing the request's content.
    var isProducing: Bool { state().isProducing }

    /// Whether the head of the current attempt's response has arrived.
    var hasResponse: Bool { state().hasResponse }

    /// Codes the separate content in the next attempt. Call the method before `next`, and set the field
    /// `Content-Length` to the number of coded bytes.
    /// - Throws: `fileUnreadable`, or `unsupported` if only the task can read the content.
    package func codeContent(by coding: BodyCoding) throws(LarkspurError) {
        if let separateContent { sendCoded(try separateContent.producer(of: coding)) }
    }

    /// Omits fields that hold a secret from redirects to other origins. `Authorization`, `Proxy-Authorization` and
    /// `Cookie` are always omitted. Call the method before `next`.
    ///
    /// The method has no effect on the request itself. Its URL may already be on another origin: for example the URL of
    /// the next page of a list, or of an upload resource. An interceptor that adds a secret must check the URL first.
    /// - Parameter fields: The names of the fields, in upper or lower case.
    public func withholdFromOtherOrigins(_ fields: [String]) { withhold(fields) }
}

/// A response that the interceptors handle before it is validated and serialized.
public struct InterceptedResponse: Sendable {
    /// The request that was sent last, after redirects.
    public let request: URLRequest?
    /// The response; nil for a scheme without responses.
    public let response: URLResponse?
    /// The content in memory. Empty for a download, and for a stream, because its consumer has received the content.
    public var data: Data
    /// The trailers of the response, as in ``SessionTask/trailers``; nil if there are none.
    public var trailers: HTTPHeaders?
    /// The file of a download, at a temporary location.
    var file: URL?

    /// Creates a response that replaces the response of a server.
    /// - Parameters:
    ///   - request: The request to which it responds.
    ///   - response: The response.
    ///   - data: The content. Default: none.
    public init(request: URLRequest?, response: URLResponse?, data: Data = Data()) {
        self.request = request
        self.response = response
        self.data = data
    }

    /// The response, if it is an HTTP response.
    public var httpResponse: HTTPURLResponse? { response as? HTTPURLResponse }

    /// The status code, if there was an HTTP response.
    public var statusCode: Int? { httpResponse?.statusCode }

    /// Returns the value of a header field; nil if the response does not have the field.
    /// - Parameter name: The name of the field, in upper or lower case.
    package func header(_ name: String) -> String? { httpResponse?.value(forHTTPHeaderField: name) }
}

/// The storage of a call's identifier, which is created on first use.
final class CallIdentity: Sendable {
    private let made = Mutex<UUID?>(nil)

    var id: UUID {
        made.withLock { made in
            if let made { return made }
            let id = UUID()
            made = id
            return id
        }
    }
}

/// An action of one of Larkspur's interceptors, for the observers of the call.
enum CallNote: Sendable {
    /// Another attempt follows after a delay.
    case retry(after: Duration, reason: String)
    /// The call waits for the response to an equal request.
    case coalesced
    /// A limit has refused or ended a request, or prevents another attempt.
    case limit(InterceptorLimit, reason: String)
    /// A shared store has failed or was too slow.
    case sharedStore(reason: String)
}
