#if canImport(FoundationNetworking)
/// What the libcurl at hand can do for TLS.
package struct TLSAbilities: Sendable {
    /// Why servers cannot be checked within the handshake: a sentence without its full stop; nil if they can.
    package var trustUnavailability: String?
    /// The library that does TLS, as in "OpenSSL/3.0.19".
    package var library: String

    package init(trustUnavailability: String?, library: String) {
        self.trustUnavailability = trustUnavailability
        self.library = library
    }

    /// Those that are OpenSSL or have come from it take certificates and keys from memory.
    var takesIdentities: Bool {
        ["OpenSSL", "quictls", "LibreSSL", "BoringSSL", "AWS-LC"].contains { library.hasPrefix($0 + "/") }
    }
}
#endif
