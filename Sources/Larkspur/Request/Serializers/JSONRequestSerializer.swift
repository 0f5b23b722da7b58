/// Writes parameters as a JSON body.
///
/// The Content-Type is `application/json`, where the request has none. Without parameters there is neither a body nor
/// a Content-Type.
///
/// `Encodable` parameters are written by ``encode``. Dictionaries and arrays are written by `JSONSerialization`;
/// strings, numbers, booleans, null and URLs in them are themselves, and dates, data and other `Encodable` values are
/// what ``encode`` makes of them. A `Set` is an error, as JSON's arrays have an order.
public struct JSONRequestSerializer: RequestSerializer {
    /// The options by which dictionaries and arrays are written; `Encodable` parameters follow their encoder. Default:
    /// none.
    public var writingOptions: JSONSerialization.WritingOptions
    /// Makes JSON of an `Encodable` value; called on the thread that builds the request.
    public var encode: @Sendable (any Encodable) throws -> Data { didSet { hasOwnEncoder = true } }
    /// Whether an encoder was given.
    private(set) var hasOwnEncoder: Bool

    /// Makes a serializer.
    /// - Parameters:
    ///   - writingOptions: The options by which dictionaries and arrays are written. Default: none.
    ///   - encoder: The encoder of `Encodable` values, with its strategies for dates, data and keys. Default: a
    ///     `JSONEncoder()`. Do not change it afterwards.
    public init(writingOptions: JSONSerialization.WritingOptions = [], encoder: JSONEncoder? = nil) {
        let isOwn = encoder != nil
        let encoder = encoder ?? JSONEncoder()
        self.init(writingOptions: writingOptions) { try encoder.encode($0) }
        hasOwnEncoder = isOwn
    }

    /// Makes a serializer with an encoder other than Foundation's.
    /// - Parameters:
    ///   - writingOptions: The options by which dictionaries and arrays are written. Default: none.
    ///   - encode: Makes JSON of an `Encodable` value.
    public init(
        writingOptions: JSONSerialization.WritingOptions = [],
        encode: @escaping @Sendable (any Encodable) throws -> Data
    ) {
        self.writingOptions = writingOptions
        self.encode = encode
        hasOwnEncoder = true
    }

    /// Writes parameters as JSON.
    /// - Parameters:
    ///   - parameters: The parameters; nil leaves the request as it is.
    ///   - request: The request to write to.
    ///   - settings: The settings that the request is built with.
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

    private func body(of parameters: Parameters) throws(LarkspurError) -> Data {
        do {
            if case .encodable(let value) = parameters { return try encode(value) }
            let graph = ObjectGraph(format: .json) { value in
                try JSONSerialization.jsonObject(with: encode(value), options: .fragmentsAllowed)
            }
            let object = try graph.object(of: parameters.value, at: [], depth: 0)
            // JSONSerialization ends the process over what it cannot write.
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
