#if canImport(FoundationNetworking)
import HTTPSyntax

/// The connections and requests of a session at one origin, at the time of the snapshot
/// (``CurlURLSession/connections``).
public struct OriginConnections: Sendable, Hashable {
    /// The scheme, host and port, such as "https://example.com:443". For a Unix-domain socket, the URL of the socket.
    public let origin: String
    /// The number of open connections, including connections that are being opened. If a connection to a proxy serves
    /// several origins, it counts for the origin for which it was opened.
    public internal(set) var open = 0
    /// The number of open connections without a request.
    public var idle: Int { open - busy }
    /// The number of connections that have requests, or are being opened for a request.
    public internal(set) var busy = 0
    /// The number of requests that have a place at the origin, or are an open WebSocket. Over HTTP/2, many of them
    /// share a connection.
    public internal(set) var active = 0
    /// The number of requests that wait for a place at the origin.
    public internal(set) var waiting = 0
    /// The protocol of the latest response, by its ALPN identifier, such as "http/1.1" or "h2"; nil before the first
    /// response.
    public internal(set) var protocolName: String?
    /// The age of the oldest open connection; nil if no connection is open.
    public internal(set) var oldest: Duration?

    init(origin: String) { self.origin = origin }
}
#endif
