import HTTPSyntax

/// A serializer that decodes the content into a `Decodable` value.
///
/// If a response has no content, the value is the type's ``EmptyContentRepresentable/emptyContent``. Optionals and
/// ``Empty`` have such a value. If a type has no such value, the result is an error with the code `emptyResponse`.
public struct DecodableResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
    /// The rules by which responses are acceptable. Default: status 200 to 299; the decoder's content types.
    public var validation: ResponseValidation
    /// The decoder. Copies of the serializer share it, so set a new decoder to change the settings.
    public var decoder: any DataDecoder { didSet { isDecoderDefault = false } }
    /// Whether the caller has set no decoder. The session manager's decoder then replaces the default.
    private var isDecoderDefault: Bool

    /// Creates a serializer.
    /// - Parameters:
    ///   - type: The type of the value. Default: inferred from the context.
    ///   - decoder: The decoder. Default: nil, to use the ``SessionManager/jsonDecoder`` of the call's session manager.
    ///   - validation: The rules by which responses are acceptable. Default: status 200 to 299; the decoder's content
    ///     types.
    public init(
        _ type: Value.Type = Value.self,
        decoder: (any DataDecoder)? = nil,
        validation: ResponseValidation? = nil
    ) {
        isDecoderDefault = decoder == nil
        let decoder = decoder ?? JSONDecoder()
        self.validation = validation ?? ResponseValidation(acceptableContentTypes: decoder.contentTypes)
        self.decoder = decoder
    }

    /// Decodes the content.
    /// - Throws: ``LarkspurError`` with the code `emptyResponse`, or with `responseSerializationFailed` and the
    ///   decoder's error as its `underlyingError`. The message then describes the problem and its coding path.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending Value {
        if data.isBlankContent { return try emptyValue() }
        if type(of: decoder) == JSONDecoder.self, Value.self == JSONValue.self,
            let value = JSONValue(json: data) as? Value
        {
            return value
        }
        do {
            return try decoder.decode(Value.self, from: decoder.preparedContent(data))
        } catch let error as LarkspurError {
            throw error
        } catch DecodingError.keyNotFound(let key, let context) {
            let error = SerializationFailure.error(
                "The content is not of the type \(Value.self)",
                DecodingError.keyNotFound(key, context)
            )
            throw decoder is JSONDecoder ? error.hinting(at: key.stringValue, in: data) : error
        } catch {
            let what = "The content is not of the type \(Value.self)"
            throw decoder is JSONDecoder
                ? SerializationFailure.error(json: data, what, error) : SerializationFailure.error(what, error)
        }
    }

    private func emptyValue() throws(LarkspurError) -> Value {
        if let type = Value.self as? any EmptyContentRepresentable.Type, let value = type.emptyContent as? Value {
            return value
        }
        throw LarkspurError(.emptyResponse, "The response has no content where the type \(Value.self) is expected")
    }
}

extension DecodableResponseSerializer: SuccessSerializer {}

extension DecodableResponseSerializer: JSONDecodingSerializer {
    var decodesJSON: Bool { type(of: decoder) == JSONDecoder.self }
}

/// A serializer that may leave the choice of its decoder to the session manager.
protocol DefaultDecodingSerializer {
    /// Returns the serializer with a decoder, unless the caller has set one.
    func decoding(with decoder: JSONDecoder) -> Self
}

extension DecodableResponseSerializer: DefaultDecodingSerializer {
    func decoding(with decoder: JSONDecoder) -> Self {
        guard isDecoderDefault else { return self }
        var serializer = self
        serializer.decoder = decoder
        return serializer
    }
}

extension ResponseSerializer {
    /// Returns the serializer with a decoder, if it uses a decoder and the caller has set none.
    func decoding(with decoder: @autoclosure () -> JSONDecoder) -> Self {
        guard let serializer = self as? any DefaultDecodingSerializer else { return self }
        return serializer.decoding(with: decoder()) as? Self ?? self
    }
}

extension ResponseSerializer {
    /// Creates a serializer that decodes the content into a value.
    /// - Parameters:
    ///   - type: The type of the value. Default: inferred from the context.
    ///   - decoder: The decoder. Default: nil, to use the ``SessionManager/jsonDecoder`` of the call's session manager.
    public static func decodable<Value>(
        _ type: Value.Type = Value.self,
        decoder: (any DataDecoder)? = nil
    ) -> Self where Self == DecodableResponseSerializer<Value> {
        DecodableResponseSerializer(type, decoder: decoder)
    }
}

extension LarkspurError {
    /// Adds a hint if the content has the name of the missing member in snake case.
    fileprivate func hinting(at key: String, in data: Data) -> LarkspurError {
        let name = key.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
        guard name != key, data.range(of: Data("\"\(name)\"".utf8)) != nil else { return self }
        return LarkspurError(
            code,
            "\(message), but there is \"\(name.excerpt)\": set the decoder's keyDecodingStrategy to .convertFromSnakeCase",
            underlyingError: underlyingError
        )
    }
}

/// A decoder of values from content: `JSONDecoder`, `PropertyListDecoder`, or another decoder that conforms.
public protocol DataDecoder: Sendable {
    /// The media types of the content that the decoder reads. ``DecodableResponseSerializer`` accepts them by default.
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
    public var contentTypes: Set<MediaRange> { Self.typesOfJSON }

    private static let typesOfJSON: Set<MediaRange> = .json.union(["application/*+json"])
}

extension PropertyListDecoder: DataDecoder {
    /// The media type `application/x-plist`.
    public var contentTypes: Set<MediaRange> { .propertyList }

    /// Rejects property lists that would exhaust the stack, because Foundation's decoder on Linux does not limit the
    /// nesting.
    /// - Throws: ``LarkspurError`` with the code `responseSerializationFailed`.
    public func preparedContent(_ data: Data) throws -> Data { try PropertyListContent.decodable(data) }
}
