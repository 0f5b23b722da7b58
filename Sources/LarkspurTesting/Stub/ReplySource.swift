#if canImport(FoundationNetworking)
/// The source of a stub session's replies.
protocol ReplySource: Sendable {
    /// The clock for the delays in replies.
    var clock: any Clock<Duration> { get }
    /// Whether the source needs the content of requests. If so, files and streams are read before ``reply(to:_:)`` is
    /// called.
    var readsContent: Bool { get }
    /// Whether redirects are followed. Each request then gets a separate reply.
    var followsRedirects: Bool { get }

    /// Replies to a request with calls of ``StubExchange/add(_:)``, now or later. Called on any thread.
    func reply(to request: URLRequest, _ exchange: StubExchange)
}

/// The reply to one request of a task, as far as the source has provided it. A task that follows redirects has several
/// replies.
struct StubExchange: Sendable {
    let core: StubTaskCore
    /// The number of the request within its task.
    let hop: Int

    /// Adds steps to the reply. Steps that are added after the end of the task are ignored.
    func add(_ steps: [StubTaskCore.Step]) { core.add(steps, hop: hop) }

    /// Sets a closure that is called if the task is cancelled, or does not need the rest of the reply.
    func onAbandonment(_ action: @escaping @Sendable () -> Void) { core.onAbandonment(of: hop, action) }
}

/// A source that gets its replies from a closure.
struct ScriptedReplies: ReplySource {
    let clock: any Clock<Duration>
    let script: StubURLSession.Script

    var readsContent: Bool { false }
    var followsRedirects: Bool { false }

    func reply(to request: URLRequest, _ exchange: StubExchange) { exchange.add(script(request).steps) }
}
#endif
