#if canImport(FoundationNetworking)
internal import CLibcurl

/// The use of connections by one transfer.
struct ConnectionUse: Equatable {
    /// Whether the connection is closed after the transfer.
    var closesConnection = false
    /// Whether content that was announced was not sent on the connection. Its receiver would take the next request for
    /// this content.
    var lacksContent = false
    /// Whether no other transfer uses the connection.
    var isAlone = false
    /// Whether the transfer needs a new connection.
    var makesConnection = false

    fileprivate var forbidsReuse: Bool { isAlone || closesConnection || lacksContent }
    fileprivate var isFresh: Bool { isAlone || makesConnection }

    func apply(to handle: EasyHandle) {
        handle.set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
        handle.set(CURLOPT_FORBID_REUSE, forbidsReuse ? 1 : 0)
    }
}

extension EasyHandle {
    /// Sets the times of connections, which are the same for all transfers of a session. Returns false if libcurl
    /// cannot limit the age of connections (before 7.80).
    /// - Parameters:
    ///   - idle: The time since its last request for which a connection may be used, in seconds.
    ///   - age: The time since its beginning for which a connection may be used, in seconds; nil for no limit.
    ///   - familyDelay: The time after which addresses of the other family are tried, in seconds.
    func setTimes(idle: TimeInterval, age: TimeInterval?, familyDelay: TimeInterval) -> Bool {
        set(CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, Int.milliseconds(familyDelay))
        // The next two options have whole seconds, and 0 would mean no limit.
        set(CURLOPT_MAXAGE_CONN, (Int.milliseconds(idle) + 999) / 1000)
        guard let age else { return true }
        let seconds = (Int.milliseconds(age) + 999) / 1000
        return libcurl_easy_setopt_long(raw, CURLOPT_MAXLIFETIME_CONN, seconds) == CURLE_OK
    }
}

extension Int {
    /// Returns a number of seconds in milliseconds: rounded up, at least 1, and at most the largest number that libcurl
    /// accepts.
    static func milliseconds(_ seconds: TimeInterval) -> Int {
        guard seconds > 0 else { return 1 }
        return Int(Swift.max(1, Swift.min((seconds * 1000).rounded(.up), Double(Int32.max))))
    }
}
#endif
