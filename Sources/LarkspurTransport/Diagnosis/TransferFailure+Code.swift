#if canImport(FoundationNetworking)
import HTTPSyntax

extension TransferFailure {
    /// URLSession's code for the failure.
    ///
    /// If newer versions of libcurl no longer use a number, it retains its old meaning. Unknown numbers become
    /// `unknown`. The numbers of FTP, LDAP, SSH, TFTP and RTSP cannot occur with HTTP. They have the most descriptive
    /// code.
    var urlErrorCode: URLError.Code {
        switch curlCode {
        case 1: isAboutResponse ? .cannotParseResponse : .unsupportedURL
        case 3, 62: .badURL
        case 5, 6, 15: .cannotFindHost
        case 7 where missingFamily != nil: .cannotFindHost
        case 7, 45, 89, 97: connectionCode
        case 8: .cannotParseResponse
        case 10, 11, 13, 14, 17, 19, 21, 22, 25, 30, 31, 33, 36, 39, 71, 72, 74, 84, 85, 86, 87: .badServerResponse
        case 12, 28: .timedOut
        case 16, 92, 95: streamCode
        case 18, 52: .networkConnectionLost
        case 23: isAboutCoding ? .cannotDecodeRawData : .cannotWriteToFile
        case 9, 69: .noPermissionsToReadFile
        case 26, 37: fileCode
        // A header line is longer than libcurl permits. libcurl up to 8.5 reports 27, and later versions report 100.
        // There is no message. The number 27 also means that memory has run out. But this is very rare, because Linux
        // promises more memory than there is.
        case 27 where hasNoAddress: .cannotFindHost
        case 27 where !hasSent: .resourceUnavailable
        case 27, 100: .cannotParseResponse
        case 35: handshakeCode
        case 38, 67, 94: .userAuthenticationRequired
        case 42: .cancelled
        case 43 where isAboutOwnCertificate: .clientCertificateRejected
        case 47: .httpTooManyRedirects
        case 60 where isAlertOfExpiry: .clientCertificateRejected
        case 51, 60: certificateCode
        case 53, 54, 59, 64, 66, 77, 79, 80, 82, 101: .secureConnectionFailed
        case 55, 56: lostConnectionCode
        case 58: .clientCertificateRejected
        case 61: isUnknownCoding ? .cannotDecodeContentData : .cannotDecodeRawData
        case 63: .dataLengthExceedsMaximum
        case 65: .requestBodyStreamExhausted
        case 68, 78: .fileDoesNotExist
        case 70: .cannotWriteToFile
        case 73: .cannotCreateFile
        case 83, 90, 91: .serverCertificateUntrusted
        case 96: isVerified ? certificateCode : connectionCode
        case 98: .clientCertificateRequired
        default: .unknown
        }
    }

    // MARK: Connections

    /// Whether no connection was made. If a request was sent before, libcurl was about to send it again.
    var isAboutConnecting: Bool {
        switch curlCode {
        case 5, 6, 7, 28, 35, 45, 51, 53, 54, 58, 60, 64, 66, 77, 80, 82, 83, 89, 90, 91, 96, 97: true
        case 56: isAboutTunnel
        default: false
        }
    }

    /// Whether the proxy has made no tunnel.
    private var isAboutTunnel: Bool { says("connect tunnel", "from proxy after connect") }

    /// Whether the proxy's name was not found. If the system's own look-up fails immediately, libcurl 8.13 and later
    /// report the number 6. Then only libcurl's message shows that the name is the proxy's.
    var isAboutProxyName: Bool { curlCode == 5 || curlCode == 6 && says("resolve proxy") }

    /// Whether the server of DNS over HTTPS knows the host's name, but has no address for it. For this failure, libcurl
    /// reports that memory has run out. A header that is too large has the same number, but is reported only after a
    /// request.
    var hasNoAddress: Bool { curlCode == 27 && usesDNSOverHTTPS && !hasSent && !hasResponse }

    /// Whether the connection was lost immediately after it was established. libcurl cannot read the peer's address in
    /// this case. Its message reports this and not the failure that follows, because libcurl retains only the first
    /// message of a transfer.
    var isLostAtOnce: Bool {
        says("getpeername() failed", "getsockname() failed") || curlCode == 7 && osError == ENOTCONN
    }

    /// The code for a connection that was not established.
    ///
    /// Only an errno about the routing of this machine means that there is no network. "Host unreachable" comes from a
    /// router, or means that a host of the local network does not respond. This error concerns only one host. Other
    /// hosts may be reachable.
    private var connectionCode: URLError.Code {
        switch osError {
        case ETIMEDOUT: .timedOut
        case ENETUNREACH, ENETDOWN: .notConnectedToInternet
        default: .cannotConnectToHost
        }
    }

    /// The code for a connection that failed while it was in use. libcurl uses the same numbers for errors of a proxy,
    /// for errors in a peer's TLS, and for malformed chunks.
    private var lostConnectionCode: URLError.Code {
        if isAboutTunnel {
            return says("407") ? .userAuthenticationRequired : .cannotConnectToHost
        }
        if says("in chunked-encoding", "chunk hex", "chunk size", "response header", "bytes header", "headers") {
            return .cannotParseResponse
        }
        if let clientCertificateCode { return clientCertificateCode }
        if says(" alert ", "bad record mac", "decryption failed", "wrong version number") {
            return .secureConnectionFailed
        }
        return osError == ETIMEDOUT ? .timedOut : .networkConnectionLost
    }

    /// The code for a failure of an HTTP/2 or HTTP/3 connection or stream. The message contains the error code of RFC
    /// 9113, section 7.
    private var streamCode: URLError.Code {
        if says("inadequate_security") { return .secureConnectionFailed }
        return says("protocol_error", "protocol error", "compression_error", "frame_size_error", "flow_control_error")
            ? .badServerResponse : .networkConnectionLost
    }

    // MARK: TLS

    private var handshakeCode: URLError.Code {
        if objection != nil || isVerified && says("certificate verif", "certificate problem") { return certificateCode }
        if let clientCertificateCode { return clientCertificateCode }
        return osError == ETIMEDOUT ? .timedOut : .secureConnectionFailed
    }

    /// The code for the alerts with which a server requires a client certificate, or rejects it (RFC 8446, section
    /// 6.2).
    private var clientCertificateCode: URLError.Code? {
        if says("certificate required", "certificate is required") { return .clientCertificateRequired }
        let rejects = says(
            "alert bad certificate",
            "alert unsupported certificate",
            "alert certificate revoked",
            "alert certificate expired",
            "alert certificate unknown",
            "alert unknown ca"
        )
        return rejects ? .clientCertificateRejected : nil
    }

    /// Whether the server has ended the handshake with the alert that a certificate has expired. This is the client's
    /// certificate (RFC 8446, section 6.2). With TLS 1.2, the alert arrives within the handshake, and libcurl reports
    /// it as a failed verification of the server. But then the server's own certificate has no error, or is not
    /// verified.
    var isAlertOfExpiry: Bool {
        guard curlCode == 60, objection == nil else { return false }
        return verifiesCertificate ? !isVerified && says("certificate verification failed") : says("ssl certificate")
    }

    /// Whether the client's own certificate or key could not be loaded. Up to version 8.13, libcurl's number is 58. For
    /// a key, later versions report 43, the number for an invalid argument.
    var isAboutOwnCertificate: Bool {
        curlCode == 58 || curlCode == 43 && says("private key", "client certificate", "pkcs12")
    }

    /// Whether the verification has a result. Before the verification, the value is OpenSSL's 1, "unspecified".
    private var isVerified: Bool { verifyResult != 0 && verifyResult != 1 }

    /// The code for a certificate that was refused. If the name in the certificate does not match, the code is
    /// "untrusted", as on other platforms. Older versions of libcurl report no number for such a name.
    private var certificateCode: URLError.Code {
        switch verifyResult {
        case 9: .serverCertificateNotYetValid
        // The certificate has expired, or its dates are malformed.
        case 10, 13, 14: .serverCertificateHasBadDate
        // The issuer is missing, the certificate is self-signed, or the chain cannot be verified or ends in an
        // untrusted root.
        case 2, 18, 19, 20, 21, 27: .serverCertificateHasUnknownRoot
        case 0, 1:
            if says("not yet valid", "not activated") {
                .serverCertificateNotYetValid
            } else if says("expired") {
                .serverCertificateHasBadDate
            } else if says("self-signed", "self signed", "unable to get local issuer", "signer not found") {
                .serverCertificateHasUnknownRoot
            } else {
                .serverCertificateUntrusted
            }
        default: .serverCertificateUntrusted
        }
    }

    // MARK: Content

    private var fileCode: URLError.Code {
        switch osError {
        case ENOENT: .fileDoesNotExist
        case EISDIR: .fileIsDirectory
        case EACCES, EPERM: .noPermissionsToReadFile
        default: .cannotOpenFile
        }
    }

    private var isAboutCoding: Bool { says("unencoding", "content encoding", "content-encoding") }

    private var isUnknownCoding: Bool { says("unrecognized", "unknown", "content encodings") }

    /// Whether a number with several meanings concerns the bytes of a response.
    private var isAboutResponse: Bool { says("http/", "header", "response", "status line") }

    /// Whether libcurl's message contains one of the phrases. The messages are never translated. They have no
    /// structure, so only their words can be compared.
    private func says(_ phrases: String...) -> Bool {
        guard !message.isEmpty else { return false }
        let text = message.inLowercase
        return phrases.contains { text.holds($0) }
    }
}
#endif
