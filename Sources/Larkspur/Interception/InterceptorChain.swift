import HTTPSyntax
import Synchronization

/// The interceptors of one call, or of one handshake of a WebSocket, and the facts that its attempts share.
final class InterceptorChain: Sendable {
    private struct State {
        var facts = RequestContext.State()
        var isUnderWay = false
    }

    private let interceptors: [any RequestInterceptor]
    /// The index of the last interceptor that belongs to this call only; −1 if there is none.
    private let lastOwn: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - interceptors: The interceptors, the outermost first.
    ///   - lastOwn: The index of the last interceptor that belongs to this call only. Default: −1, for none.
    ///   - isLedElsewhere: Whether a response of another origin has led to the URL of the call. Default: false.
    init(_ interceptors: [any RequestInterceptor], lastOwn: Int = -1, isLedElsewhere: Bool = false) {
        self.interceptors = interceptors
        self.lastOwn = lastOwn
        var state = State()
        state.facts.isLedElsewhere = isLedElsewhere
        self.state = Mutex(state)
    }

    /// The names of the fields, in lower case, that a redirect to another origin does not get.
    var withheldFields: Set<TextKey> { state.withLock { $0.facts.withheldFields } }

    /// Creates the context of the interceptors.
    /// - Parameters:
    ///   - clock: The clock for all delays.
    ///   - sender: The identity of the session manager's sessions, which send the request.
    ///   - canRepeatBody: Whether the content of the request can be sent again. Default: true.
    ///   - collectsContent: Whether the content of the response is collected in memory. Default: true.
    ///   - complete: Adds the facts that the call itself knows. Default: none.
    func makeContext(
        clock: any Clock<Duration>,
        sender: ObjectIdentifier,
        canRepeatBody: Bool = true,
        collectsContent: Bool = true,
        completing complete: @escaping @Sendable (inout RequestContext.State) -> Void = { _ in }
    ) -> RequestContext {
        var context = RequestContext(
            clock: clock,
            canRepeatBody: canRepeatBody,
            collectsContent: collectsContent,
            withhold: { [self] names in
                state.withLock { $0.facts.withheldFields.formUnion(names.map { $0.inLowercase }) }
            },
            state: { [self] in
                var facts = state.withLock { $0.facts }
                complete(&facts)
                return facts
            }
        )
        context.sender = sender
        context.lead = { [self] isElsewhere in state.withLock { $0.facts.isLedElsewhere = isElsewhere } }
        return context
    }

    /// Sends a request through the chain.
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The context of the interceptors.
    ///   - isPersonal: Returns whether the response depends on this call alone. In this case, no equal call may share
    ///     the response.
    ///   - attempt: Sends a request. It is called once for each attempt, and never twice at the same time.
    func send(
        _ request: URLRequest,
        _ context: RequestContext,
        isPersonal: @escaping @Sendable () -> Bool,
        attempt: @escaping RequestContext.Next
    ) async throws -> InterceptedResponse {
        try await next(0, context, isPersonal, attempt)(request)
    }

    /// Returns the part of the chain that begins with the interceptor at an index.
    private func next(
        _ index: Int,
        _ context: RequestContext,
        _ isPersonal: @escaping @Sendable () -> Bool,
        _ attempt: @escaping RequestContext.Next
    ) -> RequestContext.Next {
        guard index < interceptors.count else {
            return { [self] request in
                try beginAttempt()
                defer { state.withLock { $0.isUnderWay = false } }
                guard let progress = RefreshProgress.current else { return try await attempt(request) }
                let result: Result<InterceptedResponse, any Error>
                do { result = .success(try await attempt(request)) } catch { result = .failure(error) }
                progress.didEnd(result)
                return try result.get()
            }
        }
        let interceptor = interceptors[index]
        var context = context
        // The response also depends on the inner interceptors that belong to this call only.
        context.isPersonal = index < lastOwn || isPersonal()
        return { [self, context] in
            try await interceptor.intercept(
                $0,
                context: context,
                next: next(index + 1, context, isPersonal, attempt)
            )
        }
    }

    private func beginAttempt() throws(LarkspurError) {
        let isAlone = state.withLock { state in
            if state.isUnderWay { return false }
            state.isUnderWay = true
            state.facts.attempts += 1
            return true
        }
        guard isAlone else {
            throw LarkspurError(.unsupported, "An interceptor began an attempt while another one was under way.")
        }
    }
}
