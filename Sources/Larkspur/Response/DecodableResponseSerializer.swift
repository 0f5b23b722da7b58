/// Decodes the content into a `Decodable` value.
///
/// A response without content is the ``EmptyContentRepresentable/emptyContent`` of a type that has one (an optional,
/// ``Empty``), and for any other type an error with the code `emptyResponse`.
public struct DecodableResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
    /// Which responses are acceptable. Default: status 200 to 299; the decoder's content types.
    public var validation: ResponseValidation
    /// What decodes. A decoder is an object: to change one, set up another.
    public var decoder: any DataDecoder

    /// Makes a serializer.
    /// - Parameters:
    ///   - type: The type of the value. Default: as the context asks.
    ///   - decoder: What decodes. Default: a new `JSONDecoder`.
    ///   - validation: Which responses are acceptable. Default: status 200 to 299; the decoder's content types.
    public init(
        _ type: Value.Type = Value.self,
        decoder: any DataDecoder = JSONDecoder(),
        validation: ResponseValidation? = nil
    ) {
        self.validation = validation ?? ResponseValidation(acceptableContentTypes: decoder.contentTypes)
        self.decoder = decoder
    }

    /// Decodes the content.
    /// - Throws: ``LarkspurError`` with the code `emptyResponse`, or with `responseSerializationFailed` and the
    ///   decoder's error underneath; its message says what is wrong and at which coding path.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending Value {
        if data.isBlankContent { return try emptyValue() }
        do {
            return try decoder.decode(Value.self, from: decoder.preparedContent(data))
        } catch let error as LarkspurError {
            throw error
        } catch {
            throw SerializationFailure.error("The content is not a \(Value.self)", error)
        }
    }

    private func emptyValue() throws(LarkspurError) -> Value {
        if let type = Value.self as? any EmptyContentRepresentable.Type, let value = type.emptyContent as? Value {
            return value
        }
        throw LarkspurError(.emptyResponse, "The response has no content where a \(Value.self) is expected")
    }
}

extension ResponseSerializer {
    /// Decodes the content into a value.
    /// - Parameters:
    ///   - type: The type of the value. Default: as the context asks.
    ///   - decoder: What decodes. Default: a new `JSONDecoder`.
    public static func decodable<Value>(
        _ type: Value.Type = Value.self,
        decoder: any DataDecoder = JSONDecoder()
    ) -> Self where Self == DecodableResponseSerializer<Value> {
        DecodableResponseSerializer(type, decoder: decoder)
    }
}
