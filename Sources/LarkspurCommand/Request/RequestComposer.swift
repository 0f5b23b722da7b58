import HTTPSyntax
import LarkspurCredentials

/// The request that the arguments describe.
struct ComposedRequest: Sendable {
    /// The request without its body.
    var request: URLRequest
    var body: ComposedBody
    var isChunked: Bool
    /// The credentials, which are in the request or wait for a challenge; nil if there are none.
    var credentials: Credentials?
    /// The credentials from the user's netrc file, which are in the request; nil if there are none.
    var netrc: NetrcCredentials?
    /// The interceptor that signs each attempt; nil without a signature.
    var signature: AWSSignature?

    /// The fields that are not printed, because the arguments do not contain them.
    var hiddenFields: HiddenFields {
        HiddenFields(
            authorization: netrc?.authorization,
            areSigned: signature != nil,
            givenToken: signature == nil ? nil : request.value(forHTTPHeaderField: AWSSignature.tokenField)
        )
    }

    /// The request with its body. If the body is a stream, the request can be sent only once.
    /// ``ComposedBody/makeStream()`` creates another stream.
    var complete: URLRequest { body.attached(to: request, isChunked: isChunked) }
}

/// The builder of the request from the arguments, the session and the standard input.
struct RequestComposer {
    let invocation: Invocation
    let session: SavedSession
    let input: StandardInput
    let terminal: TerminalState
    let environment: [String: String]

    /// The name of the program in the User-Agent field.
    static let userAgent = "larkspur/\(LarkspurCommand.version)"

    /// Builds the request.
    func compose() throws(UsageError) -> ComposedRequest {
        let items = try ItemContents(invocation.request.items, kind: invocation.request.contentKind)
        let text = TargetURL.completed(invocation.request.url, defaultScheme: invocation.request.defaultScheme)
        let schemes: Set<String> =
            invocation.mode == .webSocket ? ["http", "https", "ws", "wss"] : ["http", "https"]
        let url = try TargetURL.url(text, query: items.query, schemes: schemes)
        let (body, type) = try body(items)
        var request = URLRequest(url: url)
        request.httpMethod = method(hasBody: body.length != nil)
        request.timeoutInterval = invocation.network.timeout ?? Self.noTimeout
        var fields = Self.defaults(for: invocation.request.contentKind, hasData: body.length != nil)
        if let type { fields["Content-Type"] = type }
        for field in session.headers { fields[field.name] = field.value }
        for field in items.fields {
            guard let value = field.value else {
                fields.remove(field.name)
                continue
            }
            if items.isRepeated(field.name), fields[field.name] != nil, items.hasSet(field.name, before: field) {
                fields.add(HTTPHeaders.Field(name: field.name, value: value))
            } else {
                fields[field.name] = value
            }
        }
        let given = try givenCredentials(text, url)
        let signing = invocation.credentials.signing
        // As with curl, the token of keys in the arguments is given as a field.
        let token = fields[AWSSignature.tokenField]
        let keys = given.map { AWSCredentials(accessKeyID: $0.user, secretAccessKey: $0.password, sessionToken: token) }
        let signature = try signing.map { signing throws(UsageError) in try signing.signature(for: url, keys) }
        // The keys of a signature are not sent, and not stored in a session.
        let credentials = signature == nil ? given ?? Credentials(session.auth) : nil
        if let signature, fields[AWSSignature.hashField] == nil {
            fields[AWSSignature.hashField] = try body.hashToSign(
                isChunked: invocation.request.isChunked,
                service: signature.service
            )
        }
        credentials?.authorization.map { fields["Authorization"] = $0 }
        let isGiven =
            signature != nil || credentials != nil || fields["Authorization"] != nil
            || items.fields.contains { $0.name.hasSameLetters(as: "Authorization") }
        let netrc = isGiven || invocation.credentials.ignoresNetrc ? nil : NetrcCredentials(for: url, environment)
        netrc.map { fields["Authorization"] = $0.authorization }
        do throws(LarkspurError) { try fields.validate() } catch { throw UsageError(error.message) }
        request.headers = fields
        return ComposedRequest(
            request: request,
            body: body,
            isChunked: invocation.request.isChunked,
            credentials: credentials,
            netrc: netrc,
            signature: signature
        )
    }

    /// The timeout that is used if none is given: one year, in seconds. URLSession has no value for "no timeout".
    private static let noTimeout: Double = 365 * 86400

    private func method(hasBody: Bool) -> String { invocation.request.method ?? (hasBody ? "POST" : "GET") }

    private static func defaults(for kind: Invocation.ContentKind?, hasData: Bool) -> HTTPHeaders {
        var fields: HTTPHeaders = ["Accept": "*/*", "Accept-Encoding": "gzip, deflate", "User-Agent": userAgent]
        // The session would send the user's language anyway. It is set here so that the printed request has it too.
        if let language = Locale.current.language.languageCode { fields["Accept-Language"] = language.identifier }
        switch kind {
        case .json, nil:
            guard kind == .json || hasData else { break }
            fields["Accept"] = "application/json, */*;q=0.5"
            fields["Content-Type"] = "application/json"
        case .form: fields["Content-Type"] = "application/x-www-form-urlencoded; charset=utf-8"
        case .multipart: break
        }
        return fields
    }

    // MARK: The body

    /// Returns the body, and its media type; the type is nil if it is the default type of the request.
    private func body(_ items: ItemContents) throws(UsageError) -> (ComposedBody, type: String?) {
        let readsInput = !invocation.request.ignoresStandardInput && invocation.mode == .request && input.hasData
        if readsInput, invocation.request.hasDataItems || invocation.request.raw != nil { throw Invocation.mixedBody }
        if let raw = invocation.request.raw { return (.data(Data(raw.utf8)), nil) }
        if readsInput { return (try input.body(isChunked: invocation.request.isChunked), nil) }
        if invocation.request.contentKind == .multipart
            || invocation.request.contentKind == .form && !items.files.isEmpty
        {
            let form = try items.form(boundary: invocation.request.boundary)
            return (.form(form), form.contentType)
        }
        if let file = items.files.first {
            return (.file(file.url, length: file.length), file.type)
        }
        if invocation.request.contentKind == .form {
            return items.data.isEmpty ? (.none, nil) : (.data(Data(FormEncoding.text(of: items.formFields).utf8)), nil)
        }
        guard let json = try items.json() else { return (.none, nil) }
        return (.data(Data(json.text.utf8)), nil)
    }

    // MARK: Credentials

    /// Returns the credentials of the arguments; nil if there are none.
    private func givenCredentials(_ text: String, _ url: URL) throws(UsageError) -> Credentials? {
        if let given = invocation.credentials.text {
            let scheme = invocation.credentials.scheme ?? .basic
            guard scheme != .bearer else { return Credentials(scheme: scheme, user: given, password: "") }
            guard let (user, password) = given.cut(at: ":") else {
                let place = (url.host ?? "") + (url.port.map { ":\($0)" } ?? "")
                if invocation.request.ignoresStandardInput {
                    throw UsageError("A password is needed; with --ignore-stdin none is asked for.")
                }
                let password = try input.password(prompt: "larkspur: password for \(given)@\(place): ", terminal)
                return Credentials(scheme: scheme, user: given, password: password)
            }
            return Credentials(scheme: scheme, user: String(user), password: String(password))
        }
        if let (user, password) = TargetURL.credentials(in: text) {
            return Credentials(scheme: .basic, user: user, password: password)
        }
        return nil
    }
}
