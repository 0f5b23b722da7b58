/// Turns the content of a response into a value.
///
/// A serializer is a value type, captured when a task is made. Write one by conforming to this protocol; the pipeline validates the response by
/// ``validation`` first and calls ``serialize(_:response:)`` on the session's processing queue, concurrently for different tasks.
public protocol ResponseSerializer<Output>: Sendable {
    /// What it makes of a response.
    associatedtype Output

    /// Which responses are acceptable.
    var validation: ResponseValidation { get set }

    /// Makes a value of the content of a response.
    /// - Parameters:
    ///   - data: The whole content, decoded from its content coding; empty if there was none.
    ///   - response: The response that it came with.
    /// - Returns: The value, of which the serializer keeps no reference.
    /// - Throws: ``LarkspurError``, which is reported as it is; or any other error, which is reported underneath one with the code
    ///   `responseSerializationFailed`.
    func serialize(_ data: Data, response: URLResponse?) throws -> sending Output
}
