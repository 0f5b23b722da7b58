#if canImport(FoundationNetworking)
internal import CLibcurl

/// The watch for TLS's close_notify. If a connection is closed without a close_notify, its content may be truncated.
/// libcurl before 8.14 does not report whether a close_notify has arrived.
///
/// The watch belongs to the loop's thread, and outlives all connections.
final class TLSCloseWatch {
    private let raw: OpaquePointer

    /// Creates a watch; nil if OpenSSL cannot be used.
    init?() {
        guard let raw = libcurl_tls_watch_new() else { return nil }
        self.raw = raw
    }

    deinit { libcurl_tls_watch_free(raw) }

    /// Watches the connections of a TLS context. Returns false if memory has run out.
    func attach(to tlsContext: UnsafeMutableRawPointer) -> Bool { libcurl_tls_watch_attach(raw, tlsContext) }

    /// Begins to watch the connection of a transfer. Returns the name of the watch; nil if the connection does not use
    /// TLS by OpenSSL.
    func begin(_ handle: EasyHandle) -> UInt? {
        let name = libcurl_tls_watch_begin(raw, handle.raw)
        return name == 0 ? nil : name
    }

    /// Ends the watch; returns true if a close_notify has arrived.
    func end(_ name: UInt) -> Bool { libcurl_tls_watch_end(raw, name) }
}
#endif
