import HTTPTypes
import LarkspurHTTPAPI

/// The content and the conclusion of a response.
struct Exchange: Equatable {
    let text: String
    let trailers: HTTPFields?

    init(_ text: String, trailers: HTTPFields?) {
        self.text = text
        self.trailers = trailers
    }
}

func collect(_ reader: consuming SessionHTTPClient.Reader) async throws -> Exchange {
    var bytes: [UInt8] = []
    let trailers = try await reader.forEachBuffer { buffer in bytes += [UInt8](taking: &buffer) }
    return Exchange(String(decoding: bytes, as: UTF8.self), trailers: trailers ?? nil)
}

extension [UInt8] {
    /// Creates an array from the bytes of a buffer, which is then empty.
    init(taking buffer: inout UniqueArray<UInt8>) {
        self.init()
        var drain = buffer.consumeAll()
        while let byte = drain.next() { append(byte) }
    }
}
