internal import HTTPSyntax

/// A message, from which the values of the components of a signature are taken (RFC 9421, section 2). It is a request,
/// or a response with the request to which it responds.
struct SignedMessage {
    typealias Component = MessageSignature.Component

    /// The values of fields by their names.
    struct Fields: Sendable {
        private var values: [CaselessName: String] = [:]

        init(_ headers: HTTPHeaders) { for field in headers { values[CaselessName(field.name)] = field.value } }

        subscript(name: String) -> String? {
            get { values[CaselessName(name)] }
            set { values[CaselessName(name)] = newValue }
        }
    }

    private struct Request {
        let method: String
        let scheme: String
        let authority: String
        let target: URLReference
        var fields: Fields
    }

    private struct Response {
        let status: Int
        let fields: Fields
        let trailers: Fields?
    }

    /// The place of a field that is a dictionary.
    private struct Place: Hashable {
        let name: TextKey
        let isOfRequest: Bool
        let isTrailer: Bool
    }

    private let request: Request?
    private let response: Response?
    // These values are read once, because a signature may cover many of their members.
    private var queryParameters: [TextKey: [String]]?
    private var dictionaries: [Place: OrderedMembers<StructuredField.Member>] = [:]

    /// Creates a request.
    init(_ request: URLRequest) {
        self.request = Self.request(request)
        response = nil
    }

    /// Creates a response.
    /// - Parameters:
    ///   - response: The response.
    ///   - trailers: The trailers of the response; nil if there are none.
    ///   - request: The request to which it responds; nil if it is not known.
    init(_ response: HTTPURLResponse, trailers: HTTPHeaders?, to request: URLRequest?) {
        self.request = request.flatMap(Self.request)
        self.response = Response(
            status: response.statusCode,
            fields: Fields(response.headers),
            trailers: trailers.map(Fields.init)
        )
    }

    private static func request(_ request: URLRequest) -> Request? {
        guard let url = request.url else { return nil }
        let target = URLReference(url.absoluteString)
        guard let scheme = target.scheme?.inLowercase, let host = target.hostField else { return nil }
        var fields = Fields(request.headers)
        let authority = fields["Host"].map { Self.authority($0, scheme: scheme) } ?? host
        if fields["Host"] == nil { fields["Host"] = host }
        return Request(
            method: request.httpMethod ?? "GET",
            scheme: scheme,
            authority: authority,
            target: target,
            fields: fields
        )
    }

    /// Returns the value of a field `Host` in lower case and without a default port.
    private static func authority(_ host: String, scheme: String) -> String {
        let host = host.trimmingBlanks.inLowercase
        let parts = URLReference.Authority(host)
        let port = parts.port.map { $0.isEmpty ? nil : Int($0) } ?? nil
        return port == nil || port == Origin.defaultPort(of: scheme) ? String(parts.host) : host
    }

    /// Returns the value of a component.
    /// - Throws: `unknownComponent`, or `componentUnavailable`.
    mutating func value(of component: Component) throws(MessageSignatureFailure) -> String {
        if component.isOfRequest, response == nil {
            throw Self.unknown(component, "is one of the request of a response, but the message is a request")
        }
        let isDerived = component.name.text.begins(with: "@")
        let value = isDerived ? try derivedValue(of: component) : try fieldValue(of: component)
        guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) || !isDerived && $0 == .tab }) else {
            throw Self.unavailable(component, "has characters that cannot be signed")
        }
        return value
    }

    static func unknown(_ component: Component, _ clause: String) -> MessageSignatureFailure {
        MessageSignatureFailure(.unknownComponent, "The component \(component.description.excerpt) \(clause).")
    }

    private static func unavailable(_ component: Component, _ clause: String) -> MessageSignatureFailure {
        MessageSignatureFailure(.componentUnavailable, "The component \(component.description.excerpt) \(clause).")
    }

    // MARK: Derived components

    private mutating func derivedValue(of component: Component) throws(MessageSignatureFailure) -> String {
        var names: [String] = []
        for parameter in component.parameters where parameter != .request {
            guard case .name(let name) = parameter, component.name.text == "@query-param" else {
                throw Self.unknown(component, "has a parameter that it cannot have")
            }
            names.append(name.text)
        }
        if component.name.text == "@status" {
            guard let response, !component.isOfRequest else { throw Self.unknown(component, "is one of responses") }
            return String(response.status)
        }
        guard Self.namesOfRequests.contains(component.name.text) else { throw Self.unknown(component, "is not known") }
        guard response == nil || component.isOfRequest else { throw Self.unknown(component, "is one of requests") }
        guard let request else { throw Self.unavailable(component, "has no value, because there is no http request") }
        let path = request.target.path.isEmpty ? "/" : request.target.path
        let query = request.target.query
        let target = path + (query.map { "?" + $0 } ?? "")
        switch component.name.text {
        case "@method": return request.method
        case "@target-uri": return "\(request.scheme)://\(request.authority)\(target)"
        case "@authority": return request.authority
        case "@scheme": return request.scheme
        case "@request-target": return target
        case "@path": return path
        case "@query": return "?" + (query ?? "")
        default:
            guard names.count == 1 else { throw Self.unknown(component, "needs the name of one parameter") }
            let parameters = queryParameters ?? FormText.parameters(of: query ?? "")
            queryParameters = parameters
            guard let values = parameters[names[0]], values.count == 1 else {
                throw Self.unavailable(component, "does not occur exactly once in the query")
            }
            return values[0]
        }
    }

    private static let namesOfRequests = Set<TextKey>(texts: [
        "@method", "@target-uri", "@authority", "@scheme", "@request-target", "@path", "@query", "@query-param",
    ])

    // MARK: Fields

    /// Returns the value of a field before the parameters `sf`, `key` and `bs` are applied; nil if there is none.
    func written(_ component: Component) -> String? {
        let fields: Fields? =
            if component.isOfRequest || response == nil {
                component.parameters.contains(.trailer) ? nil : request?.fields
            } else {
                component.parameters.contains(.trailer) ? response?.trailers : response?.fields
            }
        return fields?[component.name.text]?.trimmingBlanks
    }

    private mutating func fieldValue(of component: Component) throws(MessageSignatureFailure) -> String {
        guard component.name.text.isToken else { throw Self.unknown(component, "is not the name of a field") }
        var (isStrict, isBytes, keys) = (false, false, [String]())
        for parameter in component.parameters {
            switch parameter {
            case .strict: isStrict = true
            case .bytes: isBytes = true
            case .member(let key): keys.append(key.text)
            case .trailer, .request: break
            case .name: throw Self.unknown(component, "has a parameter that it cannot have")
            }
        }
        guard !isBytes || !isStrict && keys.isEmpty, keys.count <= 1 else {
            throw Self.unknown(component, "has parameters that exclude each other")
        }
        guard let value = written(component) else { throw Self.unavailable(component, "is not in the message") }
        if isBytes {
            // The bytes of a received value are known only if they are ASCII, because others may have been read as
            // ISO 8859-1.
            let isSent = response == nil || component.isOfRequest
            guard isSent || value.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw Self.unavailable(component, "has characters that cannot be signed")
            }
            return ":\(Data(value.utf8).base64EncodedString()):"
        }
        let text =
            if let key = keys.first {
                dictionary(component, value)?[key].flatMap(\.text)
            } else {
                isStrict ? try strictText(of: component, value) : value
            }
        guard let text else { throw Self.unavailable(component, "has no such value in its structured field") }
        return text
    }

    private mutating func dictionary(
        _ component: Component,
        _ value: String
    ) -> OrderedMembers<StructuredField.Member>? {
        let place = Place(
            name: component.name,
            isOfRequest: component.isOfRequest,
            isTrailer: component.parameters.contains(.trailer)
        )
        if let known = dictionaries[place] { return known }
        // A dictionary without members takes the place of a malformed one.
        let members = StructuredField.orderedDictionary(value) ?? [:]
        dictionaries[place] = members
        return members
    }

    private mutating func strictText(
        of component: Component,
        _ value: String
    ) throws(MessageSignatureFailure) -> String? {
        let name = component.name.text
        if Self.dictionaryFields.contains(name) {
            return StructuredField.orderedDictionary(value).flatMap { StructuredField.text(ofDictionary: $0) }
        }
        if Self.listFields.contains(name) {
            return StructuredField.list(value).flatMap { StructuredField.text(ofList: $0) }
        }
        if Self.itemFields.contains(name) { return StructuredField.item(value)?.text }
        throw Self.unknown(component, "is a field that is not known as a structured field")
    }

    // The structured fields of the registry of HTTP field names.
    private static let dictionaryFields = Set<TextKey>(texts: [
        "accept-signature", "cdn-cache-control", "content-digest", "no-vary-search", "priority",
        "repr-digest", "signature", "signature-input", "use-as-dictionary", "want-content-digest", "want-repr-digest",
    ])
    private static let listFields = Set<TextKey>(texts: [
        "accept-ch", "accept-query", "cache-groups", "cache-group-invalidation", "cache-status", "client-cert-chain",
        "proxy-status",
    ])
    private static let itemFields = Set<TextKey>(texts: [
        "available-dictionary", "capsule-protocol", "client-cert", "cross-origin-embedder-policy",
        "cross-origin-opener-policy", "deprecation", "dictionary-id", "origin-agent-cluster",
    ])
}
