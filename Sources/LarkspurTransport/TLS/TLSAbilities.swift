#if canImport(FoundationNetworking)
/// The TLS abilities of the loaded libcurl.
package struct TLSAbilities: Sendable {
    /// The reason why servers cannot be checked within the handshake, a sentence without its full stop; nil if they
    /// can.
    package var trustUnavailability: String?
    /// The TLS library, as in "OpenSSL/3.0.19".
    package var library: String

    package init(trustUnavailability: String?, library: String) {
        self.trustUnavailability = trustUnavailability
        self.library = library
    }

    /// Whether the library accepts certificates and keys from memory, which OpenSSL and its derivatives do.
    var takesIdentities: Bool {
        ["OpenSSL", "quictls", "LibreSSL", "BoringSSL", "AWS-LC"].contains { library.hasPrefix($0 + "/") }
    }
}
#endif
