import Synchronization

/// A part of the way of a request, around everything that comes after it: the other interceptors and the transfer.
///
/// An interceptor may change the request, send it more than once, look at the response or replace it:
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
/// ``SessionManager/interceptors`` sets them for all calls, and ``SessionTask/intercept(with:)`` for one. The first one
/// is the outermost. Each is called on an arbitrary thread, concurrently for different requests.
public protocol RequestInterceptor: Sendable {
    /// Handles a request, as a rule by calling `next`.
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The facts about the call, and its clock.
    ///   - next: Sends a request through the rest of the chain. It may be called again after it has returned, for
    ///     another attempt, but not twice at the same time. It throws ``LarkspurError`` if there is no response; a
    ///     response of any status is returned.
    /// - Returns: The response that the call gets. It is validated and serialized afterwards.
    /// - Throws: The error that the call gets. ``LarkspurError`` is reported unchanged, a `CancellationError` has the
    ///   code `cancelled`, and any other error is the `underlyingError` of one with the code `interceptionFailed`.
    func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse
}

/// The interceptors of a call.
///
/// Those in ``call`` surround the call as a whole, those in ``attempt`` each attempt: if an interceptor of the call
/// sends the request again, as ``RetryPolicy`` does, the interceptors of attempts run again.
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
    public var isEmpty: Bool { call.isEmpty && attempt.isEmpty }

    /// All interceptors of a call, the outermost first.
    /// - Parameter own: The interceptors of the call itself.
    func chain(with own: RequestInterceptors) -> [any RequestInterceptor] {
        call + own.call + attempt + own.attempt
    }

    /// The index in the chain of the last interceptor that belongs to the call itself; −1 if there is none.
    func lastIndex(of own: RequestInterceptors) -> Int {
        if !own.attempt.isEmpty { return call.count + own.call.count + attempt.count + own.attempt.count - 1 }
        return own.call.isEmpty ? -1 : call.count + own.call.count - 1
    }
}

/// The facts about a call that its interceptors may need.
public struct RequestContext: Sendable {
    /// A closure that sends a request through the rest of a chain.
    public typealias Next = @Sendable (URLRequest) async throws -> InterceptedResponse

    /// The clock of every delay. Default: the continuous clock.
    public let clock: any Clock<Duration>
    /// Whether the content of the request can be sent again. False for an `httpBodyStream`, which can be read once.
    public let canReplayContent: Bool
    /// Whether the content of the response is collected in memory: the call is neither a download nor a stream.
    public let collectsContent: Bool
    /// The identifier of the call, which is random and the same for all its attempts.
    public var callID: UUID { identity.id }
    /// The identifier of the call, which its events share.
    var identity = CallIdentity()
    /// Reports what an interceptor does to the observers of the call.
    var note: @Sendable (CallNote) -> Void = { _ in }
    /// Sets the closure that is called once when the task is suspended, which may be immediately, or removes it. The
    /// key is that of its owner.
    var onSuspension: @Sendable (ObjectIdentifier, (@Sendable () -> Void)?) -> Void = { _, _ in }
    /// Whether content outside of the request, hooks of the call itself, or interceptors of its own that come later,
    /// take part in the attempt.
    var isPersonal = false
    /// The identity of the sessions that send the request.
    var sender: ObjectIdentifier?
    /// The orders of a resumable upload; nil for other calls.
    var upload: UploadControl?
    private let withhold: @Sendable ([String]) -> Void
    private let state: @Sendable () -> State

    /// The facts that change during a call.
    struct State: Sendable {
        var attempts = 0
        var hasDeliveredContent = false
        /// The bytes of content that have arrived.
        var receivedBytes: Int64 = 0
        /// The names of the fields, in lower case, that a redirect to another origin does not get.
        var withheldFields: Set<String> = []
    }

    /// - Parameters:
    ///   - withhold: Notes the names of fields that a redirect to another origin does not get.
    ///   - state: Returns the facts that change.
    init(
        clock: any Clock<Duration>,
        canReplayContent: Bool,
        collectsContent: Bool,
        withhold: @escaping @Sendable ([String]) -> Void,
        state: @escaping @Sendable () -> State
    ) {
        self.clock = clock
        self.canReplayContent = canReplayContent
        self.collectsContent = collectsContent
        self.withhold = withhold
        self.state = state
    }

    /// Creates a context, for tests of interceptors.
    /// - Parameters:
    ///   - clock: The clock of every delay. Default: the continuous clock.
    ///   - canReplayContent: Whether the content of the request can be sent again. Default: true.
    ///   - collectsContent: Whether the content of the response is collected in memory. Default: true.
    ///   - attempts: The number of attempts that have begun. Default: 0.
    ///   - hasDeliveredContent: Whether content was handed to a consumer of a stream. Default: false.
    public init(
        clock: any Clock<Duration> = ContinuousClock(),
        canReplayContent: Bool = true,
        collectsContent: Bool = true,
        attempts: Int = 0,
        hasDeliveredContent: Bool = false
    ) {
        let state = State(attempts: attempts, hasDeliveredContent: hasDeliveredContent)
        self.init(
            clock: clock,
            canReplayContent: canReplayContent,
            collectsContent: collectsContent,
            withhold: { _ in },
            state: { state }
        )
    }

    /// The number of attempts of the call that have begun, the present one included.
    public var attempts: Int { state().attempts }

    /// Whether content was handed to a consumer of a stream, which cannot be taken back. Another attempt fails then.
    public var hasDeliveredContent: Bool { state().hasDeliveredContent }

    /// The bytes of content that have arrived in all attempts of a download.
    var receivedBytes: Int64 { state().receivedBytes }

    /// Has redirects to other origins followed without fields that hold a secret. That is always so for
    /// `Authorization`, `Proxy-Authorization` and `Cookie`. Call it before `next`.
    ///
    /// The request itself may be to another origin already: that of the next page of a list, or of an upload resource.
    /// An interceptor that adds a secret looks at its URL first.
    /// - Parameter fields: The names of the fields, in any case.
    public func withholdFromOtherOrigins(_ fields: [String]) { withhold(fields) }
}

/// A response on its way back through the interceptors, before it is validated and serialized.
public struct InterceptedResponse: Sendable {
    /// The request that was sent last, after redirects.
    public let request: URLRequest?
    /// The response; nil for a scheme without responses.
    public let response: URLResponse?
    /// The content in memory. Empty for a download, and for a stream, whose content its consumer has got.
    public var data: Data
    /// The file of a download, at a temporary location.
    var file: URL?

    /// Creates a response, in place of one that is sent for.
    /// - Parameters:
    ///   - request: The request that it answers.
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

    /// Returns the value of a header field; nil if the response lacks it.
    /// - Parameter name: The name, in any case.
    public func header(_ name: String) -> String? { httpResponse?.value(forHTTPHeaderField: name) }
}

/// The identifier of a call, which is made when it is first asked for.
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

/// Something that an interceptor of Larkspur does, for the observers of the call.
enum CallNote: Sendable {
    /// Another attempt follows after a delay.
    case retry(after: Duration, reason: String)
    /// The call waits for the response to an equal request.
    case coalesced
}
