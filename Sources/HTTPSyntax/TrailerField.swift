/// The names of fields that may occur in a trailer section (RFC 9110, section 6.5.1).
package enum TrailerField {
    /// Whether a field with this name may be sent in a trailer section, and is read there.
    ///
    /// A recipient needs some fields before the content: fields that frame the message, route it, authenticate it,
    /// modify the request, control the response, or describe the content's format. In a trailer section they come too
    /// late, and a recipient that merged them into the header section could be misled. False for these fields, and for
    /// a name that is not a token.
    package static func isAllowed(_ name: String) -> Bool {
        guard name.isToken else { return false }
        let name = name.inLowercase
        // The names of all conditional fields begin with `if-` (RFC 9110, section 13.1).
        return !name.begins(with: "if-") && !forbidden.contains(name)
    }

    private static let forbidden: Set<TextKey> = [
        // Framing and the connection.
        "connection", "content-length", "http2-settings", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
        // Routing.
        "host", "max-forwards",
        // Authentication and cookies. `Authentication-Info` is allowed (RFC 9110, section 11.6.3).
        "authorization", "cookie", "cookie2", "proxy-authenticate", "proxy-authorization", "set-cookie", "set-cookie2",
        "www-authenticate",
        // Modifiers of requests.
        "expect", "range",
        // Control of responses.
        "age", "cache-control", "date", "expires", "location", "pragma", "retry-after", "vary", "warning",
        // The content's format.
        "content-encoding", "content-range", "content-type",
    ]
}
