#if canImport(FoundationNetworking)
/// The check of the servers of a handle's connections that libcurl alone does not make.
struct ServerCheck {
    private let trust: ServerTrust
    /// The host of the request.
    private var host = ""
    /// The number of handshakes that had been refused before the request.
    private var earlierObjections = 0

    init(_ trust: ServerTrust) { self.trust = trust }

    /// Begins the check of the servers of a request.
    mutating func begin(host: String) {
        self.host = host
        earlierObjections = trust.objectionCount
    }

    /// Has a new connection checked; false if that is not possible.
    func attach(to tlsContext: UnsafeMutableRawPointer) -> Bool { trust.attach(to: tlsContext, host: host) }

    /// The reason why a handshake of the request was refused; nil if none was.
    var objection: TrustObjection? { trust.objection(at: host, after: earlierObjections) }
}
#endif
