#if canImport(FoundationNetworking)
import HTTPSyntax

/// The values that libcurl reports for a failed transfer.
struct TransferFailure: Sendable, Hashable {
    /// The `CURLcode`.
    var curlCode: Int32
    /// The `errno` of the system call that failed (`CURLINFO_OS_ERRNO`); 0 if there was none.
    ///
    /// libcurl does not reset the value when a later attempt succeeds. So the value counts only with codes that come
    /// from a system call.
    var osError: Int32 = 0
    /// The result of the certificate's verification, one of OpenSSL's `X509_V_ERR_` numbers; 0 if nothing was wrong, 1
    /// before the verification.
    var verifyResult: Int = 0
    /// The text of libcurl's error buffer; may be empty.
    var message: String = ""
    /// Whether the header section of a response has arrived.
    var hasResponse: Bool = false
    /// Whether a byte of a request was sent.
    var hasSent = true
    /// Whether a server of DNS over HTTPS looks up the names of hosts.
    var usesDNSOverHTTPS = false
    /// Whether the connection was to be secure.
    var isTLS: Bool = false
    /// Whether the server's certificate is verified.
    var verifiesCertificate = true
    /// The reason why the handshake was refused; nil if the engine did not refuse it.
    var objection: TrustObjection?
    /// The host of the https proxy whose handshake failed; nil if no such handshake failed.
    var refusedProxy: String?
    /// The server; nil if it is not known.
    var server: Peer?
    /// The proxy; nil if there is none.
    var proxy: Peer?
    /// The status of the proxy's response to `CONNECT`; 0 without a response.
    var tunnelStatus = 0

    /// Returns the error that the task reports.
    func error(url: URL?) -> URLError {
        let code = urlErrorCode
        let cause = CurlError(
            code: Int(curlCode),
            message: message,
            systemError: osError,
            verifyResult: verifyResult
        )
        let error = URLError.engine(code, sentence(for: code), url: url, underlying: cause as NSError)
        guard let failure = tlsFailure(for: code, url: url) else { return error }
        return URLError(code, userInfo: error.userInfo.merging([TLSFailure.userInfoKey: failure]) { $1 })
    }
}

extension TransferFailure {
    /// Returns the TLS requirement that was not met; nil if the failure has another reason. The host in the result is
    /// the host of the URL or of the proxy.
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

    /// Whether none of the server's keys is pinned, according to the engine or to libcurl.
    var isPinMismatch: Bool { objection?.isMismatch ?? (curlCode == 90) }

    /// Whether the certificate is made out to other hosts. libcurl checks the name after OpenSSL has found nothing
    /// wrong.
    var isHostMismatch: Bool {
        guard curlCode == 51 || curlCode == 60 else { return false }
        switch verifyResult {
        // OpenSSL's numbers for names and addresses that do not match.
        case 62, 64: return true
        case 0, 1: return Self.phrasesAboutNames.contains { message.holds($0) }
        default: return false
        }
    }

    private static let phrasesAboutNames = ["target host name", "target hostname", "subject name", "common name"]
}
#endif
