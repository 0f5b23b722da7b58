/// A decoder of values from content: `JSONDecoder`, `PropertyListDecoder`, or another decoder that conforms.
public protocol DataDecoder: Sendable {
    /// The media types of the content that it decodes. ``DecodableResponseSerializer`` accepts them by default.
    var contentTypes: Set<MediaRange> { get }

    /// Decodes a value.
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - data: The content.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value

    /// Examines content before it is decoded, and rejects or rewrites content that the decoder cannot read safely.
    ///
    /// Default: the unchanged content.
    /// - Parameter data: The content as it was received.
    func preparedContent(_ data: Data) throws -> Data
}

extension DataDecoder {
    /// Returns the unchanged content.
    public func preparedContent(_ data: Data) throws -> Data { data }
}

extension JSONDecoder: DataDecoder {
    /// The types of JSON, and every `application/*+json`.
    public var contentTypes: Set<MediaRange> { .json.union(["application/*+json"]) }
}

extension PropertyListDecoder: DataDecoder {
    /// The media type `application/x-plist`.
    public var contentTypes: Set<MediaRange> { .propertyList }

    /// Rejects property lists that would exhaust the stack, because Foundation's decoder on Linux has no limit of its
    /// own.
    /// - Throws: ``LarkspurError`` with the code `responseSerializationFailed`.
    public func preparedContent(_ data: Data) throws -> Data { try PropertyListContent.decodable(data) }
}
