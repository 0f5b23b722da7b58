/// A serializer that writes parameters as a JSON body.
///
/// The Content-Type is `application/json`, unless the request has one. Without parameters there is neither a body nor a
/// Content-Type.
///
/// The encoder writes `Encodable` parameters. `JSONSerialization` writes dictionaries and arrays, with strings,
/// numbers, booleans, null and URLs in them. For other values in them, such as dates and data, it uses the result of
/// the encoder. A `Set` is an error, because JSON's arrays have an order.
public struct JSONRequestSerializer: RequestSerializer {
    /// The options for writing dictionaries and arrays. They do not apply to `Encodable` parameters, which the encoder
    /// writes. Default: none.
    public var writingOptions: JSONSerialization.WritingOptions
    private let encoder: any DataEncoder

    /// Creates a serializer.
    /// - Parameters:
    ///   - writingOptions: The options for writing dictionaries and arrays. Default: none.
    ///   - encoder: The encoder of `Encodable` values, whose content is JSON. Default: a `JSONEncoder()`. Do
    ///     not change it afterwards.
    public init(writingOptions: JSONSerialization.WritingOptions = [], encoder: any DataEncoder = JSONEncoder()) {
        self.writingOptions = writingOptions
        self.encoder = encoder
    }

    /// Writes parameters as JSON.
    /// - Parameters:
    ///   - parameters: The parameters; nil leaves the request unchanged.
    ///   - request: The request to write to.
    ///   - settings: The settings of the request. They have no effect on JSON.
    /// - Throws: ``LarkspurError`` with the code `parameterEncodingFailed`, which names the parameter and its type.
    public func encodeBody(
        _ parameters: Parameters?,
        into request: inout URLRequest,
        with settings: RequestSettings
    ) throws(LarkspurError) {
        guard let parameters else { return }
        request.httpBody = try body(of: parameters)
        request.setContentTypeIfAbsent("application/json")
    }

    /// Returns parameters as JSON.
    /// - Throws: ``LarkspurError`` with the code `parameterEncodingFailed`, which names the parameter and its type.
    func body(of parameters: Parameters) throws(LarkspurError) -> Data {
        do {
            if case .encodable(let value) = parameters { return try encoder.encode(value) }
            let graph = ObjectGraph(format: .json) { value in
                try JSONSerialization.jsonObject(with: encoder.encode(value), options: .fragmentsAllowed)
            }
            let object = try graph.object(of: parameters.value, at: [], depth: 0)
            // JSONSerialization terminates the process for an object that it cannot write.
            guard JSONSerialization.isValidJSONObject(object) else {
                throw LarkspurError(.parameterEncodingFailed, "The `parameters` argument is not valid JSON.")
            }
            return try JSONSerialization.data(withJSONObject: object, options: writingOptions)
        } catch {
            throw ParameterPath.error(wrapping: error, at: [])
        }
    }
}

extension RequestSerializer where Self == JSONRequestSerializer {
    /// A ``JSONRequestSerializer`` with its defaults: parameters become JSON.
    public static var json: Self { Self() }
}
