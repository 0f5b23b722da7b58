/// A serializer that creates an `XMLParser` for the content. The receiver starts the parser.
///
/// If the content is empty the result is nil, without an error. External entities are not loaded. The serializer does
/// not parse the content, so that errors in the XML appear only when the receiver parses it. Content that would
/// terminate the process then is rejected here.
public struct XMLParserResponseSerializer: ResponseSerializer {
    /// The rules by which responses are acceptable. Default: status 200 to 299; application/xml, text/xml.
    public var validation: ResponseValidation

    /// Creates a serializer.
    /// - Parameter validation: The rules by which responses are acceptable. Default: status 200 to 299;
    ///   application/xml, text/xml.
    public init(validation: ResponseValidation = ResponseValidation(acceptableContentTypes: .xml)) {
        self.validation = validation
    }

    /// Creates the parser.
    /// - Returns: A parser that has not been started, or nil if there is no content.
    /// - Throws: ``LarkspurError`` with the code `responseSerializationFailed`, if the encoding is unknown or the
    ///   content is not valid in it, and for the few constructs on which `XMLParser` crashes on Linux: a processing
    ///   instruction without data, and declarations of attributes, notations and unparsed entities.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending XMLParser? {
        if data.isEmpty { return nil }
        return XMLContent.parser(try XMLContent.parserInput(data))
    }
}

extension ResponseSerializer where Self == XMLParserResponseSerializer {
    /// A serializer that creates an `XMLParser` for the content.
    public static var xmlParser: XMLParserResponseSerializer { XMLParserResponseSerializer() }
}
