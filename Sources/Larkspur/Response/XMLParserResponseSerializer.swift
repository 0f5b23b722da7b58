/// Makes an `XMLParser` of the content, which the receiver starts.
///
/// Content that is empty is nil without an error. External entities are not loaded. The content is not parsed here, so
/// that malformed XML shows only when the receiver parses; what would end the process then is refused here.
public struct XMLParserResponseSerializer: ResponseSerializer {
    /// Which responses are acceptable. Default: status 200 to 299; application/xml, text/xml.
    public var validation: ResponseValidation

    /// Makes a serializer.
    /// - Parameter validation: Which responses are acceptable. Default: status 200 to 299; application/xml, text/xml.
    public init(validation: ResponseValidation = ResponseValidation(acceptableContentTypes: .xml)) {
        self.validation = validation
    }

    /// Makes the parser.
    /// - Returns: A parser that has not been started, or nil where there is no content.
    /// - Throws: ``LarkspurError`` with the code `responseSerializationFailed` where the encoding is unknown or not
    ///   kept to, and for the few constructs on which `XMLParser` crashes on Linux: a processing instruction without
    ///   data, and declarations of attributes, notations and unparsed entities.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending XMLParser? {
        if data.isEmpty { return nil }
        return XMLContent.parser(try XMLContent.parserInput(data))
    }
}

extension ResponseSerializer where Self == XMLParserResponseSerializer {
    /// Makes an `XMLParser` of the content.
    public static var xmlParser: XMLParserResponseSerializer { XMLParserResponseSerializer() }
}
