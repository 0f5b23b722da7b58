/// Decodes values from content: `JSONDecoder`, `PropertyListDecoder`, or another decoder that is made to conform.
public protocol DataDecoder: Sendable {
    /// The media types of what it decodes, which ``DecodableResponseSerializer`` accepts by default.
    var contentTypes: Set<MediaRange> { get }

    /// Decodes a value.
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - data: The content.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value

    /// Looks at content before it is decoded, and refuses or rewrites what the decoder cannot read safely.
    ///
    /// Default: the content as it is.
    /// - Parameter data: The content as it was received.
    func preparedContent(_ data: Data) throws -> Data
}

extension DataDecoder {
    /// Returns the content as it is.
    public func preparedContent(_ data: Data) throws -> Data { data }
}

extension JSONDecoder: DataDecoder {
    /// The types of JSON, and every `application/*+json`.
    public var contentTypes: Set<MediaRange> { .json.union(["application/*+json"]) }
}

extension PropertyListDecoder: DataDecoder {
    /// `application/x-plist`.
    public var contentTypes: Set<MediaRange> { .propertyList }

    /// Refuses property lists that would exhaust the stack: Foundation's decoder on Linux has no limit of its own.
    /// - Throws: ``LarkspurError`` with the code `responseSerializationFailed`.
    public func preparedContent(_ data: Data) throws -> Data { try PropertyListContent.decodable(data) }
}
