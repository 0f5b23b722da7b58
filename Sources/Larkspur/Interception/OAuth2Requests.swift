internal import HTTPSyntax

/// The requests of a client to its authorization server, and their responses (RFC 6749, sections 2.3, 3.2 and 5).
package struct OAuth2Requests: Sendable {
    /// A closure that sends a request, and returns the content and the response.
    package typealias Send = @Sendable (URLRequest) async throws -> (Data, URLResponse)

    let tokenEndpoint: URL
    let clientID: String
    let clientSecret: String?
    let clientAuthentication: OAuth2Authenticator.ClientAuthentication
    let send: Send
    /// The code of the errors: `credentialRefreshFailed` or `authorizationFailed`.
    let errorCode: LarkspurError.Code
    /// The source of the present date.
    let date: @Sendable () -> Date

    package init(
        tokenEndpoint: URL,
        clientID: String,
        clientSecret: String?,
        clientAuthentication: OAuth2Authenticator.ClientAuthentication,
        errorCode: LarkspurError.Code,
        date: @escaping @Sendable () -> Date,
        send: @escaping Send
    ) {
        self.tokenEndpoint = tokenEndpoint
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.clientAuthentication = clientAuthentication
        self.errorCode = errorCode
        self.date = date
        self.send = send
    }

    /// Requests an access token from the token endpoint.
    /// - Parameters:
    ///   - parameters: The parameters of the grant.
    ///   - secrets: The secrets among the parameters.
    package func credential(
        _ parameters: [String: String],
        secrets: [String] = []
    ) async throws -> OAuth2Credential {
        // The server counts the lifetime from a moment before the response arrives here.
        let start = date()
        let answer = try await answer(from: tokenEndpoint, parameters, secrets: secrets)
        let token = try answer.accessToken()
        return OAuth2Credential(
            accessToken: token,
            refreshToken: answer.text("refresh_token"),
            expirationDate: answer.lifetime.map { start + $0 }
        )
    }

    /// Sends parameters to an endpoint as a form, with the client's authentication.
    /// - Parameters:
    ///   - endpoint: The URL of the endpoint.
    ///   - parameters: The parameters.
    ///   - secrets: The secrets among the parameters. An error does not contain them.
    package func answer(
        from endpoint: URL,
        _ parameters: [String: String],
        secrets: [String] = []
    ) async throws -> OAuth2Answer {
        let assertion = try assertion()
        let request = request(to: endpoint, parameters, assertion)
        let progress = RefreshProgress.current
        progress?.willSend()
        let (data, response): (Data, URLResponse)
        do {
            (data, response) = try await send(request)
        } catch {
            progress?.didFail(with: error)
            throw error
        }
        let basic = request.value(forHTTPHeaderField: "Authorization").map { String($0.dropFirst("Basic ".count)) }
        let own = [clientSecret, basic, assertion?.value].compactMap { $0 }
        let answer = OAuth2Answer(data, response, errorCode, hiding: own + secrets)
        // The response to another request, after a redirect, does not tell what the endpoint has done.
        if response.url.map({ Self.isEqual($0, endpoint) }) ?? true {
            progress?.didReceive(status: answer.status, failure: answer.failure)
        }
        return answer
    }

    /// Whether two URLs have the same origin and path.
    private static func isEqual(_ one: URL, _ other: URL) -> Bool {
        Origin(one) == Origin(other) && one.path == other.path
    }

    /// Returns a new assertion; nil if the client is authenticated otherwise.
    private func assertion() throws(LarkspurError) -> OAuth2Assertion.Content? {
        guard case .assertion(let assertion) = clientAuthentication.kind else { return nil }
        do {
            return try assertion.make(clientID, tokenEndpoint, date())
        } catch {
            throw LarkspurError(
                errorCode,
                "The client could not be authenticated: \(SerializationFailure.reason(error).withoutFullStop).",
                underlyingError: error
            )
        }
    }

    /// Returns parameters as the text of a form or of a query, in the order of their names.
    package static func text(of parameters: [String: String]) -> String {
        parameters.sorted { $0.key < $1.key }.map {
            "\(QueryEncoder.percentEscaped($0))=\(QueryEncoder.percentEscaped($1))"
        }.joined(separator: "&")
    }

    private func request(
        to endpoint: URL,
        _ parameters: [String: String],
        _ assertion: OAuth2Assertion.Content?
    ) -> URLRequest {
        var parameters = parameters
        var request = URLRequest(url: endpoint)
        switch (clientSecret, clientAuthentication.kind) {
        case (let secret?, .basic):
            // The identifier and the secret are first encoded like values of a form (RFC 6749, section 2.3.1).
            let (name, password) = (QueryEncoder.percentEscaped(clientID), QueryEncoder.percentEscaped(secret))
            let field = HTTPHeaders.Field.authorization(username: name, password: password)
            request.setValue(field.value, forHTTPHeaderField: field.name)
        case (_, .assertion):
            parameters["client_id"] = clientID
            parameters["client_assertion_type"] = assertion?.type
            parameters["client_assertion"] = assertion?.value
        // A public client identifies itself in the content, because it has no secret.
        case (let secret, _):
            parameters["client_id"] = clientID
            parameters["client_secret"] = secret
        }
        request.httpMethod = "POST"
        request.httpBody = Data(Self.text(of: parameters).utf8)
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        return request
    }
}

/// A source of assertions, which authenticate a client in place of its secret (RFC 7521, section 4.2). Two sources are
/// equal only if they are the same object.
package final class OAuth2Assertion: Sendable {
    /// An assertion, and the URI of its type.
    package struct Content: Sendable {
        let type: String
        let value: String

        package init(type: String, value: String) {
            self.type = type
            self.value = value
        }
    }

    /// A closure that makes an assertion for the identifier of a client, a token endpoint and the present date.
    package typealias Make = @Sendable (_ clientID: String, _ tokenEndpoint: URL, _ date: Date) throws -> Content

    let make: Make

    init(_ make: @escaping Make) { self.make = make }
}

extension OAuth2Assertion: Hashable {
    package static func == (left: OAuth2Assertion, right: OAuth2Assertion) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The response of an authorization server: the members of a JSON object (RFC 6749, section 5).
package struct OAuth2Answer {
    package let status: Int
    /// The server's reason for a failure; nil if there is none.
    package let failure: OAuth2Failure?
    private let members: [String: Any]
    private let response: URLResponse
    private let errorCode: LarkspurError.Code
    /// The secrets of the request and of the response, which no error contains.
    private let secrets: [String]

    /// - Parameter secrets: The secrets of the request.
    package init(_ data: Data, _ response: URLResponse, _ errorCode: LarkspurError.Code, hiding secrets: [String]) {
        let members = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
        let status = (response as? HTTPURLResponse)?.statusCode ?? 200
        self.members = members
        self.response = response
        self.status = status
        self.errorCode = errorCode
        let secrets = secrets + Self.secretMembers.compactMap { members[$0] as? String }
        self.secrets = secrets
        // Some servers report a failure with the status 200.
        failure =
            (200..<300).contains(status) && members["access_token"] != nil
            ? nil : OAuth2Failure({ members[$0] as? String }, statusCode: status, hiding: secrets)
    }

    /// The members that are secrets.
    private static let secretMembers = ["access_token", "refresh_token", "id_token", "device_code"]

    /// Whether the response is a success.
    package var isSuccessful: Bool { (200..<300).contains(status) && failure == nil }

    /// Returns a member that is a string; nil if there is no such member, or if it is empty.
    package func text(_ name: String) -> String? {
        (members[name] as? String).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns a member that is a list of strings; nil if there is no such member.
    package func texts(_ name: String) -> [String]? { (members[name] as? [Any])?.compactMap { $0 as? String } }

    /// Returns whether a member is true.
    package func isTrue(_ name: String) -> Bool { members[name] as? Bool ?? false }

    /// Returns a member that is a number of seconds; nil if there is no valid number. RFC 6749 requires a number; some
    /// servers send it as a string.
    package func seconds(_ name: String) -> TimeInterval? {
        let number = (members[name] as? Double) ?? (members[name] as? String).flatMap(Double.init)
        return number.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }

    /// The lifetime of what the server has issued, in seconds; nil if it is unknown. A longer time than a century is
    /// not meant, and may lead to a date that cannot be printed.
    package var lifetime: TimeInterval? { seconds("expires_in").map { min($0, 3_155_760_000) } }

    /// Returns the access token.
    /// - Throws: The error with the server's reason, or with the reason why the response cannot be used.
    package func accessToken() throws(LarkspurError) -> String {
        guard isSuccessful else { throw refusal() }
        guard let token = text("access_token") else { throw error("the response has no access token") }
        // A line break in a token would end the header field.
        guard token.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), token.utf8.first != .space,
            token.utf8.last != .space
        else { throw error("the access token has characters that no token has, or a blank at an end") }
        // A missing type counts as Bearer, although RFC 6749 requires the member.
        if let type = members["token_type"] as? String, type.lowercased() != "bearer" {
            throw error("the token's type is \(OAuth2Failure.hiding(secrets, in: type).excerpt), not Bearer")
        }
        return token
    }

    private func refusal() -> LarkspurError { error(failure.map { "\($0)" } ?? "status \(status)") }

    private func error(_ reason: String) -> LarkspurError {
        let what = errorCode == .credentialRefreshFailed ? "no new access token" : "no access token"
        // The error of a refresh gets the response that refused the old token.
        let response = errorCode == .credentialRefreshFailed ? nil : response
        return LarkspurError(
            errorCode,
            "The token endpoint gave \(what): \(reason).",
            underlyingError: failure,
            response: response
        )
    }
}
