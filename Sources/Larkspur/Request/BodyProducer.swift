internal import HTTPSyntax
import Synchronization

/// The producer of a body that is written while it is sent: a sequence or a closure of the caller.
final class BodyProducer: Sendable {
    /// Writes the content from an offset on.
    typealias Production = @Sendable (BodyWriter, _ offset: Int64) async throws -> Void

    /// The ability of a body to be sent again.
    enum Repetition: Sendable {
        case once
        case fromBeginning
        /// The content can be produced from any offset.
        case fromOffset
    }

    /// The number of bytes; nil if it is unknown.
    let length: Int64?
    /// The names of the trailers that may follow the content.
    let trailerNames: [String]
    let repetition: Repetition
    private let produce: Production
    private let hasBegun = Atomic(false)
    /// The number of productions under way.
    private let productions = Atomic(0)

    init(length: Int64?, trailerNames: [String] = [], repetition: Repetition, produce: @escaping Production) {
        self.length = length
        self.trailerNames = trailerNames
        self.repetition = repetition
        self.produce = produce
    }

    /// Whether the content can be sent, again if it was sent before.
    var canBegin: Bool { repetition != .once || !hasBegun.load(ordering: .acquiring) }

    /// Whether content is being produced.
    var isProducing: Bool { productions.load(ordering: .relaxed) > 0 }

    /// Returns the content for a transfer.
    /// - Parameters:
    ///   - request: The request that sends the content.
    ///   - part: The section of the content that is sent. Default: nil, for all of it.
    ///   - isTwoWay: Whether the response is read while the content is sent.
    func content(of request: URLRequest, part: Range<Int64>? = nil, isTwoWay: Bool) -> ProducedBody {
        let length = part.map { Int64($0.count) } ?? length ?? request.announcedBodyLength
        let offset = part?.lowerBound ?? 0
        return ProducedBody(
            length: length,
            hasTrailers: request.value(forHTTPHeaderField: "Trailer") != nil,
            isTwoWay: isTwoWay,
            canBegin: { self.canBegin },
            makeChannel: {
                BodyChannel(length: length) { channel in
                    try self.begin()
                    return Task { await self.run(channel, from: offset, count: part.map { Int64($0.count) }) }
                }
            }
        )
    }

    /// Records that the production begins. Content that can be sent once is consumed from then on.
    private func begin() throws(LarkspurError) {
        let isFirst = !hasBegun.exchange(true, ordering: .acquiringAndReleasing)
        guard isFirst || repetition != .once else {
            throw LarkspurError(.bodyUnreadable, "The request's content can be sent only once, and was sent before.")
        }
    }

    /// Produces the content for another producer, which codes it.
    func produce(to writer: BodyWriter) async throws {
        try begin()
        productions.add(1, ordering: .relaxed)
        defer { productions.subtract(1, ordering: .relaxed) }
        try await produce(writer, 0)
        try writer.end()
    }

    private func run(_ channel: BodyChannel, from offset: Int64, count: Int64?) async {
        let writer = BodyWriter(channel: channel, limit: count)
        productions.add(1, ordering: .relaxed)
        defer { productions.subtract(1, ordering: .relaxed) }
        do {
            try await produce(writer, offset)
            try writer.end()
        } catch {
            // Has no effect if the sending has ended already.
            channel.fail(error)
        }
    }
}

/// The writer of a request's content.
///
/// The closure of ``RequestBody/writer(length:contentType:trailers:isRepeatable:_:)`` gets it. A writer may be used on
/// any thread and by several Swift tasks. The bytes of one call of ``write(_:)-(DataProtocol)`` stay together.
public struct BodyWriter: Sendable {
    let channel: BodyChannel
    /// The number of bytes after which the production ends; nil for all of the content.
    var limit: Int64?
    /// The coder of the bytes, with its channel; nil if they are sent as they are.
    private var coded: CodedChannel?

    init(channel: BodyChannel, limit: Int64? = nil) {
        self.channel = channel
        self.limit = limit
    }

    /// Returns a writer whose bytes are coded before they are sent by this writer.
    func coded(by coder: some BodyCoder) -> BodyWriter {
        var writer = self
        writer.coded = CodedChannel(channel, coder)
        return writer
    }

    /// Sends bytes, and waits until there is room for more.
    ///
    /// While 256 KiB or more wait for the socket, the method waits. The bytes of a call are sent at once, even if they
    /// are few.
    /// - Parameter bytes: The bytes. If there are none, the method does nothing.
    /// - Throws: ``LarkspurError`` with the code `sendingEnded`, if the rest of the content is not sent: the response
    ///   has a status of 300 or more, the response over HTTP/2 has ended, or the call has ended. The code is
    ///   `bodyUnreadable` if there are more bytes than the length of the body, `unsupported` after the end of the
    ///   content, and `cancelled` if the surrounding Swift task is cancelled.
    public func write(_ bytes: some DataProtocol) async throws(LarkspurError) {
        do throws(BodyChannel.Refusal) {
            if let coded { try await coded.write(bytes.chunk) } else { try await channel.write(bytes.chunk) }
        } catch {
            throw LarkspurError(error)
        }
    }

    /// Sends text in UTF-8, and waits until there is room for more.
    /// - Parameter text: The text.
    /// - Throws: The errors of ``write(_:)-(DataProtocol)``.
    public func write(_ text: String) async throws(LarkspurError) { try await write(Data(text.utf8)) }

    /// Ends the content, and does not wait until it was sent. When the closure returns, the content ends without a call
    /// of this method.
    /// - Parameter trailers: The fields that follow the content (RFC 9110, section 6.5). They can be sent only in
    ///   chunks over HTTP/1.1. If the body was created with the names of its trailers, its request is sent in this way.
    ///   Otherwise the method throws an error if HTTP/2 is possible or the body has a length. Default: none.
    /// - Throws: ``LarkspurError`` with the code `invalidHeaderField`, if a trailer's name or value is not allowed;
    ///   `bodyUnreadable`, if there are fewer bytes than the length of the body; `unsupported`, if the content has
    ///   ended already, or trailers cannot be sent; and `sendingEnded` as in ``write(_:)-(DataProtocol)``. In the first
    ///   three cases the request is broken off, unless the content has ended already.
    public func finish(trailers: HTTPHeaders = HTTPHeaders()) async throws(LarkspurError) {
        do throws(LarkspurError) {
            try trailers.validateTrailers()
            try end(trailers.map { "\($0.name): \($0.value)" })
        } catch {
            channel.fail(error)
            throw error
        }
    }

    private func end(_ trailers: [String]) throws(LarkspurError) {
        do throws(BodyChannel.Refusal) {
            try coded?.finish()
            try channel.finish(trailers: trailers)
        } catch {
            throw LarkspurError(error)
        }
    }

    /// Ends the content unless it has ended already.
    func end() throws(LarkspurError) {
        do throws(BodyChannel.Refusal) {
            try coded?.finish()
            try channel.finish()
        } catch {
            if error != .contentEnded { throw LarkspurError(error) }
        }
    }
}

extension DataProtocol {
    /// The bytes as a chunk that waits for the socket. Larger data is not copied.
    fileprivate var chunk: Data {
        // Few bytes are copied, because they may be a slice that keeps a much larger buffer in memory.
        if count >= BodyWriter.copyLimit, let data = self as? Data { data } else { Data(self) }
    }
}

extension BodyWriter {
    /// The number of bytes from which on data is not copied.
    static let copyLimit = 1 << 14

    /// Writes the elements of a sequence, up to the limit of the writer.
    func writeAll<S: AsyncSequence>(_ sequence: S) async throws where S.Element: DataProtocol {
        guard var rest = limit else {
            for try await element in sequence { try await write(element) }
            return
        }
        guard rest > 0 else { return }
        for try await element in sequence {
            let bytes = element.chunk.prefix(Int(clamping: rest))
            try await write(bytes)
            rest -= Int64(bytes.count)
            if rest == 0 { return }
        }
    }
}

extension HTTPHeaders {
    /// Checks names and values of trailers.
    /// - Throws: `invalidHeaderField`.
    fileprivate func validateTrailers() throws(LarkspurError) {
        try validate()
        for field in self { try Self.validateTrailer(named: field.name) }
    }

    /// Checks the name of a trailer.
    /// - Throws: `invalidHeaderField`, if a field of this name must not follow the content (RFC 9110, section 6.5.1).
    static func validateTrailer(named name: String) throws(LarkspurError) {
        guard name.isToken else {
            throw LarkspurError(.invalidHeaderField, "“\(name.excerpt)” is not the name of a field, and no trailer.")
        }
        guard TrailerField.isAllowed(name) else {
            throw LarkspurError(
                .invalidHeaderField,
                "\(name.excerpt) must not follow the content: a recipient needs the field before it (RFC 9110, 6.5.1)."
            )
        }
    }
}

extension LarkspurError {
    /// Creates the error of a writer.
    fileprivate init(_ refusal: BodyChannel.Refusal) {
        let code: Code =
            switch refusal {
            case .answered, .transferEnded: .sendingEnded
            case .contentEnded, .trailersNotPossible: .unsupported
            case .tooLong, .tooShort: .bodyUnreadable
            case .cancelled: .cancelled
            }
        self.init(code, refusal.sentence)
    }
}

/// Content that is produced, for a thread that reads and may block.
final class ProducedBodyReader: BlockingReader {
    private let channel: BodyChannel
    private var rest = Data()

    init(_ channel: BodyChannel) { self.channel = channel }

    deinit { channel.close() }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LarkspurError) -> Int {
        if rest.isEmpty {
            switch channel.takeBlocking() {
            case .bytes(let bytes): rest = bytes
            case .wait, .end: return 0
            case .fail(let error): throw .production(error)
            }
        }
        let part = rest.prefix(buffer.count)
        part.withUnsafeBytes { buffer.copyMemory(from: $0) }
        rest = rest.dropFirst(part.count)
        return part.count
    }
}

extension LarkspurError {
    /// Returns the error of a call whose content could not be produced.
    static func production(_ error: any Error) -> LarkspurError {
        if let refusal = error as? BodyChannel.Refusal { return LarkspurError(refusal) }
        return LarkspurError(
            .bodyUnreadable,
            "The content of the request could not be produced to its end.",
            underlyingError: error
        )
    }
}
