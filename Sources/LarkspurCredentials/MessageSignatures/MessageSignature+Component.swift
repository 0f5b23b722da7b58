internal import HTTPSyntax

extension MessageSignature {
    /// A part of a message that a signature covers: a field, or a component that is derived from the request or the
    /// response (RFC 9421, section 2).
    ///
    ///     let components: [MessageSignature.Component] = [.method, .targetURI, "content-type", .contentDigest]
    ///
    /// A component of a name that RFC 9421 does not know, or with properties that exclude each other, is refused when a
    /// message is signed.
    public struct Component: Sendable, ExpressibleByStringLiteral {
        enum Parameter: Hashable, Sendable {
            case strict, bytes, trailer, request
            case member(TextKey)
            case name(TextKey)
        }

        let name: TextKey
        /// The parameters, in the order in which they are written.
        private(set) var parameters: [Parameter] = []

        /// Creates the component of a field, or of a derived component without parameters.
        /// - Parameter name: The name of the field in any case, such as `Content-Type`, or a name such as `@method`.
        public init(_ name: String) { self.name = TextKey(name.inLowercase) }

        /// Creates the component of a field, or of a derived component without parameters.
        /// - Parameter name: The name, such as `"content-type"` or `"@method"`.
        public init(stringLiteral name: String) { self.init(name) }

        /// The method of the request.
        public static let method = Self("@method")
        /// The whole URL of the request, without user information and fragment.
        public static let targetURI = Self("@target-uri")
        /// The host of the request's URL, with its port if this is not the default port of the scheme.
        public static let authority = Self("@authority")
        /// The scheme of the request's URL.
        public static let scheme = Self("@scheme")
        /// The path and the query of the request's URL, as they are sent over HTTP/1.1.
        public static let requestTarget = Self("@request-target")
        /// The path of the request's URL.
        public static let path = Self("@path")
        /// The query of the request's URL with its question mark; a question mark if there is none.
        public static let query = Self("@query")
        /// The status code of the response.
        public static let status = Self("@status")
        /// The digest of the content (RFC 9530). A signature that covers it protects the content.
        public static let contentDigest = Self("content-digest")

        /// Returns the component of one parameter of the query. The parameter must occur once.
        /// - Parameter name: The name of the parameter, not percent-encoded.
        public static func queryParameter(_ name: String) -> Self {
            Self("@query-param").with(.name(TextKey(FormText.encoded(name))))
        }

        /// The component of the request to which a signed response responds (parameter `req`).
        public var ofRequest: Self { with(.request) }
        /// The value of a structured field in its canonical form (parameter `sf`). The field must be one of those whose
        /// type is in the registry of HTTP field names, such as `Priority`.
        public var strict: Self { with(.strict) }
        /// The value as a sequence of bytes (parameter `bs`). The values of several fields with the same name in a
        /// response cannot be separated again, so such a signature is not accepted.
        public var bytes: Self { with(.bytes) }
        /// The value of the field in the trailer section of a response (parameter `tr`).
        public var trailer: Self { with(.trailer) }

        /// Returns the component of one member of a field that is a dictionary (parameter `key`).
        /// - Parameter key: The key of the member.
        public func member(_ key: String) -> Self { with(.member(TextKey(key))) }

        private func with(_ parameter: Parameter) -> Self {
            var component = self
            component.parameters.append(parameter)
            return component
        }
    }
}

/// Components are equal if they have the same name and the same parameters in any order (RFC 9421, section 2).
extension MessageSignature.Component: Hashable {
    /// Compares names and parameters.
    public static func == (left: Self, right: Self) -> Bool {
        left.name == right.name && Set(left.parameters) == Set(right.parameters)
    }

    /// Hashes the name and the parameters.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(Set(parameters))
    }
}

extension MessageSignature.Component: CustomStringConvertible {
    /// The component as in the field `Signature-Input`, such as `"content-digest";req`.
    public var description: String { item.text ?? name.text }
}

extension MessageSignature.Component {
    /// Whether the value is that of the request, in the signature of a response.
    var isOfRequest: Bool { parameters.contains(.request) }

    /// Whether the component is a digest of the message's own content.
    var isContentDigest: Bool { name.text == "content-digest" && !isOfRequest }

    /// The component without the parameters that only change the form of its value.
    var withoutForm: Self {
        var component = self
        component.parameters.removeAll { $0 == .strict || $0 == .bytes }
        return component
    }

    /// The component as an item of the field `Signature-Input`.
    var item: StructuredField.Item {
        var items = StructuredField.Parameters()
        for parameter in parameters {
            switch parameter {
            case .strict: items.set("sf", .boolean(true))
            case .bytes: items.set("bs", .boolean(true))
            case .trailer: items.set("tr", .boolean(true))
            case .request: items.set("req", .boolean(true))
            case .member(let key): items.set("key", .string(key.text))
            case .name(let name): items.set("name", .string(name.text))
            }
        }
        return StructuredField.Item(.string(name.text), items)
    }

    /// Reads an item of the field `Signature-Input`.
    init(_ item: StructuredField.Item) throws(MessageSignatureFailure) {
        guard case .string(let name) = item.value, name == name.inLowercase else {
            throw MessageSignatureFailure(.malformedSignature, "The name of a component is no string in lower case.")
        }
        self.init(name)
        guard !item.parameters.hasRepeatedKeys else {
            throw MessageSignatureFailure(
                .repeatedName,
                "A parameter of the component “\(name.excerpt)” occurs twice."
            )
        }
        for (key, value) in item.parameters.pairs {
            switch (key.text, value) {
            case ("sf", .boolean(true)): parameters.append(.strict)
            case ("bs", .boolean(true)): parameters.append(.bytes)
            case ("tr", .boolean(true)): parameters.append(.trailer)
            case ("req", .boolean(true)): parameters.append(.request)
            case ("key", .string(let text)): parameters.append(.member(TextKey(text)))
            case ("name", .string(let text)): parameters.append(.name(TextKey(text)))
            default:
                throw MessageSignatureFailure(
                    .unknownComponent,
                    "The component “\(name.excerpt)” has the parameter “\(key.text.excerpt)”, which is not known."
                )
            }
        }
    }
}

/// The encoding of the names and the values of query parameters in signatures (RFC 9421, section 2.2.8).
enum FormText {
    /// Returns text with escapes in place of all bytes but letters, digits and some signs.
    static func encoded(_ text: String) -> String {
        PercentEncoding.escapingAll(text) { $0.isLetter || $0.isDigit || "*-._".utf8.contains($0) }
    }

    /// Returns the values of the parameters of a query by their names, both encoded.
    static func parameters(of query: String) -> [TextKey: [String]] {
        var result: [TextKey: [String]] = [:]
        for parameter in query.parts(separatedBy: "&") {
            let (name, value) = parameter.cut(at: "=") ?? (parameter, "")
            result[reencoded(name), default: []].append(reencoded(value))
        }
        return result
    }

    private static func reencoded(_ text: Substring) -> String {
        // Bytes that are not UTF-8 become replacement characters, as the URL standard says.
        encoded(String(decoding: String(text).percentDecodedBytes(plusIsSpace: true), as: UTF8.self))
    }
}
