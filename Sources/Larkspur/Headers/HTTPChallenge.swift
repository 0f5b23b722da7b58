internal import HTTPSyntax

/// A challenge of a server or a proxy: the scheme and the parameters of the credentials that it requires (RFC 9110,
/// section 11.6.1).
///
///     for challenge in response.challenges where challenge.scheme.lowercased() == "bearer" {
///         print(challenge["realm"] ?? "", challenge["scope"] ?? "")
///     }
///
/// The values come from the server. Before a program sends a secret to a URL of a challenge, it has to check the URL.
public struct HTTPChallenge: Sendable, Hashable {
    private let field: ChallengeField

    /// The name of the scheme as it was received, such as `Bearer`. Its case is not significant.
    public var scheme: String { field.scheme }

    /// The token that some schemes, such as Negotiate, have in place of parameters; nil for other schemes.
    public var token68: String? { field.token68 }

    /// The parameters by their names in lower case, without quotes and escapes. If a name occurs twice, the first value
    /// counts.
    public var parameters: [String: String] {
        Dictionary(field.parameters.map { ($0.key.text, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// The value of a parameter, without quotes and escapes; nil if there is none.
    /// - Parameter name: The parameter's name, in any case.
    public subscript(name: String) -> String? { field[name.inLowercase] }

    /// Reads the challenges of a `WWW-Authenticate` or `Proxy-Authenticate` field, in their order.
    ///
    /// As much as possible is read: commas may be missing or superfluous, and a quoted string may have no end.
    /// - Parameter value: The value of the field. It may be the values of several fields, joined by commas.
    /// - Returns: The challenges; empty if there is none.
    public static func challenges(in value: String) -> [HTTPChallenge] {
        ChallengeField.challenges(in: [value]).map(Self.init)
    }
}

extension HTTPURLResponse {
    /// The challenges of the response, in their order: those of the field `Proxy-Authenticate` for the status 407, and
    /// those of `WWW-Authenticate` for any other status. Empty if there is none.
    public var challenges: [HTTPChallenge] {
        let name = statusCode == 407 ? "Proxy-Authenticate" : "WWW-Authenticate"
        return value(forHTTPHeaderField: name).map(HTTPChallenge.challenges) ?? []
    }
}
