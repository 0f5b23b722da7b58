#if canImport(FoundationNetworking)
internal import CLibcurl

/// Tells connections that were closed by TLS's close_notify from those that broke off, which libcurl before 8.14 takes
/// for the same.
///
/// It belongs to the loop's thread, and outlives all connections.
final class TLSCloseWatch {
    private let raw: OpaquePointer

    /// Nil if OpenSSL cannot be used.
    init?() {
        guard let raw = libcurl_tls_watch_new() else { return nil }
        self.raw = raw
    }

    deinit { libcurl_tls_watch_free(raw) }

    /// Has the connections of a TLS context watched; false where there is no memory.
    func attach(to tlsContext: UnsafeMutableRawPointer) -> Bool { libcurl_tls_watch_attach(raw, tlsContext) }

    /// Begins to watch the connection of a transfer, and names it; nil where it has no TLS of OpenSSL's.
    func begin(_ handle: EasyHandle) -> UInt? {
        let name = libcurl_tls_watch_begin(raw, handle.raw)
        return name == 0 ? nil : name
    }

    /// Ends it; true if a close_notify has come.
    func end(_ name: UInt) -> Bool { libcurl_tls_watch_end(raw, name) }
}
#endif
