import LarkspurTransport
import Testing

@testable import Larkspur

@Suite("The writer of a body", .timeLimit(.minutes(2)))
struct BodyWriterTests {
    private func address(_ data: Data) -> UnsafeRawPointer? { data.withUnsafeBytes { $0.baseAddress } }

    /// Writes data, and returns the chunk that a transfer takes.
    private func firstChunk(of data: Data, limit: Int64?) async throws -> Data? {
        let channel = BodyChannel(length: nil) { channel in
            Task {
                do {
                    let writer = BodyWriter(channel: channel, limit: limit)
                    try await writer.writeAll(
                        AsyncStream { continuation in
                            continuation.yield(data)
                            continuation.finish()
                        }
                    )
                    try writer.end()
                } catch {
                    channel.fail(error)
                }
            }
        }
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                if case .bytes(let chunk) = channel.takeBlocking() {
                    continuation.resume(returning: chunk)
                } else {
                    continuation.resume(returning: nil)
                }
            }
        }
    }

    @Test("A large chunk is not copied", arguments: [nil, 1 << 20])
    func largeChunk(limit: Int64?) async throws {
        let data = Data(repeating: 7, count: BodyWriter.copyLimit)
        let chunk = try #require(try await firstChunk(of: data, limit: limit))
        #expect(chunk == data)
        #expect(address(chunk) == address(data))
    }

    @Test("A small slice does not retain its buffer", arguments: [nil, 1 << 20])
    func smallSlice(limit: Int64?) async throws {
        let data = Data(repeating: 7, count: 1 << 20)
        let slice = data.prefix(BodyWriter.copyLimit - 1)
        let chunk = try #require(try await firstChunk(of: slice, limit: limit))
        #expect(chunk == slice)
        #expect(address(chunk) != address(data))
    }
}
