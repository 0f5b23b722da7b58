#if canImport(FoundationNetworking)
extension TLSConfiguration {
    /// Adds the requirements of a security policy, for a session that does not belong to a session manager. A session
    /// manager does this automatically. On Linux only.
    /// - Parameter policy: The policy. The roots and the pins of hosts that are set stay in effect, too. The pinned
    ///   keys or certificates replace those of an earlier policy.
    package mutating func enforce(_ policy: SecurityPolicy) {
        // As in AFNetworking, a certificate that cannot be read pins nothing.
        let certificates = policy.pinnedCertificates.compactMap { try? TLSCertificate($0) }
        let isPinning = policy.pinningMode != .none && !policy.pinnedCertificates.isEmpty
        if policy.allowsInvalidCertificates, policy.validatesDomainName, !isPinning {
            contradiction =
                "A security policy that allows invalid certificates and validates the domain name takes pinned certificates."
        }
        var skipsHostName = !policy.validatesDomainName
        switch policy.pinningMode {
        case .none: break
        case .publicKey:
            pinsForAllHosts = Set(certificates.map(PublicKeyPin.init(certificate:)))
            // If invalid certificates are allowed, only the key is checked, as in AFNetworking.
            if policy.allowsInvalidCertificates { skipsHostName = true }
        case .certificate: anchorsForAllHosts = certificates
        }
        if policy.allowsInvalidCertificates { dangerouslySkipsCertificateVerification = true }
        if skipsHostName { dangerouslySkipsHostNameVerification = true }
    }
}
#endif
