/// A serializer that returns the content unchanged, for every content type, as AFNetworking's
/// `AFHTTPResponseSerializer` does.
public struct DataResponseSerializer: ResponseSerializer {
    /// The rules by which responses are acceptable. Default: status 200 to 299, any content type.
    public var validation: ResponseValidation

    /// Creates a serializer.
    /// - Parameter validation: The rules by which responses are acceptable. Default: status 200 to 299, any content
    ///   type.
    public init(validation: ResponseValidation = ResponseValidation()) { self.validation = validation }

    /// Returns the content.
    public func serialize(_ data: Data, response: URLResponse?) -> sending Data { data }
}

extension ResponseSerializer where Self == DataResponseSerializer {
    /// A serializer that returns the content unchanged.
    public static var data: DataResponseSerializer { DataResponseSerializer() }
}
