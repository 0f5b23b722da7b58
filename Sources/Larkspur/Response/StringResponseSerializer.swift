/// A serializer that decodes the content as text.
///
/// The encoding is the first of these that is known: ``encoding``, the charset of the Content-Type field, the encoding
/// of a byte order mark at the start, UTF-8 if the content is valid UTF-8, and ``fallbackEncoding``. A byte order mark
/// is not part of the text. If the status is 204 or 205, or there is no content, the result is the empty string.
public struct StringResponseSerializer: ResponseSerializer {
    /// The rules by which responses are acceptable. Default: status 200 to 299, any content type.
    public var validation: ResponseValidation
    /// The encoding for every response. It overrides the encoding that a response names. Default: nil.
    public var encoding: String.Encoding?
    /// The encoding for a response that names no encoding and is not valid UTF-8. Default: ISO-8859-1, as in earlier
    /// versions of HTTP.
    public var fallbackEncoding: String.Encoding

    /// Creates a serializer.
    /// - Parameters:
    ///   - encoding: The encoding for every response. It overrides the encoding that a response names. Default: nil.
    ///   - fallbackEncoding: The encoding for a response that names no encoding and is not valid UTF-8. Default:
    ///     ISO-8859-1.
    ///   - validation: The rules by which responses are acceptable. Default: status 200 to 299, any content type.
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
    /// - Throws: ``LarkspurError`` with the code `responseSerializationFailed`, if the charset is unknown or the
    ///   content is not valid in it.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending String {
        let status = (response as? HTTPURLResponse)?.statusCode
        if data.isEmpty || status == 204 || status == 205 { return "" }
        guard let charset = try charset(of: data, response) else {
            if let text = Charset(.utf8).decode(data) { return text }
            return try decode(data, Charset(fallbackEncoding))
        }
        return try decode(data, charset)
    }

    private func decode(_ data: Data, _ charset: Charset) throws(LarkspurError) -> String {
        guard let text = charset.decode(data) else {
            throw LarkspurError(
                .responseSerializationFailed,
                "The content is not valid \(charset.name.excerpt) text (\(data.count) bytes)"
            )
        }
        return text
    }

    /// Returns the charset that the caller has set, or that the response names; nil if there is none.
    private func charset(of data: Data, _ response: URLResponse?) throws(LarkspurError) -> Charset? {
        if let encoding { return Charset(encoding) }
        if let name = MediaType(of: response)?["charset"], !name.isEmpty {
            if let charset = Charset(named: name) { return charset }
            throw LarkspurError(
                .responseSerializationFailed,
                "The content is text in the charset \"\(name.excerpt)\", which cannot be decoded"
            )
        }
        return Charset(markedIn: data)
    }
}

extension ResponseSerializer where Self == StringResponseSerializer {
    /// A serializer that decodes the content as text. The charset is the one that the response names. If it names none,
    /// the charset is UTF-8, or ISO-8859-1 if the content is not valid UTF-8.
    public static var string: StringResponseSerializer { StringResponseSerializer() }
}
