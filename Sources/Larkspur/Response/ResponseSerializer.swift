/// A serializer that converts the content of a response into a value.
///
/// A serializer is a value type. A task stores a copy when it is created. To write a serializer, conform to this
/// protocol. The task first validates the response with ``validation``. It then calls ``serialize(_:response:)`` on the
/// session's processing queue, concurrently for different tasks.
public protocol ResponseSerializer<Output>: Sendable {
    /// The type of the value.
    associatedtype Output

    /// The rules by which responses are acceptable.
    var validation: ResponseValidation { get set }

    /// Converts the content of a response into a value.
    ///
    /// If only the status of a response is unacceptable, the content is serialized, too, so that the error can contain
    /// the server's description of the failure. ``DecodableResponseSerializer`` is an exception, because its type is
    /// meant for a successful response.
    /// - Parameters:
    ///   - data: The whole content, decoded from its content coding; empty if there was none.
    ///   - response: The response of the content.
    /// - Returns: The value. The serializer must not keep a reference to it.
    /// - Throws: ``LarkspurError``, which is reported unchanged; or another error, which becomes the `underlyingError`
    ///   of a ``LarkspurError`` with the code `responseSerializationFailed`.
    func serialize(_ data: Data, response: URLResponse?) throws -> sending Output
}

extension ResponseSerializer {
    /// The acceptable status codes of ``validation``, or nil for all.
    public var acceptableStatusCodes: StatusCodes? {
        get { validation.acceptableStatusCodes }
        set { validation.acceptableStatusCodes = newValue }
    }

    /// The acceptable media types of ``validation``, or nil for all.
    public var acceptableContentTypes: Set<MediaRange>? {
        get { validation.acceptableContentTypes }
        set { validation.acceptableContentTypes = newValue }
    }
}

extension ResponseSerializer {
    /// Whether the serializer runs no code of the caller, and needs only a few microseconds for each kibibyte.
    var isQuick: Bool { readsContentAlone || innerType == StringResponseSerializer.self }

    /// Whether the serializer needs only the content to create its value, and not the response.
    var readsContentAlone: Bool {
        let type = innerType
        return type == DataResponseSerializer.self || type == JSONResponseSerializer.self
    }

    /// Whether the serializer decodes a value by Foundation's `JSONDecoder`.
    var decodesJSON: Bool { (self as? any JSONDecodingSerializer)?.decodesJSON == true }

    private var innerType: any ResponseSerializer.Type { type(of: (self as? AnyResponseSerializer)?.base ?? self) }
}

/// A serializer that can create a value only from an acceptable response.
package protocol SuccessSerializer {}

extension ResponseSerializer {
    /// Whether the serializer can create a value only from an acceptable response.
    var readsSuccessOnly: Bool { ((self as? AnyResponseSerializer)?.base ?? self) is any SuccessSerializer }
}

extension ResponseSerializer {
    /// Returns a serializer that makes a `Sendable` value from this serializer's value.
    ///
    /// An object such as an `XMLDocument` cannot be passed to another task. A value that is made from the object can be
    /// passed, so that the serializer can be used with `await`:
    ///
    ///     let response = await manager.get("feed").response(
    ///         as: XMLDocumentResponseSerializer().map { document in document?.rootElement()?.name }
    ///     )
    ///
    /// `DataTask.value(as:_:)` takes such a closure as a parameter.
    /// - Parameter transform: Makes the value. Called on the manager's `processingQueue`, and only for an acceptable
    ///   response. A ``LarkspurError`` that it throws is the error of the call. Another error is the `underlyingError`
    ///   of an error with the code `responseSerializationFailed`.
    public func map<Value: Sendable>(
        _ transform: @escaping @Sendable (Output) throws -> Value
    ) -> some ResponseSerializer<Value> {
        MappedResponseSerializer(base: self, transform: transform)
    }
}

/// A serializer that makes a value from another serializer's value.
private struct MappedResponseSerializer<Base: ResponseSerializer, Output: Sendable>: ResponseSerializer,
    SuccessSerializer, DefaultDecodingSerializer
{
    var base: Base
    let transform: @Sendable (Base.Output) throws -> Output

    var validation: ResponseValidation {
        get { base.validation }
        set { base.validation = newValue }
    }

    func serialize(_ data: Data, response: URLResponse?) throws -> sending Output {
        try transform(base.serialize(data, response: response))
    }

    func decoding(with decoder: JSONDecoder) -> Self { Self(base: base.decoding(with: decoder), transform: transform) }
}

/// A serializer whose decoder may be Foundation's `JSONDecoder`.
protocol JSONDecodingSerializer {
    /// Whether the decoder is Foundation's `JSONDecoder`. A subclass counts as code of the caller.
    var decodesJSON: Bool { get }
}

/// A response serializer whose type is not known at compile time.
public struct AnyResponseSerializer: ResponseSerializer {
    private(set) var base: any ResponseSerializer
    let isSessionDefault: Bool

    /// Wraps a serializer.
    public init(_ base: any ResponseSerializer) {
        self.base = base
        isSessionDefault = false
    }

    private init() {
        base = DataResponseSerializer()
        isSessionDefault = true
    }

    fileprivate static let placeholder = AnyResponseSerializer()

    /// The rules by which responses are acceptable.
    public var validation: ResponseValidation {
        get { base.validation }
        set { base.validation = newValue }
    }

    /// Converts the content of a response into a value; nil if the wrapped serializer's value is an empty optional.
    public func serialize(_ data: Data, response: URLResponse?) throws -> sending Any? {
        // The usual serializer. Its objects are not optionals, and a check for an optional would cost as much as
        // parsing.
        if let json = base as? JSONResponseSerializer { return try json.serialize(data, response: response) }
        return try Self.serialize(data, response, with: base)
    }

    private static func serialize<Base: ResponseSerializer>(_ data: Data, _ response: URLResponse?, with base: Base)
        throws -> sending Any?
    {
        unwrapped(try base.serialize(data, response: response))
    }
}

extension ResponseSerializer where Self == AnyResponseSerializer {
    /// A placeholder for the `responseSerializer` of the session manager that creates the task.
    public static var sessionDefault: AnyResponseSerializer { .placeholder }
}

/// The protocol of optional types. Only `Optional` conforms to it.
public protocol OptionalValue: ExpressibleByNilLiteral {}

extension Optional: OptionalValue {}

/// A protocol that only `Optional` conforms to. It identifies an optional in an `Any`.
private protocol AnyOptional {
    var erasedPayload: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var erasedPayload: Any? { self }
}

/// Returns the value without the optionals around it, which the type `Any` hides; nil if one of the optionals is empty.
func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any AnyOptional else { return value }
    return optional.erasedPayload.flatMap(unwrapped)
}

/// A type that has a value for a response without content.
///
/// Optionals have the value nil, and ``Empty`` has its only value. Add the conformance to a custom type that has a
/// natural empty value.
public protocol EmptyContentRepresentable {
    /// The value for a response without content.
    static var emptyContent: Self { get }
}

extension Optional: EmptyContentRepresentable {
    /// The value nil.
    public static var emptyContent: Wrapped? { nil }
}

/// The value of a response whose content is not needed: `.decodable(Empty.self)` for a 204, or for JSON that the
/// program does not read.
public struct Empty: Codable, Hashable, Sendable, EmptyContentRepresentable {
    /// The only value.
    public static let emptyContent = Empty()

    /// Creates the only value.
    public init() {}

    /// Accepts any content.
    public init(from decoder: any Decoder) throws {}
}
