/// Parses the content as JSON (RFC 8259) into dictionaries, arrays, strings, numbers and `NSNull`.
///
/// Content that is empty, or a single space as Ruby on Rails sends it, is nil without an error. Nesting deeper than 512
/// levels is refused by `JSONSerialization`.
public struct JSONResponseSerializer: ResponseSerializer {
    /// Which responses are acceptable. Default: status 200 to 299; application/json, text/json, text/javascript.
    public var validation: ResponseValidation
    /// How `JSONSerialization` reads. Default: none, so that the top level is an array or an object.
    public var readingOptions: JSONSerialization.ReadingOptions
    /// Whether members and elements that are `null` are left out, at every depth. Default: false.
    public var removesKeysWithNullValues: Bool

    /// Makes a serializer.
    /// - Parameters:
    ///   - readingOptions: How `JSONSerialization` reads. Default: none.
    ///   - removesKeysWithNullValues: Whether members and elements that are `null` are left out. Default: false.
    ///   - validation: Which responses are acceptable. Default: status 200 to 299; application/json, text/json,
    ///     text/javascript.
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
    /// - Returns: The object, or nil where there is no content.
    /// - Throws: ``LarkspurError`` with the code `responseSerializationFailed`.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending Any? {
        if data.isBlankContent { return nil }
        do {
            let object = try JSONSerialization.jsonObject(with: data, options: readingOptions)
            return removesKeysWithNullValues ? Self.removingNullValues(from: object, options: readingOptions) : object
        } catch {
            throw SerializationFailure.error("The content is not valid JSON", error)
        }
    }

    /// A copy of a JSON object without its `null` members and elements, at every depth; a `null` at the top stays.
    /// - Parameters:
    ///   - object: What `JSONSerialization` returned.
    ///   - options: The options that it was read with; with `mutableContainers` the copy is mutable too. Default: none.
    public static func removingNullValues(from object: Any, options: JSONSerialization.ReadingOptions = []) -> Any {
        let isMutable = options.contains(.mutableContainers)
        func copy(_ value: Any) -> Any? {
            value is NSNull ? nil : removingNullValues(from: value, options: options)
        }
        switch object {
        case let members as [String: Any]:
            let kept = members.compactMapValues(copy)
            return isMutable ? NSMutableDictionary(dictionary: kept) : kept
        case let elements as [Any]:
            let kept = elements.compactMap(copy)
            return isMutable ? NSMutableArray(array: kept) : kept
        default:
            return object
        }
    }
}

extension ResponseSerializer where Self == JSONResponseSerializer {
    /// Parses the content as JSON.
    public static var json: JSONResponseSerializer { JSONResponseSerializer() }

    /// Parses the content as JSON.
    /// - Parameters:
    ///   - readingOptions: How `JSONSerialization` reads. Default: none.
    ///   - removesKeysWithNullValues: Whether members and elements that are `null` are left out. Default: false.
    public static func json(
        readingOptions: JSONSerialization.ReadingOptions = [],
        removesKeysWithNullValues: Bool = false
    ) -> JSONResponseSerializer {
        JSONResponseSerializer(readingOptions: readingOptions, removesKeysWithNullValues: removesKeysWithNullValues)
    }
}

extension Data {
    /// Whether this is what servers send for no content: nothing, or a single space (Ruby on Rails).
    var isBlankContent: Bool { isEmpty || (count == 1 && first == UInt8(ascii: " ")) }
}
