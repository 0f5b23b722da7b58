import HTTPSyntax

/// A serializer that parses the content as JSON (RFC 8259) into dictionaries, arrays, strings, numbers and `NSNull`.
///
/// If the content is empty, or a single space (as Ruby on Rails sends it), the result is nil, without an error.
/// `JSONSerialization` rejects nesting deeper than 512 levels.
public struct JSONResponseSerializer: ResponseSerializer {
    /// The rules by which responses are acceptable. Default: status 200 to 299; application/json, text/json,
    /// text/javascript.
    public var validation: ResponseValidation
    /// The options of `JSONSerialization`. Default: none, so that the top level must be an array or an object.
    public var readingOptions: JSONSerialization.ReadingOptions
    /// Whether members and elements that are `null` are omitted, at every depth. Default: false.
    public var removesKeysWithNullValues: Bool

    /// Creates a serializer.
    /// - Parameters:
    ///   - readingOptions: The options of `JSONSerialization`. Default: none, so that the top level must be an array or
    ///     an object.
    ///   - removesKeysWithNullValues: Whether members and elements that are `null` are omitted, at every depth.
    ///     Default: false.
    ///   - validation: The rules by which responses are acceptable. Default: status 200 to 299; application/json,
    ///     text/json, text/javascript.
    public init(
        readingOptions: JSONSerialization.ReadingOptions = [],
        removesKeysWithNullValues: Bool = false,
        validation: ResponseValidation = ResponseValidation(acceptableContentTypes: .json)
    ) {
        self.validation = validation
        self.readingOptions = readingOptions
        self.removesKeysWithNullValues = removesKeysWithNullValues
    }

    /// Parses the content.
    /// - Returns: The object, or nil if there is no content.
    /// - Throws: ``LarkspurError`` with the code `responseSerializationFailed`, if the content is not valid JSON.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending Any? {
        if data.isBlankContent { return nil }
        do {
            let object = try JSONSerialization.jsonObject(with: data, options: readingOptions)
            return removesKeysWithNullValues ? Self.removingNullValues(from: object, options: readingOptions) : object
        } catch {
            throw SerializationFailure.error(json: data, "The content is not valid JSON", error)
        }
    }

    /// Returns a copy of a JSON object without its `null` members and elements, at every depth. A `null` at the top
    /// level stays.
    /// - Parameters:
    ///   - object: The object that `JSONSerialization` returned.
    ///   - options: The options with which the object was read. With `mutableContainers` the copy is mutable too.
    ///     Default: none.
    public static func removingNullValues(from object: Any, options: JSONSerialization.ReadingOptions = []) -> Any {
        let isMutable = options.contains(.mutableContainers)
        func copy(_ value: Any) -> Any? {
            value is NSNull ? nil : removingNullValues(from: value, options: options)
        }
        switch object {
        case let members as [String: Any]:
            let copies = members.compactMapValues(copy)
            return isMutable ? NSMutableDictionary(dictionary: copies) : copies
        case let elements as [Any]:
            let copies = elements.compactMap(copy)
            return isMutable ? NSMutableArray(array: copies) : copies
        default:
            return object
        }
    }
}

extension ResponseSerializer where Self == JSONResponseSerializer {
    /// A serializer that parses the content as JSON.
    public static var json: JSONResponseSerializer { JSONResponseSerializer() }
}

extension Data {
    /// Whether the data means that there is no content: it is empty, or a single space, as Ruby on Rails sends it.
    var isBlankContent: Bool { isEmpty || (count == 1 && first == UInt8(ascii: " ")) }
}
