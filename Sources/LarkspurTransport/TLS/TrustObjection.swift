#if canImport(FoundationNetworking)
/// The reason why a handshake was refused, as found within it.
struct TrustObjection: Sendable, Hashable {
    /// The name of the peer of the handshake: the server, or a proxy.
    let name: String
    /// The error, one of OpenSSL's numbers.
    let error: Int32
    /// The keys of the chain, the server's own first.
    let keys: [PublicKeyPin]

    /// OpenSSL's number for the rejection by an application.
    static let mismatchError: Int32 = 50

    /// OpenSSL's number for a host name that does not match. OpenSSL itself does not report it, as libcurl does not let
    /// it check names.
    static let namelessnessError: Int32 = 62

    /// Whether the only error is that the server's certificate has no subjectAltName.
    var isNamelessness: Bool { error == Self.namelessnessError }

    /// Whether the only error is that the chain has none of the pinned keys.
    var isMismatch: Bool { error == Self.mismatchError }
}
#endif
