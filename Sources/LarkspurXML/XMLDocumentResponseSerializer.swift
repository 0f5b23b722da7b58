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
#endif
