internal import HTTPSyntax

/// The reason that an authorization server gives for a failure (RFC 6749, sections 4.1.2.1 and 5.2; RFC 8628, section
/// 3.5).
///
///     if error.oauth2Failure?.code == "invalid_grant" {
///         print("Please log in again.")
///     }
///
/// The texts come from the server. If they repeat a secret of the request, such as the client's secret, the word
/// `redacted` replaces it.
public struct OAuth2Failure: Error, Sendable, Hashable {
    /// The server's `error`, such as `invalid_grant` or `access_denied`.
    public let code: String
    /// The server's `error_description` in one line of at most 160 characters; nil if there is none.
    public let explanation: String?
    /// The server's `error_uri`, a page about the failure; nil if there is none, or if it is not an http or https URL.
    public let page: URL?
    /// The status code of the response; nil if the reason arrived in a redirect.
    public let statusCode: Int?

    package init(code: String, explanation: String? = nil, page: URL? = nil, statusCode: Int? = nil) {
        self.code = code
        self.explanation = explanation
        self.page = page
        self.statusCode = statusCode
    }

    /// Reads the reason from a response; nil if there is none.
    /// - Parameters:
    ///   - member: A closure that returns a member of the response.
    ///   - statusCode: The status code of the response.
    ///   - secrets: The secrets of the request.
    package init?(_ member: (String) -> String?, statusCode: Int? = nil, hiding secrets: [String]) {
        func text(_ name: String) -> String? {
            // The secrets are hidden before the text is shortened. Otherwise a part of a secret could remain.
            let line = member(name).map { Self.hiding(secrets, in: $0).excerpt.withoutFullStop.trimmingBlanks }
            return line.flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let code = text("error") else { return nil }
        let page = member("error_uri").flatMap { URL(string: Self.hiding(secrets, in: $0)) }
        let isLink = page.map { ["http", "https"].contains($0.scheme?.inLowercase ?? "") && $0.host() != nil } ?? false
        self.init(
            code: code,
            explanation: text("error_description"),
            page: isLink ? page?.withoutSecrets : nil,
            statusCode: statusCode
        )
    }

    /// Replaces secrets in a text. Shorter texts than four bytes are not taken for secrets, because they may be parts
    /// of any word.
    static func hiding(_ secrets: [String], in text: String) -> String {
        let forms = secrets.flatMap { secret in
            let escaped = PercentEncoding.escapingAll(secret, unless: PercentEncoding.isUnreserved)
            return [secret, QueryEncoder.percentEscaped(secret), escaped]
        }.filter { $0.utf8.count >= 4 }
        var bytes = Array(text.utf8)
        // A secret may contain another one, so the longest is replaced first.
        for form in forms.sorted(by: { $0.utf8.count > $1.utf8.count }) {
            bytes = bytes.replacing(Array(form.utf8), with: Array("redacted".utf8))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension OAuth2Failure: LocalizedError, CustomStringConvertible {
    /// The status code, the code, the explanation and the page, in one line.
    public var description: String {
        let status = statusCode.map { "status \($0), " } ?? ""
        let link = page.map { " (\(Redaction.standard.text(of: $0)))" } ?? ""
        return status + code + (explanation.map { ": \($0)" } ?? "") + link
    }
    /// The line of ``description``.
    public var errorDescription: String? { description }
}

extension LarkspurError {
    /// The reason that an authorization server gave, if a token could not be obtained or renewed; nil if the server
    /// gave none, or if the failure is another one.
    public var oauth2Failure: OAuth2Failure? {
        (underlyingError as? OAuth2Failure) ?? (underlyingError as? LarkspurError)?.oauth2Failure
    }
}
