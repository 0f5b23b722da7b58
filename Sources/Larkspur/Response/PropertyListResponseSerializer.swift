/// Parses the content as a property list into dictionaries, arrays, strings, numbers, dates and data.
///
/// Content that is empty is nil without an error. Nesting deeper than 512 levels is refused.
public struct PropertyListResponseSerializer: ResponseSerializer {
    /// Which responses are acceptable. Default: status 200 to 299; application/x-plist.
    public var validation: ResponseValidation
    /// Whether the containers, or leaves too, are mutable; on Linux they are Swift values all the same. Default: none.
    public var readOptions: PropertyListSerialization.ReadOptions
    /// The formats that are accepted. Default: XML and binary.
    ///
    /// OpenStep's is not among them: it takes any single word, and the JSON text `{}`, for a property list.
    public var acceptableFormats: Set<PropertyListSerialization.PropertyListFormat>

    /// Makes a serializer.
    /// - Parameters:
    ///   - readOptions: Whether the containers, or leaves too, are mutable. Default: none.
    ///   - acceptableFormats: The formats that are accepted. Default: XML and binary.
    ///   - validation: Which responses are acceptable. Default: status 200 to 299; application/x-plist.
    public init(
        readOptions: PropertyListSerialization.ReadOptions = [],
        acceptableFormats: Set<PropertyListSerialization.PropertyListFormat> = [.xml, .binary],
        validation: ResponseValidation = ResponseValidation(acceptableContentTypes: .propertyList)
    ) {
        self.validation = validation
        self.readOptions = readOptions
        self.acceptableFormats = acceptableFormats
    }

    /// Parses the content.
    /// - Returns: The object, or nil where there is no content.
    /// - Throws: ``LarkspurError`` with the code `responseSerializationFailed`.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending Any? {
        if data.isEmpty { return nil }
        return try PropertyListContent.object(data, options: readOptions, formats: acceptableFormats)
    }
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
    /// Parses the content as a property list.
    public static var propertyList: PropertyListResponseSerializer { PropertyListResponseSerializer() }
}
