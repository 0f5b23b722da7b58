/// Bodies that are produced while they are sent. With the transport `.foundation` on Linux, the call ends with the error
/// `unsupported`: its streams cannot wait for bytes, and it would send a truncated body that looks complete.
///
/// Nothing is produced before the transport asks for content. If the production fails, the request is broken off, so that
/// no server takes its content for complete, and the call ends with the error `bodyUnreadable`, whose `underlyingError`
/// is the error of the production. If the sending ends before the content does, the task that produces is cancelled:
/// after a status of 300 or more (unless ``CallOptions/keepsSending`` is set), at the end of a response over HTTP/2, and
/// at the end of the call.
extension RequestBody {
    /// Creates a body from a sequence, which is sent once.
    ///
    /// If the content would have to be sent again, after a redirect, a challenge, a lost connection or for a retry, the
    /// call ends with the error `bodyUnreadable`. Content of which nothing has been asked for counts as not sent.
    /// - Parameters:
    ///   - sequence: The chunks of the content, such as `Data` or `[UInt8]`. The next chunk is requested when there is
    ///     room for it: at most 256 KiB and one chunk wait for the socket.
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

    /// Creates a body from sequences, of which a new one is made each time that the content is sent.
    /// - Parameters:
    ///   - length: The number of bytes of all chunks. If there are more or fewer, the call ends with the error
    ///     `bodyUnreadable`. Default: nil, for an unknown number; over HTTP/1.1 the content is then sent in chunks.
    ///   - contentType: The media type. Default: `application/octet-stream`.
    ///   - make: A closure that makes the sequence of chunks, such as `Data` or `[UInt8]`. The next chunk is requested
    ///     when there is room for it: at most 256 KiB and one chunk wait for the socket.
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

    /// Creates a body from sequences that can begin at any offset, which resumable uploads need.
    /// - Parameters:
    ///   - length: The number of bytes of the whole content. If there are more or fewer, the call ends with the error
    ///     `bodyUnreadable`.
    ///   - contentType: The media type. Default: `application/octet-stream`.
    ///   - make: A closure that makes the sequence of the chunks from an offset on, such as `Data` or `[UInt8]`. It is
    ///     called each time that the content or the rest of it is sent. The offset is a number of bytes. The next chunk
    ///     is requested when there is room for it: at most 256 KiB and one chunk wait for the socket.
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
    ///     `bodyUnreadable`. The last byte is sent when the content is finished. Default: nil, for an unknown number;
    ///     over HTTP/1.1 the content is then sent in chunks.
    ///   - contentType: The media type. Default: `application/octet-stream`.
    ///   - trailers: The names of the fields that ``BodyWriter/finish(_:)`` may send after the content. The request gets
    ///     them in its field `Trailer`, and goes by HTTP/1.1 in chunks, because libcurl sends no trailers otherwise. A
    ///     name that is not allowed after the content ends the call with the error `invalidHeaderField`. Default: none.
    ///   - isRepeatable: Whether the closure may be called again if the content has to be sent again. If it may not, the
    ///     call ends with the error `bodyUnreadable` then. Default: false.
    ///   - write: A closure that writes the content, in a Swift task of its own. The content ends when the closure
    ///     returns, or with ``BodyWriter/finish(_:)``. If it throws an error, the request is broken off.
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
