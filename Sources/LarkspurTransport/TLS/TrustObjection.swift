#if canImport(FoundationNetworking)
/// Why a handshake was refused, as it was found within it.
struct TrustObjection: Sendable, Hashable {
    /// The name that the handshake was for: that of the server, or of a proxy.
    let name: String
    /// One of OpenSSL's numbers.
    let error: Int32
    /// The keys of the chain, the server's own first.
    let keys: [PublicKeyPin]

    /// The number of OpenSSL's for what an application objects to.
    static let mismatchError: Int32 = 50

    /// The number of OpenSSL's for a host name that does not match, which libcurl does not let it look for.
    static let namelessnessError: Int32 = 62

    /// Whether nothing is wrong but that the server's certificate has no subjectAltName.
    var isNamelessness: Bool { error == Self.namelessnessError }

    /// Whether nothing is wrong but that the chain has none of the keys that are pinned.
    var isMismatch: Bool { error == Self.mismatchError }
}
#endif
