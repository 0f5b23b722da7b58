/// The body of a request: the content to send, and its media type.
///
///     manager.post("users", body: .json(user))
///     manager.put("backups/1", body: .file(archive))
///     manager.put("copies/1", body: .sequence(manager.get("backups/1").chunks))
///     manager.post("photos", body: .multipart { form in try form.append(file: photo, name: "photo") })
///
/// A body can be stored, and used for any number of requests. If a request has no `Content-Type`, the body sets it to
/// its media type.
public struct RequestBody: Sendable {
    enum Kind: Sendable {
        /// A value and its encoder. If the encoder is nil, the JSON encoder of the session manager is used.
        case value(any Encodable & Sendable, (any DataEncoder)?)
        /// A JSON object, or the error of a member that cannot be encoded.
        case object(Result<Data, LarkspurError>)
        case data(Data)
        /// The bytes of a file from an offset on, and their number; nil for all bytes that follow.
        case file(URL, from: Int64, length: Int64?)
        case stream(length: Int64?, @Sendable () -> InputStream?)
        case produced(BodyProducer)
        case form(@Sendable (inout MultipartFormData) throws -> Void)
    }

    let kind: Kind
    /// The media type; nil if the encoder or the form determines it.
    let contentType: String?

    /// Creates a body from a value as JSON. The value is encoded before the method of the call, such as `post`,
    /// returns.
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder. Default: nil, to use the session manager's ``SessionManager/jsonEncoder``.
    public static func json(_ value: any Encodable & Sendable, encoder: JSONEncoder? = nil) -> Self {
        Self(kind: .value(value, encoder), contentType: nil)
    }

    /// Creates a body from the members of a JSON object, which may be of different types: `["name": "Ada", "age": 36]`.
    /// - Parameter members: Strings, numbers, booleans, `NSNull`, and arrays and dictionaries of these; dates, data and
    ///   other `Encodable` values as `JSONEncoder()` writes them. If a member has another type, the call ends with the
    ///   error `parameterEncodingFailed`, which names the member and its type.
    public static func jsonObject(_ members: [String: Any]) -> Self {
        let object = Result { () throws(LarkspurError) in try JSONRequestSerializer().body(of: .dictionary(members)) }
        return Self(kind: .object(object), contentType: "application/json")
    }

    /// Creates a body from a value in any format. The value is encoded before the method of the call returns.
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder, such as a `PropertyListEncoder`, which also names the media type.
    public static func encoded(_ value: any Encodable & Sendable, by encoder: any DataEncoder) -> Self {
        Self(kind: .value(value, encoder), contentType: nil)
    }

    /// Creates a body from data in memory.
    /// - Parameters:
    ///   - data: The data.
    ///   - contentType: The media type. Default: `application/octet-stream`.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> Self {
        Self(kind: .data(data), contentType: contentType)
    }

    /// Creates a body from a file, which is read while it is sent.
    /// - Parameters:
    ///   - url: The file, as a `file:` URL. If it is missing, unreadable or not a regular file, the call ends with the
    ///     error `fileUnreadable` and nothing is sent.
    ///   - offset: The number of bytes at the beginning of the file that are not sent. If the file has fewer bytes, the
    ///     call ends with the error `fileUnreadable`. Default: 0.
    ///   - length: The number of bytes to send. If fewer bytes follow the offset, the call ends with the error
    ///     `fileUnreadable`. Default: nil, to send all bytes that follow.
    ///   - contentType: The media type. Default: nil, to use the type of the file's extension.
    public static func file(
        _ url: URL,
        from offset: Int64 = 0,
        length: Int64? = nil,
        contentType: String? = nil
    ) -> Self {
        Self(
            kind: .file(url, from: offset, length: length),
            contentType: contentType ?? MIMEType.ofFile(named: url.lastPathComponent)
        )
    }

    /// Creates a body from the bytes of a stream.
    /// - Parameters:
    ///   - length: The number of bytes. It is the total of the progress, and is sent to the server if the transport can
    ///     do so. Default: nil, for an unknown length.
    ///   - contentType: The media type. Default: `application/octet-stream`.
    ///   - makeStream: A closure that creates the stream, unopened. It is called each time that the content is sent, on
    ///     a queue of the session.
    public static func stream(
        length: Int64? = nil,
        contentType: String = "application/octet-stream",
        _ makeStream: @escaping @Sendable () -> InputStream?
    ) -> Self {
        Self(kind: .stream(length: length, makeStream), contentType: contentType)
    }

    /// Creates a body from a multipart form (RFC 7578), which is sent as a stream. The method of the request must not
    /// be GET or HEAD.
    ///
    /// The `parameters` of the call become parts, and come before the parts of the closure. Data is sent unchanged,
    /// null as an empty part, and everything else as text. The form sets `Content-Type` and `Content-Length`, and
    /// replaces other values of these fields.
    /// - Parameter constructing: A closure that appends the parts. It is called once for each call, before the method
    ///   of the call returns. If it throws an error, the call ends with the code `parameterEncodingFailed`, and the
    ///   closure's error is the `underlyingError`. A ``LarkspurError`` is reported unchanged.
    public static func multipart(_ constructing: @escaping @Sendable (inout MultipartFormData) throws -> Void) -> Self {
        Self(kind: .form(constructing), contentType: nil)
    }
}

extension RequestBody {
    /// Returns the content that a request builder adds to a request; nil for a form, which is built separately.
    /// - Parameter jsonEncoder: The encoder for a value that was passed without an encoder.
    func content(_ jsonEncoder: @autoclosure () -> JSONEncoder) throws(LarkspurError) -> RequestContent? {
        switch kind {
        case .value(let value, let encoder): .value(value, encoder ?? jsonEncoder())
        case .object(let object): .data(try object.get(), type: contentType)
        case .data(let data): .data(data, type: contentType)
        case .file, .stream, .produced: .sentByTask(type: contentType)
        case .form: nil
        }
    }
}
