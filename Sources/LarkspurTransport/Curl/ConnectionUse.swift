#if canImport(FoundationNetworking)
internal import CLibcurl

/// The use of connections by one transfer.
struct ConnectionUse: Equatable {
    /// Whether the connection is closed after the transfer.
    var closesConnection = false
    /// Whether no other transfer uses the connection.
    var isAlone = false
    /// Whether the transfer needs a new connection.
    var makesConnection = false

    fileprivate var forbidsReuse: Bool { isAlone || closesConnection }
    fileprivate var isFresh: Bool { isAlone || makesConnection }

    func apply(to handle: EasyHandle) {
        handle.set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
        handle.set(CURLOPT_FORBID_REUSE, forbidsReuse ? 1 : 0)
    }
}
#endif
