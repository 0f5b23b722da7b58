/// Bodies that are produced while they are sent, by a sequence or a closure.
///
/// Nothing is produced before the transport requests content. If the production fails, the request is broken off, so
/// that no server treats its content as complete. The call then ends with the error `bodyUnreadable`, whose
/// `underlyingError` is the error of the production. If the sending ends before the content does, the Swift task that
/// produces the content is cancelled. This happens after a status of 300 or more (unless ``CallOptions/keepsSending``
/// is set), at the end of a response over HTTP/2, and at the end of the call.
///
/// With the transport `.foundation` on Linux, the call ends with the error `unsupported`: that transport treats a
/// stream without available bytes as ended, and would send truncated content that looks complete.
extension RequestBody {
    /// Creates a body from a sequence, which is sent once.
    ///
    /// If the content would have to be sent again, after a redirect, a challenge or a lost connection, the call ends
    /// with the error `bodyUnreadable`. ``RetryPolicy`` does not repeat the request. The content counts as sent as soon
    /// as the transport has requested its first byte.
    /// - Parameters:
    ///   - sequence: The chunks of the content, as `Data`, `[UInt8]` or another `DataProtocol`. The next chunk is
    ///     requested when there is room for it: at most 256 KiB and one chunk wait for the socket.
    ///   - length: The number of bytes of all chunks. If there are more or fewer, the call ends with the error
    ///     `bodyUnreadable`. Default: nil, for an unknown number; over HTTP/1.1 the content is then sent in chunks.
    ///   - contentType: The media type. Default: `application/octet-stream`.
    public static func sequence<S: AsyncSequence & Sendable>(
        _ sequence: S,
        length: Int64? = nil,
        contentType: String = "application/octet-stream"
    ) -> Self where S.Element: DataProtocol {
        let producer = BodyProducer(length: length, repetition: .once) { writer, _ in
            try await writer.writeAll(sequence)
        }
        return Self(kind: .produced(producer), contentType: contentType)
    }

    /// Creates a body from a closure that makes a sequence each time that the content is sent.
    /// - Parameters:
    ///   - length: The number of bytes of all chunks. If there are more or fewer, the call ends with the error
    ///     `bodyUnreadable`. Default: nil, for an unknown number; over HTTP/1.1 the content is then sent in chunks.
    ///   - contentType: The media type. Default: `application/octet-stream`.
    ///   - make: A closure that makes the sequence of chunks, as `Data`, `[UInt8]` or another `DataProtocol`. It is
    ///     called once for each time that the content is sent. If it throws an error, the request is broken off. The
    ///     next chunk is requested when there is room for it: at most 256 KiB and one chunk wait for the socket.
    public static func sequence<S: AsyncSequence & Sendable>(
        length: Int64? = nil,
        contentType: String = "application/octet-stream",
        making make: @escaping @Sendable () async throws -> S
    ) -> Self where S.Element: DataProtocol {
        let producer = BodyProducer(length: length, repetition: .fromBeginning) { writer, _ in
            try await writer.writeAll(make())
        }
        return Self(kind: .produced(producer), contentType: contentType)
    }

    /// Creates a body from a closure that makes a sequence from any offset on, which a ``ResumableUpload`` needs.
    /// - Parameters:
    ///   - length: The number of bytes of the whole content. If there are more or fewer, the call ends with the error
    ///     `bodyUnreadable`.
    ///   - contentType: The media type. Default: `application/octet-stream`.
    ///   - make: A closure that makes the sequence of the chunks from an offset on, as `Data`, `[UInt8]` or another
    ///     `DataProtocol`. The offset is the number of bytes that are left out at the beginning of the content. The
    ///     closure is called once for each time that the content, or a part of it, is sent. If it throws an error, the
    ///     request is broken off. The next chunk is requested when there is room for it: at most 256 KiB and one chunk
    ///     wait for the socket.
    public static func sequence<S: AsyncSequence & Sendable>(
        length: Int64,
        contentType: String = "application/octet-stream",
        fromOffset make: @escaping @Sendable (_ offset: Int64) async throws -> S
    ) -> Self where S.Element: DataProtocol {
        let producer = BodyProducer(length: length, repetition: .fromOffset) { writer, offset in
            try await writer.writeAll(make(offset))
        }
        return Self(kind: .produced(producer), contentType: contentType)
    }

    /// Creates a body that a closure writes while it is sent.
    ///
    ///     manager.post("numbers", body: .writer { writer in
    ///         for number in 1...1_000_000 { try await writer.write("\(number)\n") }
    ///     })
    /// - Parameters:
    ///   - length: The number of bytes. If the closure writes more or fewer, the call ends with the error
    ///     `bodyUnreadable`. So the last byte is sent only when the content has ended. Default: nil, for an unknown
    ///     number; over HTTP/1.1 the content is then sent in chunks.
    ///   - contentType: The media type. Default: `application/octet-stream`.
    ///   - trailers: The names of the fields that ``BodyWriter/finish(trailers:)`` sends after the content. The request
    ///     has the names in its field `Trailer`. It is sent over HTTP/1.1 in chunks, without a `Content-Length`,
    ///     because libcurl sends no trailers in other cases. If a name is not allowed after the content, the call ends
    ///     with the error `invalidHeaderField`. Default: none.
    ///   - isRepeatable: Whether the closure may be called again if the content has to be sent again. If false, a call
    ///     whose content has to be sent again ends with the error `bodyUnreadable`, as with a sequence that is sent
    ///     once. Default: false.
    ///   - write: A closure that writes the content, in a separate Swift task. The content ends when the closure
    ///     returns, or with ``BodyWriter/finish(trailers:)``. If the closure throws an error, the request is broken
    ///     off.
    public static func writer(
        length: Int64? = nil,
        contentType: String = "application/octet-stream",
        trailers: [String] = [],
        isRepeatable: Bool = false,
        _ write: @escaping @Sendable (BodyWriter) async throws -> Void
    ) -> Self {
        let producer = BodyProducer(
            length: length,
            trailerNames: trailers,
            repetition: isRepeatable ? .fromBeginning : .once
        ) { writer, _ in try await write(writer) }
        return Self(kind: .produced(producer), contentType: contentType)
    }
}
