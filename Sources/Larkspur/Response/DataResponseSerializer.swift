/// Hands the content on as it is, whatever its type: what AFNetworking's `AFHTTPResponseSerializer` does.
public struct DataResponseSerializer: ResponseSerializer {
    /// Which responses are acceptable. Default: status 200 to 299, any content type.
    public var validation: ResponseValidation

    /// Makes a serializer.
    /// - Parameter validation: Which responses are acceptable. Default: status 200 to 299, any content type.
    public init(validation: ResponseValidation = ResponseValidation()) { self.validation = validation }

    /// Returns the content.
    public func serialize(_ data: Data, response: URLResponse?) -> sending Data { data }
}

extension ResponseSerializer where Self == DataResponseSerializer {
    /// Hands the content on as it is.
    public static var data: DataResponseSerializer { DataResponseSerializer() }
}
