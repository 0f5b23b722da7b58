extension Platform {
    /// Creates a session of Foundation, with a configuration that this function may change.
    static func makeFoundationSession(
        _ configuration: URLSessionConfiguration,
        _ delegate: any URLSessionDelegate,
        _ queue: OperationQueue
    ) -> URLSession {
        #if canImport(FoundationNetworking)
        FoundationTransportAdapter.prepare(configuration)
        #endif
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    /// Prepares a session of Foundation's own class that a factory of the caller created.
    static func prepare(_ session: URLSession) {
        #if canImport(FoundationNetworking)
        if type(of: session) == URLSession.self { FoundationTransportAdapter.prepare(session.configuration) }
        #endif
    }

    /// Returns the adapter of a session, depending on its class: `URLSession` itself or a subclass of it.
    static func adapter(for session: URLSession) -> any TransportAdapter {
        #if canImport(FoundationNetworking)
        type(of: session) == URLSession.self ? FoundationTransportAdapter() : StandardTransportAdapter()
        #else
        StandardTransportAdapter()
        #endif
    }
}
