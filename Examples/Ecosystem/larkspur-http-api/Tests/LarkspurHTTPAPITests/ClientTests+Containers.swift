import HTTPTypes
import Larkspur
import LarkspurHTTPAPI
import LarkspurTesting
import Synchronization
import Testing

extension ClientTests {
    @Test("A container gets at most as many bytes as it has space for")
    func containers() async throws {
        server.route("/users", .text("Ada"))
        let error = await #expect(throws: (any Error).self) {
            try await perform(.get, "/users") { _, reader in
                var container = UniqueArray<UInt8>()
                _ = try await reader.collect(into: &container)
            }
        }
        #expect(error is EitherError<LarkspurError, AsyncReaderLeftOverElementsError>)
    }

    @Test("The content of a response is collected with its trailers, up to a size, or exactly")
    func collecting() async throws {
        typealias LeftOver = AsyncReaderLeftOverElementsError
        typealias Mismatch = EitherError<LeftOver, AsyncReaderInsufficientElementsError>
        server.route("/users", .text("Ada"))

        try await perform(.get, "/users") { _, reader in
            var array = UniqueArray<UInt8>(minimumCapacity: 1024)
            let trailers = try await reader.collect(into: &array)
            #expect(trailers == nil)
            #expect([UInt8](taking: &array) == Array("Ada".utf8))
        }
        try await perform(.get, "/users") { _, reader in
            var array = UniqueArray<UInt8>(copying: "I am ".utf8Span.span)
            let trailers = try await reader.collect(into: &array, maximumSize: 3)
            #expect(trailers == nil)
            #expect([UInt8](taking: &array) == Array("I am Ada".utf8))
        }
        let tooLarge = await #expect(throws: EitherError<LarkspurError, LeftOver>.self) {
            try await perform(.get, "/users") { _, reader in
                var array = UniqueArray<UInt8>()
                _ = try await reader.collect(into: &array, maximumSize: 2)
            }
        }
        #expect(tooLarge.map { if case .second = $0 { true } else { false } } == true)

        for (size, isExpected) in [(3, true), (2, false), (4, false)] {
            let outcome = try await perform(.get, "/users") { _, reader in
                var room = Room(size: size)
                do {
                    _ = try await reader.collect(exactlyInto: &room)
                    return [UInt8](taking: &room.bytes) == Array("Ada".utf8) ? "exact" : "wrong"
                } catch EitherError<LarkspurError, Mismatch>.second(let mismatch) {
                    return mismatch == Mismatch.first(LeftOver()) ? "more" : "fewer"
                }
            }
            #expect(outcome == (isExpected ? "exact" : size == 2 ? "more" : "fewer"))
        }
    }

    /// A container with room for a number of bytes.
    private struct Room: RangeReplaceableContainer, ~Copyable {
        let size: Int
        var bytes = UniqueArray<UInt8>()

        init(size: Int) { self.size = size }

        var count: Int { bytes.count }
        var freeCapacity: Int { size - bytes.count }
        mutating func append(_ element: consuming UInt8) { bytes.append(element) }

        @_lifetime(&self)
        mutating func consumeAll() -> UniqueArray<UInt8>.SubrangeConsumer { bytes.consumeAll() }
    }

    @Test("Only seekable content is written from an offset")
    func seeking() async throws {
        let destination = Destination()
        let seekable = HTTPClientRequestBody<Destination.Writer>.data(Data("Hello".utf8))
        #expect(seekable.isSeekable && seekable.knownLength == 5)
        try await seekable.produce(offset: 2, into: Destination.Writer(destination: destination))
        #expect(destination.bytes.withLock { $0 } == Array("llo".utf8))

        let restartable = HTTPClientRequestBody<Destination.Writer>.restartable { await $0.finish() }
        #expect(!restartable.isSeekable)
        try await restartable.produce(offset: 0, into: Destination.Writer(destination: destination))
        await #expect(throws: HTTPClientRequestBody<Destination.Writer>.NotSeekable.self) {
            try await restartable.produce(offset: 1, into: Destination.Writer(destination: destination))
        }
    }
}

/// A place in memory for the content of a request.
private final class Destination: Sendable {
    let bytes = Mutex<[UInt8]>([])

    struct Writer: CallerAsyncWriter, ~Copyable {
        typealias WriteElement = UInt8
        typealias WriteFailure = Never
        typealias FinalElement = HTTPFields?

        let destination: Destination

        mutating func write<Buffer: RangeReplaceableContainer<UInt8> & ~Copyable>(buffer: inout Buffer) async {
            var drain = buffer.consumeAll()
            while let byte = drain.next() { destination.bytes.withLock { $0.append(byte) } }
        }

        consuming func finish<Buffer: RangeReplaceableContainer<UInt8> & ~Copyable>(
            buffer: inout Buffer,
            finalElement: consuming HTTPFields?
        ) async {
            await write(buffer: &buffer)
        }
    }
}
