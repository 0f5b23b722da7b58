extension LoopbackServer {
    /// All requests so far, in the order in which they were complete.
    ///
    /// A request is noted before it is answered; one that is malformed is never.
    public var requests: [Request] {
        journal.entries.requests
    }

    /// The requests so far for a path, given without its query and percent escapes.
    public func requests(to path: String) -> [Request] {
        journal.entries.requests(to: path)
    }

    /// Forgets the requests so far.
    public func clearRequests() {
        journal.clearRequests()
    }

    /// The number of connections that are open now.
    public var openConnectionCount: Int {
        journal.entries.openConnections
    }

    /// The number of connections that were ever made, which tells whether a client used one again.
    public var acceptedConnectionCount: Int {
        journal.entries.acceptedConnections
    }
}
