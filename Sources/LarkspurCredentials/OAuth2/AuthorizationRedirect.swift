internal import HTTPSyntax

/// The request with which a browser brings the response of an authorization server (RFC 6749, section 4.1.2).
struct AuthorizationRedirect: Sendable {
    private let parameters: [TextKey: [String]]

    /// Reads the target of a request; nil if the request is another one, because it has another path or state.
    init?(target: String, path: String, state: String) {
        let parts = target.parts(separatedBy: "?", maxSplits: 1).map { String($0) }
        guard parts.count == 2, parts[0] == path else { return nil }
        var parameters: [TextKey: [String]] = [:]
        for pair in parts[1].parts(separatedBy: "&") {
            let words = pair.parts(separatedBy: "=", maxSplits: 1).map { String($0).percentDecoded(plusIsSpace: true) }
            guard let name = words.first, !name.isEmpty else { continue }
            parameters[TextKey(name), default: []].append(words.count > 1 ? words[1] : "")
        }
        // Another program on this machine must not learn the state from the time of the comparison.
        guard let states = parameters["state"], states.count == 1,
            states[0].utf8.isEqualInConstantTime(to: state.utf8)
        else { return nil }
        self.parameters = parameters
    }

    /// Returns the authorization code.
    /// - Parameter server: The server to which the user was sent.
    /// - Throws: `authorizationFailed` if the response comes from another server (RFC 9207, section 2.4), if it is the
    ///   reason of a failure, or if it has not exactly one code.
    func code(from server: OAuth2Server) throws(LarkspurError) -> String {
        let issuers = parameters["iss"] ?? []
        guard issuers.count <= 1, server.issuer == nil || issuers.allSatisfy({ $0 == server.issuer }) else {
            throw Self.error("it comes from another issuer than the one to which the user was sent")
        }
        guard !server.sendsIssuer || !issuers.isEmpty else { throw Self.error("it does not name its issuer") }
        if let failure = OAuth2Failure({ parameters[$0]?.first }, hiding: (parameters["code"] ?? []) + state) {
            throw LarkspurError(
                .authorizationFailed,
                "The authorization server refused: \(failure).",
                underlyingError: failure
            )
        }
        guard let codes = parameters["code"], codes.count == 1, !codes[0].isEmpty else {
            throw Self.error("it has not exactly one code")
        }
        return codes[0]
    }

    private var state: [String] { parameters["state"] ?? [] }

    private static func error(_ reason: String) -> LarkspurError {
        LarkspurError(.authorizationFailed, "The response of the authorization server was refused: \(reason).")
    }
}
