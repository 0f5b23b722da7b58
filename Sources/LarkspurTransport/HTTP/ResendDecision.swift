#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The decision whether a request may be sent again after an attempt without a response (RFC 9110, section 9.2.2). It
/// is a value without I/O.
///
/// It does not apply after a response such as a redirect or a challenge, because such a response determines the next
/// step.
enum ResendDecision: Equatable, Sendable {
    case resend
    /// The request is not sent again, because the server may have executed it.
    case fail

    /// The outcome of the previous attempt.
    enum Attempt: Sendable, CaseIterable {
        /// No byte of the request has left this machine.
        case notSent
        /// The server has reported that it did not process the request, with REFUSED_STREAM or with a GOAWAY with a
        /// lower stream identifier.
        case notProcessed
        /// A byte of the request may have been sent. It is not known whether the server has executed the request.
        case lost
    }

    /// - Parameters:
    ///   - request: The request, with its own fields.
    ///   - additionalFields: The fields that the session adds.
    ///   - attempt: The outcome of the previous attempt.
    ///   - isAllowed: Whether the caller allows that requests are sent again even if their method is not idempotent.
    init(_ request: URLRequest, additionalFields: [String: String], after attempt: Attempt, isAllowed: Bool) {
        let mayBeRepeated =
            isAllowed || MethodProperties(request.httpMethod ?? "GET").isIdempotent
            || Self.keyNames.contains { name in
                request.value(forHTTPHeaderField: name) != nil
                    || additionalFields.contains { $0.key.hasSameLetters(as: name) }
            }
        self = attempt != .lost || mayBeRepeated ? .resend : .fail
    }

    /// The fields by which a server recognizes a request that it has already executed.
    private static let keyNames = ["Idempotency-Key", "X-Idempotency-Key"]

    /// Returns the error of a request that is not sent again.
    static func error(for request: URLRequest, underlying: NSError? = nil) -> URLError {
        .engine(
            .networkConnectionLost,
            "The connection was lost before a response, and the server may have executed the request. The method \(request.httpMethod ?? "GET") is sent again only if it has an Idempotency-Key field or the option resendsNonIdempotentRequests allows it.",
            url: request.url,
            underlying: underlying
        )
    }
}
#endif
