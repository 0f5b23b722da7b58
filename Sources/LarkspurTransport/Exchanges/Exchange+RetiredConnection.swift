#if canImport(FoundationNetworking)
internal import CLibcurl

/// Connections that turn out to be unusable, and requests that are sent again on a new one.
extension Exchange {
    /// Whether libcurl has chosen a connection that gets no more requests; it is then closed as soon as possible.
    var hasRetiredConnection: Bool {
        guard let handle = transfer.handle, let connection = handle.connection,
            transfer.shard?.retiredConnections.contains(connection) == true
        else { return false }
        handle.connectionUse.closesConnection = true
        return true
    }

    /// Keeps further requests from the connection of the transfer.
    func retireConnection() {
        guard let handle = transfer.handle else { return }
        // This works while the transfer is under way; after it, libcurl has already kept the connection.
        handle.connectionUse.closesConnection = true
        if let connection = handle.connection { transfer.shard?.retiredConnections.insert(connection) }
    }

    /// Whether the request is sent again on a new connection: its only result was the failure of a connection that it
    /// shared, or that had been used before.
    func repeatsOnNewConnection(after result: Int32, of handle: EasyHandle) -> Bool {
        guard transaction.failure == nil, transfer.response == nil, !history.hasRepeated, group.settings.offersHTTP2,
            destination.isSecure, ConnectionFault.isFault(result), handle.usesKnownConnection,
            resendDecision == .resend
        else { return false }
        if case .stream = content.body { return false }
        return true
    }
}

/// The results of libcurl's that mean the end of a connection, and not only of one of its streams.
enum ConnectionFault {
    static func isFault(_ result: Int32) -> Bool {
        [CURLE_HTTP2, CURLE_HTTP3, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR]
            .contains(result)
    }
}
#endif
