#if canImport(FoundationNetworking)
extension TLSAbilities {
    /// The abilities of the libcurl in use.
    static let present = TLSAbilities(
        trustUnavailability: ServerTrust.unavailability,
        library: Libcurl.tlsLibrary ?? "no library"
    )
}
#endif
