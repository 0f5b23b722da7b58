/// A serializer that parses the content as a property list into dictionaries, arrays, strings, numbers, dates and data.
///
/// If the content is empty the result is nil, without an error. Nesting deeper than 512 levels is rejected.
public struct PropertyListResponseSerializer: ResponseSerializer {
    /// The rules by which responses are acceptable. Default: status 200 to 299; application/x-plist.
    public var validation: ResponseValidation
    /// The options that make the containers, or also the leaves, mutable. On Linux they are Swift values nevertheless.
    /// Default: none.
    public var readOptions: PropertyListSerialization.ReadOptions
    /// The formats that are accepted. Default: XML and binary.
    ///
    /// The OpenStep format is not among them, because any single word, and the JSON text `{}`, is a property list in
    /// it.
    public var acceptableFormats: Set<PropertyListSerialization.PropertyListFormat>

    /// Creates a serializer.
    /// - Parameters:
    ///   - readOptions: The options that make the containers, or also the leaves, mutable. Default: none.
    ///   - acceptableFormats: The formats that are accepted. Default: XML and binary.
    ///   - validation: The rules by which responses are acceptable. Default: status 200 to 299; application/x-plist.
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
    /// - Returns: The object, or nil if there is no content.
    /// - Throws: ``LarkspurError`` with the code `responseSerializationFailed`.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending Any? {
        if data.isEmpty { return nil }
        return try PropertyListContent.object(data, options: readOptions, formats: acceptableFormats)
    }
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
    /// A serializer that parses the content as a property list.
    public static var propertyList: PropertyListResponseSerializer { PropertyListResponseSerializer() }
}
