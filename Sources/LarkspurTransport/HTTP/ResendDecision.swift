#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// Whether a request may be sent again after an attempt that got no response (RFC 9110, section 9.2.2): a value without
/// I/O.
///
/// A request that was answered by a redirect, a challenge or the like is another matter: the server has said what
/// follows.
enum ResendDecision: Equatable, Sendable {
    case resend
    /// The server may have executed it.
    case fail

    /// The fate of the attempt before.
    enum Attempt: Sendable, CaseIterable {
        /// Nothing of the request has left this machine.
        case notSent
        /// The server has said that it did not process it: a GOAWAY with a lower stream identifier, or REFUSED_STREAM.
        case notProcessed
        /// A byte of it may have left, and there is no telling what the server did.
        case lost
    }

    /// - Parameters:
    ///   - request: The request, with the fields that it brings itself.
    ///   - additionalFields: The fields that the session adds.
    ///   - attempt: The fate of the attempt before.
    ///   - isAllowed: Whether the caller allows methods that are not idempotent to be sent again.
    init(_ request: URLRequest, additionalFields: [String: String], after attempt: Attempt, isAllowed: Bool) {
        let mayBeRepeated =
            isAllowed || Self.idempotentMethods.contains(request.httpMethod ?? "GET")
            || Self.keyNames.contains { name in
                request.value(forHTTPHeaderField: name) != nil
                    || additionalFields.contains { $0.key.hasSameLetters(as: name) }
            }
        self = attempt != .lost || mayBeRepeated ? .resend : .fail
    }

    /// Those of RFC 9110, section 9.2.2, and the safe ones of IANA's registry. Methods are case-sensitive.
    private static let idempotentMethods: Set<String> = [
        "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "PROPFIND", "REPORT", "SEARCH", "QUERY",
    ]

    /// With one of these a server recognizes a request that it has executed already.
    private static let keyNames = ["Idempotency-Key", "X-Idempotency-Key"]

    /// The error of a request that is not sent again.
    static func error(for request: URLRequest, underlying: NSError? = nil) -> URLError {
        .engine(
            .networkConnectionLost,
            "The connection was lost before a response, and the server may have executed the request. A \(request.httpMethod ?? "GET") is sent again only if it has an Idempotency-Key field or the option resendsNonIdempotentRequests allows it.",
            url: request.url,
            underlying: underlying
        )
    }
}
#endif
