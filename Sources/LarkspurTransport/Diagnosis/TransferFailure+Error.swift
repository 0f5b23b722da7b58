#if canImport(FoundationNetworking)
import HTTPSyntax

extension TransferFailure {
    /// Describes the failure in one sentence, with libcurl's message in parentheses.
    func sentence(for code: URLError.Code) -> String {
        if let objection, let refusal = objection.refusal {
            let reason = refusal.text.map { ": \($0)" } ?? ""
            let end = reason.ends(with: ".") ? "" : "."
            return "The server trust evaluator refused “\(objection.name)”\(reason)\(end)"
        }
        if let objection, objection.isMismatch { return sentence(forMismatch: objection) }
        if objection?.isNamelessness == true {
            return
                "\(peer)'s certificate has no subjectAltName, and its common name does not count as the name of a host (RFC 9110, section 4.3.4). The option acceptsCommonNames of TLSConfiguration accepts it."
        }
        if code == .cannotFindHost, let missingFamily {
            return missingFamily.sentence(without: proxy ?? server) + " (\(detail))."
        }
        if let sentence = sentence(forUnconnected: code) { return sentence }
        return "\(summary(of: code)) (\(detail))."
    }

    /// libcurl's message, unless it hides the cause.
    private var detail: String {
        if isLostAtOnce { return "the peer closed it as soon as it was made" }
        if isAlertOfExpiry { return "the server reported that it has expired" }
        return message.isEmpty ? "libcurl error \(curlCode)" : message
    }

    /// Describes a connection that was not established, with the system's reason. Returns nil if the reason is not
    /// known.
    ///
    /// libcurl's message is only "Couldn't connect to server".
    private func sentence(forUnconnected code: URLError.Code) -> String? {
        guard let peer = proxy ?? server else { return nil }
        if let proxy, let server, code == .cannotConnectToHost, tunnelStatus >= 300 {
            return "The \(proxy) made no tunnel to the \(server): CONNECT was answered with \(tunnelStatus)."
        }
        guard curlCode == 7, osError != 0 else { return nil }
        if isLostAtOnce { return "The \(peer) closed the connection as soon as it was made." }
        if osError == ECONNREFUSED { return "The \(peer) refused the connection." }
        let reason = String(cString: strerror(osError))
        return code == .notConnectedToInternet
            ? "This machine has no network that leads to the \(peer): \(reason)."
            : "The \(peer) could not be connected to: \(reason)."
    }

    /// The peer of the secure connection, as a part of a sentence; empty if it is not known.
    private var secureTarget: String { (refusedProxy == nil ? server : proxy).map { " to the \($0)" } ?? "" }

    /// The connection that was lost, as a part of a sentence.
    private var connection: String {
        guard let proxy else { return server.map { "The connection to the \($0)" } ?? "The connection" }
        guard isTLS, let server else { return "The connection to the \(proxy)" }
        return "The connection to the \(server) through the \(proxy)"
    }

    /// Whether the peer has sent bytes that are not TLS.
    private var isAboutPlainText: Bool {
        ["wrong version number", "packet length too long", "unexpected TLS packet"].contains { message.holds($0) }
    }

    private func sentence(forMismatch objection: TrustObjection) -> String {
        let keys = objection.keys.map(\.description).joined(separator: ", ")
        return
            "\(peer) “\(objection.name)” has none of the keys or certificates that are pinned for it (its keys are \(keys))."
    }

    /// The peer whose certificate was refused.
    private var peer: String { refusedProxy == nil ? "The server" : "The proxy" }

    private func summary(of code: URLError.Code) -> String {
        switch code {
        case .badServerResponse: "The server broke the rules of its protocol"
        case .badURL: "The URL is malformed"
        case .cancelled: "The request was cancelled"
        case .cannotConnectToHost:
            curlCode == 97
                ? "The \(proxy?.description ?? "proxy") made no connection to the \(server?.description ?? "host")"
                : "The \((proxy ?? server)?.description ?? "host") could not be connected to"
        case .cannotCreateFile: "The file exists already"
        case .cannotDecodeContentData: "The content has a coding that is not known"
        case .cannotDecodeRawData: "The content could not be decoded"
        case .cannotFindHost where hasNoAddress: "The server of DNS over HTTPS has no address for the host"
        case .cannotFindHost: isAboutProxyName ? "The proxy could not be found" : "The host could not be found"
        case .cannotOpenFile, .fileIsDirectory, .noPermissionsToReadFile:
            curlCode == 26 ? "The content to send could not be read" : "The file could not be read"
        case .cannotParseResponse:
            curlCode == 27 || curlCode == 100
                ? "The response's header is too large, or memory ran out"
                : "The server's response could not be understood"
        case .cannotWriteToFile: "The content could not be written"
        case .clientCertificateRejected:
            isAboutOwnCertificate
                ? "The client's own certificate or key cannot be used" : "The client's certificate was not accepted"
        case .clientCertificateRequired: "The server asked for a certificate of the client"
        case .dataLengthExceedsMaximum: "The content is larger than the limit"
        case .fileDoesNotExist: "The file does not exist"
        case .httpTooManyRedirects: "Too many redirects followed one another"
        case .networkConnectionLost:
            "\(connection) was lost before the response \(hasResponse ? "was complete" : "began")"
        case .notConnectedToInternet: "This machine has no network that leads to the host"
        case .resourceUnavailable: "Memory has run out"
        case .requestBodyStreamExhausted: "The content had to be sent again, and could not be"
        case .secureConnectionFailed:
            "No secure connection\(secureTarget) could be made\(isAboutPlainText ? ": is this plain http?" : "")"
        case .serverCertificateHasBadDate: "\(peer)'s certificate has expired"
        case .serverCertificateHasUnknownRoot: "\(peer)'s certificate has no issuer that is trusted"
        case .serverCertificateNotYetValid: "\(peer)'s certificate is not valid yet"
        case .serverCertificateUntrusted:
            if isPinMismatch {
                "\(peer) has none of the keys that are pinned for it"
            } else if isHostMismatch {
                "\(peer)'s certificate is made out to other hosts"
            } else {
                switch revocationReason {
                case .certificateRevoked?: "\(peer)'s certificate, or one of its authorities', was revoked"
                case .revocationListMissing?:
                    "\(peer)'s certificate cannot be checked, because there is no revocation list of an issuer"
                case .revocationListExpired?:
                    "\(peer)'s certificate cannot be checked, because a revocation list of an issuer has expired"
                case .revocationListUnusable?:
                    "\(peer)'s certificate cannot be checked, because a revocation list is not valid"
                default: "\(peer)'s certificate is not to be trusted"
                }
            }
        case .timedOut: "The request timed out"
        case .unsupportedURL: "The URL's scheme is not supported"
        case .userAuthenticationRequired:
            curlCode == 56
                ? "The \(proxy?.description ?? "proxy") asked for credentials" : "The server asked for credentials"
        default: isTLS ? "The secure transfer failed" : "The transfer failed"
        }
    }
}

extension AddressFamily {
    /// Describes a peer that has no address of the family, without a full stop.
    func sentence(without peer: Peer?) -> String {
        "No \(name) address of the \(peer?.description ?? "host") was found, and the session uses no other"
    }
}
#endif
