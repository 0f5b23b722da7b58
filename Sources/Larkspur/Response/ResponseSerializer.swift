/// A serializer that converts the content of a response into a value.
///
/// A serializer is a value type, which is captured when a task is created. To write one, conform to this protocol. The
/// task first validates the response with ``validation``, then calls ``serialize(_:response:)`` on the session's
/// processing queue, concurrently for different tasks.
public protocol ResponseSerializer<Output>: Sendable {
    /// The type of the value.
    associatedtype Output

    /// The rules by which responses are acceptable.
    var validation: ResponseValidation { get set }

    /// Converts the content of a response into a value.
    ///
    /// A response of which only the status is unacceptable is serialized too, so that the error can carry the server's
    /// description of the failure.
    /// - Parameters:
    ///   - data: The whole content, decoded from its content coding; empty if there was none.
    ///   - response: The response of the content.
    /// - Returns: The value, to which the serializer keeps no reference.
    /// - Throws: ``LarkspurError``, which is reported unchanged; or any other error, which becomes the
    ///   `underlyingError` of one with the code `responseSerializationFailed`.
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
