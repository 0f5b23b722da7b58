import HTTPSyntax

extension LarkspurError {
    /// Creates the error that reports an error of the transport.
    ///
    /// FoundationNetworking reports most failures of libcurl as "unknown", with libcurl's message in the description.
    /// So if the code is not specific, the description decides.
    init(transportError error: any Error) {
        if let error = error as? LarkspurError {
            self = error
            return
        }
        let nsError = error as NSError
        let text = nsError.localizedDescription
        let code: Code
        // The engine's reason is more specific than the number of the error.
        if let failure = nsError.userInfo[TLSFailure.userInfoKey] as? TLSFailure {
            code = Code(failure.reason)
        } else if let failure = nsError.userInfo[AccessFailure.userInfoKey] as? AccessFailure {
            code = failure.reason == .portNotAllowed ? .portNotAllowed : .addressNotAllowed
        } else if let part = (nsError.userInfo[RequestPart.userInfoKey] as? String).flatMap(RequestPart.init),
            nsError.code == NSURLErrorBadURL
        {
            code = Code(part)
        } else if nsError.domain == NSURLErrorDomain {
            code = Self.code(number: nsError.code, text: text)
        } else {
            code = .transportFailed
        }
        let url = nsError.userInfo[NSURLErrorFailingURLErrorKey] as? URL
        self.init(
            code,
            code == .unsupportedURL ? Self.sentence(forUnsupported: url, text) : Self.sentence(for: code, text: text),
            // The error of a producer is more specific than the transport's error about it.
            underlyingError: code == .bodyUnreadable
                ? nsError.userInfo[NSUnderlyingErrorKey] as? any Error ?? error : error,
            failingURL: url
        )
        resumeData = nsError.userInfo[Self.resumeDataKey] as? Data
    }

    private static var resumeDataKey: String {
        #if canImport(FoundationNetworking)
        URLSessionDownloadTaskResumeData
        #else
        NSURLSessionDownloadTaskResumeData
        #endif
    }

    private static func code(number: Int, text: String) -> Code {
        // The numbers for TLS come first, because their constants are wrong on Linux; see `init(tlsNumber:)`.
        if let code = Code(tlsNumber: number) { return code }
        return switch number {
        case NSURLErrorCancelled: .cancelled
        case NSURLErrorTimedOut: .timedOut
        case NSURLErrorCannotFindHost, NSURLErrorDNSLookupFailed: .cannotFindHost
        case NSURLErrorCannotConnectToHost, NSURLErrorNotConnectedToInternet: .cannotConnectToHost
        case NSURLErrorNetworkConnectionLost: .connectionLost
        case NSURLErrorHTTPTooManyRedirects, NSURLErrorRedirectToNonExistentLocation: .tooManyRedirects
        case NSURLErrorBadURL: .invalidURL
        case NSURLErrorDataLengthExceedsMaximum: .contentTooLarge
        case NSURLErrorResourceUnavailable: .transportUnavailable
        case NSURLErrorFileDoesNotExist, NSURLErrorFileIsDirectory, NSURLErrorNoPermissionsToReadFile: .fileUnreadable
        case NSURLErrorCannotCreateFile, NSURLErrorCannotWriteToFile: .fileUnwritable
        case NSURLErrorRequestBodyStreamExhausted: .bodyUnreadable
        case NSURLErrorCannotDecodeRawData, NSURLErrorCannotDecodeContentData: .contentDecodingFailed
        case NSURLErrorCannotParseResponse, NSURLErrorBadServerResponse: code(text: text) ?? .malformedResponse
        case NSURLErrorUnsupportedURL: code(text: text) ?? .unsupportedURL
        default: code(text: text) ?? .transportFailed
        }
    }

    /// Recognizes libcurl's messages.
    private static func code(text: String) -> Code? {
        let text = text.lowercased()
        return sentences.first { $0.parts.contains { text.holds($0) } }?.code
    }

    // The first match decides. Specific messages therefore come before general messages, such as `certificate`.
    private static let sentences: [(parts: [String], code: Code)] = [
        (["unencoding", "content encoding"], .contentDecodingFailed),
        (
            ["http/0.9", "header", "chunk", "status line", "http response", "failure writing output"],
            .malformedResponse
        ),
        (["certificate has expired"], .certificateExpired),
        (["certificate is not yet valid"], .certificateNotYetValid),
        (["self-signed", "self signed", "unable to get local issuer"], .certificateUnknownRoot),
        (["target host name", "target hostname"], .certificateHostMismatch),
        (["ssl", "tls", "certificate"], .secureConnectionFailed),
        (["resolve"], .cannotFindHost),
        (["timed out", "timeout"], .timedOut),
        (
            [
                "empty reply", "transfer closed", "remaining to read", "recv failure", "send failure",
                "connection was reset", "connection died", "end of response with",
            ],
            .connectionLost
        ),
        (["failed to connect", "couldn't connect", "refused"], .cannotConnectToHost),
    ]

    /// Returns the sentence for a URL that the transport does not load. If the URL was written without a scheme, its
    /// host is treated as the scheme.
    private static func sentence(forUnsupported url: URL?, _ text: String) -> String {
        guard let scheme = url?.scheme?.lowercased(), scheme != "http", scheme != "https" else {
            return sentence(for: .unsupportedURL, text: text)
        }
        return "The transport does not load URLs with the scheme “\(scheme.excerpt)”: "
            + "begin with https:// or http:// in front of the host."
    }

    /// Returns the sentence for a code.
    ///
    /// If the transport reports a sentence, the message is this sentence, because it has the address, the port and the
    /// reason. Other messages of a transport, such as libcurl's, follow in parentheses.
    private static func sentence(for code: Code, text: String) -> String {
        // If an error has no description, Foundation creates one with these words. They are left out,
        // because they give no reason.
        let words = text.holds("NSURLErrorDomain error") ? "" : text.withoutFullStop
        let reason = words.isEmpty ? "" : " (\(words))"
        let isSentence = !words.isEmpty && text.trimmingCharacters(in: .whitespacesAndNewlines).ends(with: ".")
        return switch code {
        case .cancelled: "The request was cancelled."
        case .transportUnavailable: "The transport cannot be used\(reason)."
        // The engine's sentences state which time was too long. The sentences of other transports do not.
        case .timedOut where words.ends(with: "seconds"): "The request timed out (\(words))."
        case .timedOut where !isSentence: "The request timed out."
        case .tooManyRedirects: "Too many redirects followed one another."
        case .insecureRequest, .securityPolicyNotEnforceable: "The request is not safe to send\(reason)."
        case .addressNotAllowed, .portNotAllowed, .contentTooLarge: "\(words)."
        case .fileUnwritable where words.isEmpty: "The file could not be written."
        case .fileUnwritable: "\(words)."
        case _ where isSentence && (code.isAboutConnection || code.isAboutRequest): "\(words)."
        case .cannotFindHost: "The host could not be found\(reason)."
        case .cannotConnectToHost: "The host could not be connected to\(reason)."
        case .connectionLost: "The connection was lost before the response was complete\(reason)."
        case .malformedResponse: "The server's response could not be understood\(reason)."
        case .contentDecodingFailed: "The content's coding could not be decoded\(reason)."
        case _ where code.isAboutConnection:
            "No secure connection could be made\(isAboutPlainText(words) ? ": is this plain http?" : "")\(reason)."
        default: "The request failed\(reason)."
        }
    }

    /// Returns whether libcurl's message is about bytes that are not TLS.
    private static func isAboutPlainText(_ words: String) -> Bool {
        ["wrong version number", "packet length too long", "unexpected TLS packet"].contains { words.holds($0) }
    }
}

extension LarkspurError.Code {
    fileprivate init(_ part: RequestPart) {
        self =
            switch part {
            case .url: .invalidURL
            case .method: .invalidMethod
            case .fields: .invalidHeaderField
            }
    }

    /// Whether the code is about a request that cannot be written.
    fileprivate var isAboutRequest: Bool {
        self == .invalidURL || self == .invalidMethod || self == .invalidHeaderField
    }

    /// Whether the code is about a connection that was not made or was lost, or about bytes that were not HTTP.
    fileprivate var isAboutConnection: Bool {
        switch self {
        case .timedOut, .cannotFindHost, .cannotConnectToHost, .connectionLost, .secureConnectionFailed,
            .malformedResponse, .contentDecodingFailed:
            true
        default: isAboutIdentity
        }
    }
}
