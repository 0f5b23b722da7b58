// `XMLDocument` is there on Linux and macOS only.
#if os(macOS) || canImport(FoundationXML)
/// Parses the content into an `XMLDocument`.
///
/// Content that is empty is nil without an error. The document has to be well-formed, nested no deeper than libxml2
/// allows (256 levels), and external entities are not loaded unless the options say so.
public struct XMLDocumentResponseSerializer: ResponseSerializer {
    /// Which responses are acceptable. Default: status 200 to 299; application/xml, text/xml.
    public var validation: ResponseValidation
    /// How the document is read. Default: none.
    public var options: XMLNode.Options

    /// Makes a serializer.
    /// - Parameters:
    ///   - options: How the document is read. Default: none.
    ///   - validation: Which responses are acceptable. Default: status 200 to 299; application/xml, text/xml.
    public init(
        options: XMLNode.Options = [],
        validation: ResponseValidation = ResponseValidation(acceptableContentTypes: .xml)
    ) {
        self.validation = validation
        self.options = options
    }

    /// Parses the content.
    /// - Returns: The document, or nil where there is no content.
    /// - Throws: ``LarkspurError`` with the code `responseSerializationFailed`.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending XMLDocument? {
        if data.isEmpty { return nil }
        try XMLContent.requireWellFormed(data)
        do {
            return try XMLDocument(data: data, options: safeOptions)
        } catch {
            throw SerializationFailure.error("The content is not a valid XML document", error)
        }
    }

    /// Without one of these, Foundation on Linux puts the files that an entity names into the document.
    private var safeOptions: XMLNode.Options {
        let loading: XMLNode.Options = [
            .nodeLoadExternalEntitiesAlways, .nodeLoadExternalEntitiesSameOriginOnly,
            .nodeLoadExternalEntitiesNever,
        ]
        return options.isDisjoint(with: loading) ? options.union(.nodeLoadExternalEntitiesNever) : options
    }
}

extension ResponseSerializer where Self == XMLDocumentResponseSerializer {
    /// Parses the content into an `XMLDocument`.
    public static var xmlDocument: XMLDocumentResponseSerializer { XMLDocumentResponseSerializer() }

    /// Parses the content into an `XMLDocument`.
    /// - Parameter options: How the document is read.
    public static func xmlDocument(options: XMLNode.Options) -> XMLDocumentResponseSerializer {
        XMLDocumentResponseSerializer(options: options)
    }
}
#endif
