/// A serializer that writes parameters as a property list.
///
/// The Content-Type is `application/x-plist`, unless the request has one. Without parameters there is neither a body
/// nor a Content-Type.
///
/// Dictionaries and arrays may hold strings, finite or infinite numbers, booleans, dates, data, and `Encodable` values.
/// Null and sets are errors, because property lists have neither.
public struct PropertyListRequestSerializer: RequestSerializer {
    /// The format to write. Default: XML. `.openStep`, which Foundation cannot write, is an error.
    public var format: PropertyListSerialization.PropertyListFormat

    /// Creates a serializer.
    /// - Parameter format: The format to write. Default: XML.
    public init(format: PropertyListSerialization.PropertyListFormat = .xml) {
        self.format = format
    }

    /// Writes parameters as a property list.
    /// - Parameters:
    ///   - parameters: The parameters; nil leaves the request unchanged.
    ///   - request: The request to write to.
    ///   - settings: The settings of the request. They have no effect on property lists.
    /// - Throws: ``LarkspurError`` with the code `parameterEncodingFailed`. It names the parameter and its type.
    public func encodeBody(
        _ parameters: Parameters?,
        into request: inout URLRequest,
        with settings: RequestSettings
    ) throws(LarkspurError) {
        guard let parameters else { return }
        request.httpBody = try body(of: parameters)
        request.setContentTypeIfAbsent("application/x-plist")
    }

    private func body(of parameters: Parameters) throws(LarkspurError) -> Data {
        // Foundation on Linux terminates the process if this format is requested.
        guard format != .openStep else {
            throw LarkspurError(.parameterEncodingFailed, "The OpenStep format cannot be written: use .xml or .binary.")
        }
        do {
            if case .encodable(let value) = parameters { return try encode(value, as: format) }
            let graph = ObjectGraph(format: .propertyList) { value in
                // Encoded within an array, because the top level of a property list must be a collection.
                let data = try array(of: value)
                let objects = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
                return (objects as? [Any])?.first ?? objects
            }
            let object = try graph.object(of: parameters.value, at: [], depth: 0)
            return try PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0)
        } catch {
            throw ParameterPath.error(wrapping: error, at: [])
        }
    }

    private func array(of value: some Encodable) throws -> Data { try encode([value], as: .binary) }

    private func encode(_ value: any Encodable, as format: PropertyListSerialization.PropertyListFormat) throws -> Data
    {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        return try encoder.encode(value)
    }
}

extension RequestSerializer where Self == PropertyListRequestSerializer {
    /// A ``PropertyListRequestSerializer`` with its defaults: parameters become a property list in XML.
    public static var propertyList: Self { Self() }
}
