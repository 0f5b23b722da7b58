internal import HTTPSyntax

/// The rules by which a string and a base URL become the URL of a request.
package enum BaseURL {
    /// Returns the base URL of a session manager, or an error if the target cannot be a base URL. A `URL` is accepted
    /// without a check. If the URL is relative, only the calls that need a base URL fail.
    static func result(of target: (any RequestTarget)?) -> Result<URL?, LarkspurError> {
        guard let target else { return .success(nil) }
        if let url = target as? URL { return .success(normalized(url)) }
        do throws(LarkspurError) {
            return .success(normalized(try url(ofBase: target)))
        } catch {
            return .failure(error)
        }
    }

    /// Returns a base URL. A string must be an absolute URL with a host. `localhost:80` is not accepted, because
    /// `localhost` is its scheme.
    private static func url(ofBase target: any RequestTarget) throws(LarkspurError) -> URL {
        guard let string = target as? String else { return try target.requestURL(relativeTo: nil) }
        guard let url = try? URLReference(reading: string).url, url.scheme != nil, let host = url.host, !host.isEmpty
        else {
            throw LarkspurError(
                .invalidURL,
                "The base URL of the session manager, “\(excerpt(of: string))”, is no whole URL: write it with a scheme and a host, as https://example.com/v1."
            )
        }
        return url
    }

    /// Returns a base URL whose path ends in a slash, so that relative references resolve to URLs below the path.
    /// Without the slash they would replace the last part of the path.
    ///
    /// An empty path stays empty. Query and fragment stay.
    static func normalized(_ url: URL) -> URL {
        let text = url.absoluteString
        let end = text.unicodeScalars.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
        guard !url.path.isEmpty, !text[..<end].ends(with: "/") else { return url.absoluteURL }
        return URL(string: text[..<end] + "/" + text[end...]) ?? url.absoluteURL
    }

    /// Resolves a string against a base URL (RFC 3986, section 5). `foo` resolves to a URL below the base's path;
    /// `/foo` replaces the path; an absolute URL replaces the base; an empty string is the base itself. The base's
    /// query is dropped unless the string is empty or a fragment.
    /// - Parameters:
    ///   - string: An absolute or relative URL. Characters that a URL cannot contain are percent-encoded, and escapes
    ///     stay as they are (``URLReference/init(reading:)``).
    ///   - base: The base URL, which is normalized first.
    /// - Throws: ``LarkspurError`` with the code `invalidURL`.
    package static func resolve(_ string: String, against base: URL?) throws(LarkspurError) -> URL {
        let base = base.map(normalized)
        let reference = try reading(string)
        guard !reference.text.isEmpty else {
            guard let base else {
                throw LarkspurError(
                    .invalidURL,
                    "The URL is empty and there is no base URL: pass a URL such as https://example.com/users, or set a base URL."
                )
            }
            try validate(base)
            return base
        }
        let isAbsolute = reference.scheme != nil
        let target = isAbsolute ? reference : base.map { reference.resolved(against: .init($0.absoluteString)) }
        guard let target, target.scheme != nil else {
            throw LarkspurError(
                .invalidURL,
                "“\(excerpt(of: string))” is relative and there is no base URL with a scheme: pass a whole URL such as https://example.com/users, "
                    + "or set a base URL."
            )
        }
        return try url(target, string)
    }

    /// Resolves a reference that a server has sent, against the URL of the response or of the request.
    /// - Throws: ``LarkspurError`` with the code `invalidURL`.
    static func resolve(_ reference: String, from base: URL?) throws(LarkspurError) -> URL {
        let target = try reading(reference).resolved(against: URLReference(base?.absoluteString ?? ""))
        return try url(target, reference)
    }

    private static func reading(_ string: String) throws(LarkspurError) -> URLReference {
        do throws(URLReference.Defect) {
            return try URLReference(reading: string)
        } catch {
            let text = "“\(excerpt(of: string))”"
            let reason =
                switch error {
                case .controlCharacter:
                    "cannot be parsed as a URL: it has a line end or another control character, which has to be escaped, as %0A."
                case .colonWithoutScheme:
                    "has no scheme: begin with http:// or https://, or with ./ if it is a path with a colon."
                case .malformedPort: "cannot be parsed as a URL: its port is no number."
                case .host(let defect): "cannot be parsed as a URL: its host \(defect.clause)."
                }
            throw LarkspurError(.invalidURL, text + " " + reason)
        }
    }

    private static func url(_ reference: URLReference, _ string: String) throws(LarkspurError) -> URL {
        guard let url = reference.url else {
            throw LarkspurError(
                .invalidURL,
                "“\(excerpt(of: string))” cannot be parsed as a URL: write it as https://example.com/users."
            )
        }
        try validate(url)
        return url
    }

    /// Checks that a URL is absolute, and that an http or https URL has a host (RFC 9110, section 4.2) with a canonical
    /// form.
    static func validate(_ url: URL) throws(LarkspurError) {
        guard let scheme = url.scheme?.lowercased(), !scheme.isEmpty else {
            throw LarkspurError(
                .invalidURL,
                "“\(excerpt(of: url.absoluteString))” is relative: a request needs a whole URL such as https://example.com/users.",
                failingURL: url
            )
        }
        guard scheme == "http" || scheme == "https" else { return }
        do throws(CanonicalHost.Defect) {
            _ = try CanonicalHost(of: url)
        } catch {
            let text = "“\(excerpt(of: url.absoluteString))”"
            throw LarkspurError(
                .invalidURL,
                error == .empty
                    ? "\(text) has no host: write it with two slashes and a host, as \(scheme)://example.com/users."
                    : "\(text) cannot be requested: its host \(error.clause).",
                failingURL: url
            )
        }
    }

    /// Returns the part of a string that is safe to show in a message: its beginning, without credentials, query and
    /// fragment, on one line.
    static func excerpt(of string: String) -> String {
        let scalars = string.unicodeScalars
        let end = scalars.firstIndex { $0 == "?" || $0 == "#" } ?? scalars.endIndex
        let start = scalars[..<end].lastIndex(of: "@")
        // A password may contain `?` or `#`. Then the `@` after the password is behind `end`, and no part is safe to
        // show.
        let isCut = start == nil && scalars[..<end].contains(":") && scalars[end...].contains("@")
        let shown = isCut ? "" : string[(start ?? scalars.startIndex)..<end]
        let text =
            (start == nil ? "" : "…") + Redaction.standard.text(String(shown)) + (end < scalars.endIndex ? "…" : "")
        return (text.count > 80 ? text.prefix(80) + "…" : text).onOneLine
    }
}

extension URLRequest {
    /// Checks that a request can be sent unchanged. Transports send malformed values without a check, or terminate the
    /// process.
    /// - Parameter knownURL: A URL that was validated before. Default: none.
    /// - Throws: `invalidURL`, `invalidMethod` or `invalidHeaderField`.
    package func validate(knownURL: URL? = nil) throws(LarkspurError) {
        guard let url else {
            throw LarkspurError(.invalidURL, "The request has no URL: set one before a task is made of it.")
        }
        if url != knownURL { try BaseURL.validate(url) }
        try HTTPMethod(rawValue: httpMethod ?? "GET").validate()
        try validateFields()
    }

    /// Checks that the fields of the request can be sent unchanged.
    /// - Throws: `invalidHeaderField`.
    func validateFields() throws(LarkspurError) {
        for (name, value) in allHTTPHeaderFields ?? [:] { try HTTPHeaders.Field(name: name, value: value).validate() }
    }
}
