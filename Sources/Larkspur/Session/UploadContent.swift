/// The content of an upload: data, a file, or a stream, with its media type.
public struct UploadContent: Sendable {
    enum Source: Sendable {
        case data(Data)
        case file(URL)
        case stream(length: Int64?, @Sendable () -> InputStream?)
    }

    let source: Source
    let contentType: String

    /// Creates content from data in memory.
    /// - Parameters:
    ///   - data: The data.
    ///   - contentType: The media type, for a request without a `Content-Type` of its own. Default:
    ///     `application/octet-stream`.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> Self {
        Self(source: .data(data), contentType: contentType)
    }

    /// Creates content from a file, which is read while it is sent.
    /// - Parameters:
    ///   - url: The file, as a `file:` URL. If it is missing, unreadable or not a regular file, the task ends with the
    ///     error `fileUnreadable` and nothing is sent.
    ///   - contentType: The media type, for a request without a `Content-Type` of its own. Default: nil, which stands
    ///     for the type of the file's extension.
    public static func file(_ url: URL, contentType: String? = nil) -> Self {
        Self(source: .file(url), contentType: contentType ?? MIMEType.ofFile(named: url.lastPathComponent))
    }

    /// Creates content from the bytes of a stream.
    /// - Parameters:
    ///   - length: The number of bytes. It is the total of the progress, and is announced to the server if the
    ///     transport can do so. Default: nil, for an unknown length.
    ///   - contentType: The media type, for a request without a `Content-Type` of its own. Default:
    ///     `application/octet-stream`.
    ///   - makeStream: Creates the stream, unopened. Called each time that the content has to be sent, on a queue of
    ///     the session.
    public static func stream(
        length: Int64? = nil,
        contentType: String = "application/octet-stream",
        _ makeStream: @escaping @Sendable () -> InputStream?
    ) -> Self {
        Self(source: .stream(length: length, makeStream), contentType: contentType)
    }
}
