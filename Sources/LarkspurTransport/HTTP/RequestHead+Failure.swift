#if canImport(FoundationNetworking)

extension RequestHead {
    /// The reason why a request cannot be written. A sentence names the offending field, never its value, which may be
    /// a secret.
    enum Failure: Error, Equatable {
        case missingURL, invalidURL, unsupportedScheme, invalidSocketPath
        case invalidMethod
        case invalidFieldName(String)
        case invalidFieldValue(name: String)
        case tooLong(bytes: Int)

        /// The code of the error. Foundation has none for a field: as with a bad URL, the request is malformed and no
        /// repetition helps.
        var code: URLError.Code {
            self == .unsupportedScheme || self == .missingURL ? .unsupportedURL : .badURL
        }

        var sentence: String {
            switch self {
            case .missingURL: "The request has no URL."
            case .invalidURL:
                "The URL is not absolute, or has no host, an impossible port or characters that no URL has."
            case .unsupportedScheme: "The URL's scheme is neither http nor https."
            case .invalidSocketPath:
                "The URL's host is not the percent-encoded, absolute path of a Unix-domain socket, of at most 107 bytes."
            case .invalidMethod: "The method contains characters that HTTP does not allow there."
            case .invalidFieldName(let name):
                "The field name \(name.debugDescription) contains characters that HTTP does not allow there."
            case .invalidFieldValue(let name):
                "The value of the field \(name) contains a line end or a null character."
            case .tooLong(let bytes):
                "The request's header is too large: \(bytes) bytes, where \(RequestHead.maximumLength) can be sent."
            }
        }

        var urlError: URLError {
            URLError(code, userInfo: [NSLocalizedDescriptionKey: sentence])
        }
    }
}

#endif
