extension LoopbackServer {
    /// Adds a route that responds to requests for a path with responses in their order. The last one repeats. If there
    /// are none, the response is an empty 200.
    ///
    /// Routes of the test take precedence over the built-in ones, and later ones over earlier ones. A route for GET
    /// also applies to HEAD. If the path has a route but not for the method, the server responds with 405.
    ///
    /// - Parameters:
    ///   - path: The path. `{name}` stands for any one segment (``Request/parameters``), and `*` as the last segment
    ///     for all that follows; `*` alone stands for every target.
    ///   - method: The method, in upper case; nil for all. Default: nil.
    ///   - responses: The responses in their order. Requests on several connections share them.
    public func route(_ path: String, method: String? = nil, _ responses: Response...) {
        route(path, method: method, responses)
    }

    /// Adds a route that responds to requests for a path with responses in their order. The last one repeats. If there
    /// are none, the response is an empty 200.
    ///
    /// Routes of the test take precedence over the built-in ones, and later ones over earlier ones. A route for GET
    /// also applies to HEAD. If the path has a route but not for the method, the server responds with 405.
    ///
    /// - Parameters:
    ///   - path: The path. `{name}` stands for any one segment (``Request/parameters``), and `*` as the last segment
    ///     for all that follows; `*` alone stands for every target.
    ///   - method: The method, in upper case; nil for all. Default: nil.
    ///   - responses: The responses in their order. Requests on several connections share them.
    public func route(_ path: String, method: String? = nil, _ responses: [Response]) {
        router.add(Route(path, methods: method.map { [$0] }, answer: .script(Route.Script(responses))))
    }

    /// Adds a route that responds to requests for a path with the response that a handler returns.
    ///
    /// - Parameters:
    ///   - path: The path. `{name}` stands for any one segment (``Request/parameters``), and `*` as the last segment
    ///     for all that follows; `*` alone stands for every target.
    ///   - method: The method, in upper case; nil for all. Default: nil.
    ///   - handler: Returns the response. Called on the thread of the request's connection, concurrently for several
    ///     connections. An error that it throws becomes a 500.
    public func route(
        _ path: String,
        method: String? = nil,
        handler: @escaping @Sendable (Request) throws -> Response
    ) {
        router.add(Route(path, methods: method.map { [$0] }, answer: .handler(handler)))
    }
}
