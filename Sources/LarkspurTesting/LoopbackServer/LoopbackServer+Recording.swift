extension LoopbackServer {
    /// All requests so far, in the order in which they were completely received.
    ///
    /// A request is recorded before its response. A malformed request is not recorded.
    public var requests: [Request] {
        journal.entries.requests
    }

    /// Returns the requests so far for a path, which is given without query and percent escapes.
    public func requests(to path: String) -> [Request] {
        journal.entries.requests(to: path)
    }

    /// Removes the recorded requests.
    public func clearRequests() {
        journal.clearRequests()
    }

    /// The number of open connections.
    public var openConnectionCount: Int {
        journal.entries.openConnections
    }

    /// The number of connections that were ever accepted, which shows whether a client reused one.
    public var acceptedConnectionCount: Int {
        journal.entries.acceptedConnections
    }
}
