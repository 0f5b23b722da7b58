/// Turns the content of a response into a value.
///
/// A serializer is a value type, captured when a task is made. Write one by conforming to this protocol; the pipeline
/// validates the response by ``validation`` first and calls ``serialize(_:response:)`` on the session's processing
/// queue, concurrently for different tasks.
public protocol ResponseSerializer<Output>: Sendable {
    /// What it makes of a response.
    associatedtype Output

    /// Which responses are acceptable.
    var validation: ResponseValidation { get set }

    /// Makes a value of the content of a response.
    ///
    /// A response whose status alone is unacceptable is serialized too, so that the error can show what the server had
    /// to say.
    /// - Parameters:
    ///   - data: The whole content, decoded from its content coding; empty if there was none.
    ///   - response: The response that it came with.
    /// - Returns: The value, of which the serializer keeps no reference.
    /// - Throws: ``LarkspurError``, which is reported as it is; or any other error, which is reported underneath one
    ///   with the code `responseSerializationFailed`.
    func serialize(_ data: Data, response: URLResponse?) throws -> sending Output
}

extension ResponseSerializer {
    /// The status codes that are acceptable, or nil for all: those of ``validation``.
    public var acceptableStatusCodes: StatusCodes? {
        get { validation.acceptableStatusCodes }
        set { validation.acceptableStatusCodes = newValue }
    }

    /// The media types that are acceptable, or nil for all: those of ``validation``.
    public var acceptableContentTypes: Set<MediaRange>? {
        get { validation.acceptableContentTypes }
        set { validation.acceptableContentTypes = newValue }
    }
}
