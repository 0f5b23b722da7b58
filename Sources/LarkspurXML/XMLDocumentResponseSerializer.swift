// `XMLDocument` exists on Linux and macOS only.
#if os(macOS) || canImport(FoundationXML)
/// A serializer that parses the content into an `XMLDocument`.
///
/// If the content is empty, the result is nil, without an error. The document must be well-formed, and its nesting at
/// most 256 levels, the limit of libxml2. External entities are loaded only if the options request it.
public struct XMLDocumentResponseSerializer: ResponseSerializer {
    /// The rules by which responses are acceptable. Default: status 200 to 299; application/xml, text/xml.
    public var validation: ResponseValidation
    /// The options for reading the document. Default: none.
    public var options: XMLNode.Options

    /// Creates a serializer.
    /// - Parameters:
    ///   - options: The options for reading the document. Default: none.
    ///   - validation: The rules by which responses are acceptable. Default: status 200 to 299; application/xml,
    ///     text/xml.
    public init(
        options: XMLNode.Options = [],
        validation: ResponseValidation = ResponseValidation(acceptableContentTypes: .xml)
    ) {
        self.validation = validation
        self.options = options
    }

    /// Parses the content.
    /// - Returns: The document, or nil if there is no content.
    /// - Throws: `LarkspurError` with the code `responseSerializationFailed`, if the content is not well-formed XML.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending XMLDocument? {
        if data.isEmpty { return nil }
        try XMLContent.requireWellFormed(data)
        do {
            return try XMLDocument(data: data, options: safeOptions)
        } catch {
            throw SerializationFailure.error("The content is not a valid XML document", error)
        }
    }

    /// The options of the caller. If none of them is about external entities, an option that forbids them is added.
    /// Without an option, Foundation on Linux reads a file that an entity names, and inserts it into the document.
    private var safeOptions: XMLNode.Options {
        let loading: XMLNode.Options = [
            .nodeLoadExternalEntitiesAlways, .nodeLoadExternalEntitiesSameOriginOnly,
            .nodeLoadExternalEntitiesNever,
        ]
        return options.isDisjoint(with: loading) ? options.union(.nodeLoadExternalEntitiesNever) : options
    }
}

extension ResponseSerializer where Self == XMLDocumentResponseSerializer {
    /// A serializer that parses the content into an `XMLDocument`.
    public static var xmlDocument: XMLDocumentResponseSerializer { XMLDocumentResponseSerializer() }

    /// Creates a serializer that parses the content into an `XMLDocument`.
    /// - Parameter options: The options for reading the document.
    public static func xmlDocument(options: XMLNode.Options) -> XMLDocumentResponseSerializer {
        XMLDocumentResponseSerializer(options: options)
    }
}

/// A serializer that parses the content into an `XMLDocument`, and makes a value of the document.
///
/// An `XMLDocument` cannot be passed to another thread or task, and its value can. So this serializer suits `await`:
///
///     let names = try await manager.get("people").value(
///         as: XMLValueResponseSerializer { document in
///             try document.nodes(forXPath: "//name").compactMap { $0.stringValue }
///         }
///     )
///
/// The document has to meet the conditions of ``XMLDocumentResponseSerializer``.
public struct XMLValueResponseSerializer<Value: Sendable>: ResponseSerializer {
    /// The value of the document.
    public typealias Output = Value

    /// The rules by which responses are acceptable. Default: status 200 to 299; application/xml, text/xml.
    public var validation = ResponseValidation(acceptableContentTypes: .xml)
    /// The options for reading the document. Default: none.
    public var options: XMLNode.Options

    private let makeValue: @Sendable (XMLDocument) throws -> Value

    /// Creates a serializer.
    /// - Parameters:
    ///   - options: The options for reading the document. Default: none.
    ///   - makeValue: Makes the value of the document. Called on the manager's `processingQueue`.
    public init(options: XMLNode.Options = [], _ makeValue: @escaping @Sendable (XMLDocument) throws -> Value) {
        self.options = options
        self.makeValue = makeValue
    }

    /// Parses the content, and makes the value.
    /// - Throws: `LarkspurError` with the code `emptyResponse`, if there is no content, or with
    ///   `responseSerializationFailed`, if it is not well-formed XML; or the error of the closure.
    public func serialize(_ data: Data, response: URLResponse?) throws -> sending Value {
        let serializer = XMLDocumentResponseSerializer(options: options)
        guard let document = try serializer.serialize(data, response: response) else {
            throw LarkspurError(.emptyResponse, "The response has no content where an XML document is expected")
        }
        return try makeValue(document)
    }
}

extension ResponseSerializer {
    /// Creates a serializer that parses the content into an `XMLDocument`, and makes a value of the document.
    /// - Parameters:
    ///   - options: The options for reading the document. Default: none.
    ///   - makeValue: Makes the value of the document. Called on the manager's `processingQueue`.
    public static func xml<Value: Sendable>(
        options: XMLNode.Options = [],
        _ makeValue: @escaping @Sendable (XMLDocument) throws -> Value
    ) -> Self where Self == XMLValueResponseSerializer<Value> {
        XMLValueResponseSerializer(options: options, makeValue)
    }
}
#endif
