/// Decodes the content as text.
///
/// The encoding is ``encoding`` if it is set, else the charset of the Content-Type field, else what a byte order mark
/// at the start says, else ``fallbackEncoding``. A byte order mark is no part of the text. A response with the status
/// 204 or 205, or without content, is the empty string.
public struct StringResponseSerializer: ResponseSerializer {
    /// Which responses are acceptable. Default: status 200 to 299, any content type.
    public var validation: ResponseValidation
    /// The encoding of every response, whatever it says of itself. Default: nil.
    public var encoding: String.Encoding?
    /// The encoding of a response that does not say its own. Default: ISO-8859-1, as in Alamofire and, of old, in HTTP.
    public var fallbackEncoding: String.Encoding

    /// Makes a serializer.
    /// - Parameters:
    ///   - encoding: The encoding of every response, whatever it says of itself. Default: nil.
    ///   - fallbackEncoding: The encoding of a response that does not say its own. Default: ISO-8859-1.
    ///   - validation: Which responses are acceptable. Default: status 200 to 299, any content type.
    public init(
        encoding: String.Encoding? = nil,
        fallbackEncoding: String.Encoding = .isoLatin1,
        validation: ResponseValidation = ResponseValidation()
    ) {
        self.validation = validation
        self.encoding = encoding
        self.fallbackEncoding = fallbackEncoding
    }

    /// Decodes the content.
    /// - Throws: ``LarkspurError`` with the code `responseSerializationFailed` where the charset is unknown or the
    ///   content is not text in it.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending String {
        let status = (response as? HTTPURLResponse)?.statusCode
        if data.isEmpty || status == 204 || status == 205 { return "" }
        let charset = try charset(of: data, response)
        guard let text = charset.decode(data) else {
            throw LarkspurError(
                .responseSerializationFailed,
                "The content is not valid \(charset.name.excerpt) text (\(data.count) bytes)"
            )
        }
        return text
    }

    private func charset(of data: Data, _ response: URLResponse?) throws(LarkspurError) -> Charset {
        if let encoding { return Charset(encoding) }
        if let name = MediaType(of: response)?["charset"], !name.isEmpty {
            if let charset = Charset(named: name) { return charset }
            throw LarkspurError(
                .responseSerializationFailed,
                "The content is text in the charset \"\(name.excerpt)\", which cannot be decoded"
            )
        }
        return Charset(markedIn: data) ?? Charset(fallbackEncoding)
    }
}

extension ResponseSerializer where Self == StringResponseSerializer {
    /// Decodes the content as text, in the charset that the response names, else ISO-8859-1.
    public static var string: StringResponseSerializer { StringResponseSerializer() }

    /// Decodes the content as text in a given encoding.
    /// - Parameter encoding: The encoding of every response, whatever it says of itself.
    public static func string(encoding: String.Encoding) -> StringResponseSerializer {
        StringResponseSerializer(encoding: encoding)
    }
}
