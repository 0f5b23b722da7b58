#if canImport(FoundationNetworking)
extension TLSConfiguration {
    /// Adds what a security policy asks for, for a session that is not a session manager's; a session manager does this
    /// itself. On Linux only.
    /// - Parameter policy: The policy. Roots and pins that are there already go on to count besides it.
    public mutating func enforce(_ policy: SecurityPolicy) {
        // As with AFNetworking, one that cannot be read pins nothing.
        let certificates = policy.pinnedCertificates.compactMap { try? TLSCertificate($0) }
        let isPinning = policy.pinningMode != .none && !policy.pinnedCertificates.isEmpty
        if policy.allowInvalidCertificates, policy.validatesDomainName, !isPinning {
            contradiction =
                "A security policy that allows invalid certificates and validates the domain name takes pinned certificates."
        }
        var skipsHostName = !policy.validatesDomainName
        switch policy.pinningMode {
        case .none: break
        case .publicKey:
            pinsForAllHosts = Set(certificates.map(PublicKeyPin.init(certificate:)))
            // Nothing is then asked of a certificate but its key.
            if policy.allowInvalidCertificates { skipsHostName = true }
        case .certificate: anchorsForAllHosts = certificates
        }
        if policy.allowInvalidCertificates { dangerouslySkipsCertificateVerification = true }
        if skipsHostName { dangerouslySkipsHostNameVerification = true }
    }
}
#endif
