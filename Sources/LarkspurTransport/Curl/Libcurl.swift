#if canImport(FoundationNetworking)
internal import CLibcurl

/// The libcurl of this process.
enum Libcurl {
    /// The reason why libcurl cannot be used; nil if it can.
    static let unavailability: String? = libcurl_unavailability().map { String(cString: $0) }

    /// libcurl's version, such as "7.88.1"; nil if there is none.
    static let version: String? = libcurl_version().map { String(cString: $0) }

    /// libcurl's TLS library, such as "OpenSSL/3.0.19"; nil if there is none.
    static let tlsLibrary: String? = libcurl_tls_library().map { String(cString: $0) }

    /// libcurl's version as 0xMMmmpp; 0 if there is none.
    static let versionNumber = libcurl_version_number()

    /// Whether libcurl was built with HTTP/2.
    static let hasHTTP2 = libcurl_features() & CURL_VERSION_HTTP2 != 0

    /// Whether libcurl can use HTTP/3. Versions before 7.88 do not count, because they do not connect over TCP if QUIC
    /// does not work.
    static let hasHTTP3 = libcurl_features() & CURL_VERSION_HTTP3 != 0 && isAtLeast(7, 88)

    /// Whether libcurl reports the numbers of connections.
    static let identifiesConnections = isAtLeast(8, 2)

    /// Whether libcurl fails a transfer that pauses again while libcurl passes on what it has buffered during the pause
    /// before. Version 8.16.0 does so, with error 23; 8.17.0 has the correction.
    static let failsRepeatedPauses = versionNumber == 0x081000

    /// Whether libcurl has at least this version.
    static func isAtLeast(_ major: UInt32, _ minor: UInt32) -> Bool {
        libcurl_version_number() >= major << 16 | minor << 8
    }
}

extension TLSAbilities {
    /// The abilities of the libcurl in use.
    static let present = TLSAbilities(
        trustUnavailability: ServerTrust.unavailability,
        library: Libcurl.tlsLibrary ?? "no library"
    )
}
#endif
