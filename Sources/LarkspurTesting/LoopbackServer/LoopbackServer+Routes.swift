extension LoopbackServer {
    /// Answers requests for a path with responses in turn, the last of which repeats; without any, with an empty 200.
    ///
    /// Own routes are found before the built-in ones, and later ones before earlier ones. A route for GET answers HEAD
    /// as well. Where the path is known and the method is not, the server answers 405.
    ///
    /// - Parameters:
    ///   - path: The path, in which `{name}` stands for any one segment (``Request/parameters``) and a `*` in place of
    ///     the last segment for all that follows; `*` alone is every target.
    ///   - method: The method, in upper case; nil, which is the default, means all.
    ///   - responses: The responses in their order, which requests on several connections share.
    public func route(_ path: String, method: String? = nil, _ responses: Response...) {
        route(path, method: method, responses)
    }

    /// Answers requests for a path with responses in turn, as ``route(_:method:_:)-(_,_,Response...)`` does.
    public func route(_ path: String, method: String? = nil, _ responses: [Response]) {
        router.add(Route(path, methods: method.map { [$0] }, answer: .script(Route.Script(responses))))
    }

    /// Answers requests for a path with what a handler returns.
    ///
    /// - Parameters:
    ///   - path: The path, as for the other methods.
    ///   - method: The method, in upper case; nil, which is the default, means all.
    ///   - handler: Called on the thread of the request's connection, on several at once where there are several. What
    ///     it throws becomes a 500.
    public func route(
        _ path: String,
        method: String? = nil,
        handler: @escaping @Sendable (Request) throws -> Response
    ) {
        router.add(Route(path, methods: method.map { [$0] }, answer: .handler(handler)))
    }
}
