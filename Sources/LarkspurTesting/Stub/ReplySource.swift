#if canImport(FoundationNetworking)
/// The origin of the replies of a stub session.
protocol ReplySource: Sendable {
    /// The clock of the delays in replies.
    var clock: any Clock<Duration> { get }
    /// Whether the content of requests is read before the source gets them: files are read, and streams are requested.
    var readsContent: Bool { get }
    /// Whether redirects are followed, each with a reply of its own.
    var followsRedirects: Bool { get }

    /// Replies to a request, at once or later, by calls of ``StubExchange/add(_:)``. Called on an arbitrary thread.
    func reply(to request: URLRequest, _ exchange: StubExchange)
}

/// The reply to one request of a task, as far as the source has made it. A task that follows a redirect has several.
struct StubExchange: Sendable {
    let core: StubTaskCore
    /// The number of the request among those of its task.
    let hop: Int

    /// Adds steps to the reply. After the end of the task they are ignored.
    func add(_ steps: [StubTaskCore.Step]) { core.add(steps, hop: hop) }

    /// Sets the closure that is called if the task is cancelled, or does not need the rest of the reply.
    func onAbandonment(_ action: @escaping @Sendable () -> Void) { core.onAbandonment(of: hop, action) }
}

/// A source whose replies a closure returns.
struct ScriptedReplies: ReplySource {
    let clock: any Clock<Duration>
    let script: StubURLSession.Script

    var readsContent: Bool { false }
    var followsRedirects: Bool { false }

    func reply(to request: URLRequest, _ exchange: StubExchange) { exchange.add(script(request).steps) }
}
#endif
