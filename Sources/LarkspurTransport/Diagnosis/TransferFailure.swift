#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The values that libcurl reports for a failed transfer.
struct TransferFailure: Sendable, Hashable {
    /// The `CURLcode`.
    var curlCode: Int32
    /// The `errno` of the system call that failed (`CURLINFO_OS_ERRNO`); 0 if there was none.
    ///
    /// libcurl does not reset the value when a later attempt succeeds. So the value is used only for codes that come
    /// from a system call.
    var osError: Int32 = 0
    /// The result of the certificate's verification, one of OpenSSL's `X509_V_ERR_` numbers. 0 if there was no error, 1
    /// if the certificate was not verified.
    var verifyResult: Int = 0
    /// The text of libcurl's error buffer; may be empty.
    var message: String = ""
    /// Whether the header section of a response has arrived.
    var hasResponse: Bool = false
    /// Whether a byte of a request was sent.
    var hasSent = true
    /// Whether a server of DNS over HTTPS looks up the names of hosts.
    var usesDNSOverHTTPS = false
    /// Whether the connection had to be secure.
    var isTLS: Bool = false
    /// Whether the server's certificate is verified.
    var verifiesCertificate = true
    /// The reason why the handshake was refused; nil if the engine did not refuse it.
    var objection: TrustObjection?
    /// The host of the https proxy whose handshake failed; nil if no such handshake failed.
    var refusedProxy: String?
    /// The family of addresses to which the session is limited, if no such address was tried. Nil otherwise.
    var missingFamily: AddressFamily?
    /// The server; nil if it is not known.
    var server: Peer?
    /// The proxy; nil if there is none.
    var proxy: Peer?
    /// The status of the proxy's response to `CONNECT`; 0 without a response.
    var tunnelStatus = 0

    /// libcurl's report of the failure.
    var cause: CurlError {
        CurlError(code: Int(curlCode), message: message, systemError: osError, verifyResult: verifyResult)
    }

    /// Returns the error that the task reports.
    func error(url: URL?) -> URLError {
        let code = urlErrorCode
        let error = URLError.engine(code, sentence(for: code), url: url, underlying: cause as NSError)
        guard let failure = tlsFailure(for: code, url: url) else { return error }
        var details: [String: Any] = [TLSFailure.userInfoKey: failure]
        if let error = objection?.refusal?.error { details[TLSFailure.evaluatorErrorKey] = error }
        return URLError(code, userInfo: error.userInfo.merging(details) { $1 })
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
            if objection?.refusal != nil {
                .refusedByEvaluator
            } else if isPinMismatch {
                .pinMismatch
            } else if objection?.isNamelessness == true {
                .missingSubjectAltName
            } else {
                isHostMismatch ? .hostMismatch : revocationReason ?? .certificateUntrusted
            }
        case .clientCertificateRequired: .clientCertificateRequired
        case .clientCertificateRejected: isAboutOwnCertificate ? .clientIdentityUnusable : .clientCertificateRejected
        case .secureConnectionFailed: .other
        default: nil
        }
    }

    /// The reason if the certificate was revoked, or could not be looked up in a revocation list; otherwise nil.
    var revocationReason: TLSFailure.Reason? {
        let reason = TLSFailure.Reason(verificationError: Int32(truncatingIfNeeded: verifyResult))
        switch reason {
        case .certificateRevoked, .revocationListMissing, .revocationListExpired, .revocationListUnusable: return reason
        default: return nil
        }
    }

    /// Whether none of the server's keys is pinned, according to the engine or to libcurl.
    var isPinMismatch: Bool { objection?.isMismatch ?? (curlCode == 90) }

    /// Whether the certificate was issued for other hosts. libcurl checks the name after OpenSSL has found no error.
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

/// The error that libcurl reported for a failed transfer. It is the cause of a `URLError`.
///
/// It is available as ``Foundation/URLError/curlError``, and as an `NSError` of ``errorDomain`` under
/// `NSUnderlyingErrorKey`.
public struct CurlError: Error, Sendable, Hashable {
    /// The `CURLcode`, such as 35, `CURLE_SSL_CONNECT_ERROR`.
    public let code: Int
    /// libcurl's message; empty if there is none.
    public let message: String
    /// The `errno` of the system call that failed; 0 if it is not known.
    public let systemError: Int32
    /// The result of the verification of the server's certificate, one of OpenSSL's `X509_V_ERR_` numbers. 0 if there
    /// was no error, 1 if the certificate was not verified.
    public let verifyResult: Int
}

extension CurlError: LocalizedError {
    /// libcurl's message. If it is empty, the number of the code.
    public var errorDescription: String? { message.isEmpty ? Self.sentence(for: code) : message }

    private static func sentence(for code: Int) -> String { "libcurl failed with code \(code)." }
}

extension CurlError: CustomNSError {
    /// The domain of the `NSError` to which a `CurlError` bridges: `LarkspurCurlErrorDomain`.
    public static var errorDomain: String { "LarkspurCurlErrorDomain" }

    /// The key of ``verifyResult`` in `errorUserInfo`, as `Int`. If the value is 0, there is no such key.
    public static let verifyResultUserInfoKey = "LarkspurCurlErrorVerifyResult"

    /// The `CURLcode`.
    public var errorCode: Int { code }

    /// The description. Also contains ``verifyResult`` and an `NSError` of `NSPOSIXErrorDomain` for ``systemError``, if
    /// they are known.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [:]
        info[NSLocalizedDescriptionKey] = errorDescription
        if verifyResult != 0 { info[Self.verifyResultUserInfoKey] = verifyResult }
        if systemError != 0 {
            info[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(systemError))
        }
        return info
    }

    /// Restores the error from the `NSError` to which it was bridged. Returns nil for errors of other domains.
    init?(_ error: NSError) {
        guard error.domain == Self.errorDomain else { return nil }
        let description = error.userInfo[NSLocalizedDescriptionKey] as? String ?? ""
        let systemError = (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code ?? 0
        self.init(
            code: error.code,
            message: description == Self.sentence(for: error.code) ? "" : description,
            systemError: Int32(truncatingIfNeeded: systemError),
            verifyResult: error.userInfo[Self.verifyResultUserInfoKey] as? Int ?? 0
        )
    }
}

extension URLError {
    /// The error that libcurl reported; nil if this error does not come from a transfer of libcurl.
    public var curlError: CurlError? {
        (userInfo[NSUnderlyingErrorKey] as? NSError).flatMap(CurlError.init)
    }
}

/// The server or proxy to which a transfer connects, as error messages name it. It has no credentials.
struct Peer: Sendable, Hashable {
    enum Kind: String, Sendable {
        case server, proxy, socket
    }

    let kind: Kind
    /// The host and the port, or the path of a Unix-domain socket.
    let name: String
    /// The addresses of the connection attempts; empty if the host itself is an address.
    let addresses: [String]
}

extension Peer {
    /// Creates the peer of a URL. Returns nil for a URL without a host.
    /// - Parameters:
    ///   - url: The URL of a request.
    ///   - addresses: The addresses that were tried. Default: none.
    init?(_ url: URL, addresses: [String] = []) {
        if let target = try? UnixSocketTarget(url) {
            self.init(kind: .socket, name: target.socketPath, addresses: [])
        } else if let origin = URLReference(url.absoluteString).origin {
            let host = try? CanonicalHost(inURL: origin.host)
            let others = addresses.filter { $0 != host?.name }
            self.init(kind: .server, name: "\(origin.host):\(origin.port)", addresses: others)
        } else {
            return nil
        }
    }

    init(_ proxy: ProxyServer, addresses: [String] = []) {
        self.init(kind: .proxy, name: proxy.hostAndPort, addresses: addresses.filter { $0 != proxy.host })
    }
}

extension Peer: CustomStringConvertible {
    /// The kind and the name, and the addresses in parentheses: "server example.com:443 (192.0.2.1, 192.0.2.2)".
    var description: String {
        guard !addresses.isEmpty else { return "\(kind) \(name)" }
        let shown = addresses.prefix(4).joined(separator: ", ")
        return "\(kind) \(name) (\(shown)\(addresses.count > 4 ? ", …" : ""))"
    }
}
#endif
