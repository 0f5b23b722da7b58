#if canImport(FoundationNetworking)
extension TransferFailure {
    /// Returns the TLS requirement that was not met, if that is the reason of the failure. The host is that of the URL,
    /// or the proxy.
    func tlsFailure(for code: URLError.Code, url: URL?) -> TLSFailure? {
        guard isTLS || refusedProxy != nil, let reason = tlsReason(for: code) else { return nil }
        let host = objection?.name ?? refusedProxy ?? url?.nameOfServer ?? ""
        return TLSFailure(reason, host: host, presentedPins: isPinMismatch ? objection?.keys ?? [] : [])
    }

    private func tlsReason(for code: URLError.Code) -> TLSFailure.Reason? {
        switch code {
        case .serverCertificateHasBadDate: .certificateExpired
        case .serverCertificateNotYetValid: .certificateNotYetValid
        case .serverCertificateHasUnknownRoot: .unknownRoot
        case .serverCertificateUntrusted:
            isPinMismatch
                ? .pinMismatch
                : objection?.isNamelessness == true
                    ? .missingSubjectAltName : isHostMismatch ? .hostMismatch : .certificateUntrusted
        case .clientCertificateRequired: .clientCertificateRequired
        case .clientCertificateRejected: isAboutOwnCertificate ? .clientIdentityUnusable : .clientCertificateRejected
        case .secureConnectionFailed: .other
        default: nil
        }
    }

    /// Whether none of the server's keys is pinned, as found by the engine or by libcurl.
    var isPinMismatch: Bool { objection?.isMismatch ?? (curlCode == 90) }

    /// Whether the certificate is made out to other hosts. libcurl looks for the name after OpenSSL has found nothing
    /// wrong.
    var isHostMismatch: Bool {
        guard curlCode == 51 || curlCode == 60 else { return false }
        switch verifyResult {
        // OpenSSL's numbers for names and addresses.
        case 62, 64: return true
        case 0, 1: return Self.phrasesAboutNames.contains { message.contains($0) }
        default: return false
        }
    }

    private static let phrasesAboutNames = ["target host name", "target hostname", "subject name", "common name"]
}
#endif
