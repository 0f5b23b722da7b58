#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import TestSupport

/// The kinds of content that a call can send.
enum UploadedContent: String, CaseIterable, Sendable {
    case data, file, stream, streamOfLength, writer, writerOfLength, sequence, writerOnce

    /// Whether the content can be sent once more.
    var isRepeatable: Bool { self != .writerOnce }

    /// Sends content, and returns the response.
    func send(
        _ content: Data,
        _ method: HTTPMethod,
        to url: URL,
        with manager: SessionManager,
        headers: HTTPHeaders = [:]
    ) async -> DataResponse<Data> {
        let length = Int64(content.count)
        let folder = TemporaryFolder()
        let body: RequestBody
        switch self {
        case .data: body = .data(content)
        case .file: body = (try? folder.file("content", content)).map { .file($0) } ?? .data(Data())
        case .stream: body = .stream { InputStream(data: content) }
        case .streamOfLength: body = .stream(length: length) { InputStream(data: content) }
        case .sequence: body = .sequence(making: { Self.chunks(of: content) })
        case .writer, .writerOfLength, .writerOnce:
            body = .writer(length: self == .writerOfLength ? length : nil, isRepeatable: isRepeatable) { writer in
                for await chunk in Self.chunks(of: content) { try await writer.write(chunk) }
            }
        }
        let response = await manager.request(method, url, body: body, headers: headers)
            .response(as: DataResponseSerializer())
        withExtendedLifetime(folder) {}
        return response
    }

    private static func chunks(of content: Data) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for start in stride(from: 0, to: content.count, by: 7001) {
                continuation.yield(content[start..<min(start + 7001, content.count)])
            }
            continuation.finish()
        }
    }

    static func bytes(_ count: Int, seed: UInt64) -> Data {
        var random = SeededGenerator(seed: seed)
        return random.bytes(count)
    }

    /// The CRC-32 of bytes (RFC 1952, section 8).
    static func checksum(of bytes: Data) -> UInt32 {
        ~bytes.reduce(~0) { checksum, byte in checksum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: checksum) ^ byte)] }
    }

    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
}
#endif
