#if canImport(FoundationNetworking)
@testable import LarkspurTransport

/// The behaviour of versions of libcurl that the engine does not control: the tests expect it of them.
enum LibcurlTraits {
    /// Whether a kept connection is closed, and not used again, when TLS has brought something that is no content.
    ///
    /// Versions from 8.0 on close any connection but of HTTP/2 whose socket has bytes to read, before the engine hears
    /// of it.
    static let closesConnectionsWithLateMessages = Libcurl.isAtLeast(8, 0)

    /// Whether libcurl sends the alert of a handshake that the engine's check has refused, before it closes the
    /// connection. From 8.19 on, nginx sees the end of the connection alone.
    static let sendsAlertsOfRefusals = !Libcurl.isAtLeast(8, 19)
}
#endif
