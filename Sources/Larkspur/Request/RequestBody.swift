/// The body of a request: what is sent as its content, and the media type of that.
///
///     manager.post("users", body: .json(user))
///     manager.put("backups/1", body: .file(archive))
///     manager.post("photos", body: .multipart { form in try form.append(file: photo, name: "photo") })
///
/// A body is used for any number of requests, and can be kept in values of one's own. The media type becomes the
/// `Content-Type` of a request that has none.
public struct RequestBody: Sendable {
    enum Kind: Sendable {
        /// A value; without an encoder, for the JSON encoder of the session manager.
        case value(any Encodable & Sendable, (any DataEncoder)?)
        /// A JSON object, or the error of its members.
        case object(Result<Data, LarkspurError>)
        case data(Data)
        case file(URL)
        case stream(length: Int64?, @Sendable () -> InputStream?)
        case form(@Sendable (inout MultipartFormData) throws -> Void)
    }

    let kind: Kind
    /// The media type; nil for a body that determines it itself.
    let contentType: String?

    /// Makes a body from a value as JSON. It is encoded before the method that makes the call returns.
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder. Default: nil, which stands for the session manager's ``SessionManager/jsonEncoder``.
    public static func json(_ value: any Encodable & Sendable, encoder: JSONEncoder? = nil) -> Self {
        Self(kind: .value(value, encoder), contentType: nil)
    }

    /// Makes a body from the members of a JSON object, which may be of different types: `["name": "Ada", "age": 36]`.
    /// - Parameter members: Strings, numbers, booleans, `NSNull`, and arrays and dictionaries of these; dates, data and
    ///   other `Encodable` values as `JSONEncoder()` writes them. A call with another value ends with the error
    ///   `parameterEncodingFailed`, which names the member and its type.
    public static func jsonObject(_ members: [String: Any]) -> Self {
        let object = Result { () throws(LarkspurError) in try JSONRequestSerializer().body(of: .dictionary(members)) }
        return Self(kind: .object(object), contentType: "application/json")
    }

    /// Makes a body from a value in any format. It is encoded before the method that makes the call returns.
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder, such as a `PropertyListEncoder`, which also names the media type.
    public static func encoded(_ value: any Encodable & Sendable, by encoder: any DataEncoder) -> Self {
        Self(kind: .value(value, encoder), contentType: nil)
    }

    /// Makes a body from data in memory.
    /// - Parameters:
    ///   - data: The data.
    ///   - contentType: The media type. Default: `application/octet-stream`.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> Self {
        Self(kind: .data(data), contentType: contentType)
    }

    /// Makes a body from a file, which is read while it is sent.
    /// - Parameters:
    ///   - url: The file, as a `file:` URL. If it is missing, unreadable or not a regular file, the call ends with the
    ///     error `fileUnreadable` and nothing is sent.
    ///   - contentType: The media type. Default: nil, which stands for the type of the file's extension.
    public static func file(_ url: URL, contentType: String? = nil) -> Self {
        Self(kind: .file(url), contentType: contentType ?? MIMEType.ofFile(named: url.lastPathComponent))
    }

    /// Makes a body from the bytes of a stream.
    /// - Parameters:
    ///   - length: The number of bytes. It is the total of the progress, and is announced to the server if the
    ///     transport can do so. Default: nil, for an unknown length.
    ///   - contentType: The media type. Default: `application/octet-stream`.
    ///   - makeStream: Creates the stream, unopened. Called each time that the content has to be sent, on a queue of
    ///     the session.
    public static func stream(
        length: Int64? = nil,
        contentType: String = "application/octet-stream",
        _ makeStream: @escaping @Sendable () -> InputStream?
    ) -> Self {
        Self(kind: .stream(length: length, makeStream), contentType: contentType)
    }

    /// Makes a body that is a multipart form (RFC 7578), which is sent as a stream. It needs a method other than GET
    /// and HEAD.
    ///
    /// The `parameters` of the call become parts before those of the closure: data unchanged, null as an empty part,
    /// and everything else as text. `Content-Type` and `Content-Length` are those of the form, whatever else is set.
    /// - Parameter constructing: Appends the parts. Called once for each call, before the method that makes the call
    ///   returns. An error that it throws is the `underlyingError` of one with the code `parameterEncodingFailed`,
    ///   with which the call ends; a ``LarkspurError`` is reported unchanged.
    public static func multipart(_ constructing: @escaping @Sendable (inout MultipartFormData) throws -> Void) -> Self {
        Self(kind: .form(constructing), contentType: nil)
    }
}

extension RequestBody {
    /// The content that a request builder adds to a request; nil for a form, which has a builder of its own.
    /// - Parameter jsonEncoder: The encoder of values without one.
    func content(_ jsonEncoder: @autoclosure () -> JSONEncoder) throws(LarkspurError) -> RequestContent? {
        switch kind {
        case .value(let value, let encoder): .value(value, encoder ?? jsonEncoder())
        case .object(let object): .data(try object.get(), type: contentType)
        case .data(let data): .data(data, type: contentType)
        case .file, .stream: .sentByTask(type: contentType)
        case .form: nil
        }
    }
}
