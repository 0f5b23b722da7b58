#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import TestSupport

/// A call with produced content in a scope, and the small response of its server.
struct ScopedUpload: Sendable, CustomStringConvertible {
    enum Body: String, CaseIterable {
        case writer, writerWithLength, sequence
    }

    /// The end of the content of the response.
    enum Framing: String, CaseIterable {
        case length, chunked, close
    }

    /// The behaviour of the server after its response.
    enum End: String, CaseIterable {
        /// It reads the rest of the content.
        case stays
        /// It reads the rest of the content, and then closes the connection, or resets the stream without an error.
        case closes
        /// It closes the connection at once, or the connection of HTTP/2.
        case breaks
    }

    let body: Body
    let chunks: [Data]
    /// The number of bytes of the content that the server reads before it responds; nil for all of it.
    let begun: Int?
    /// The sizes of the parts in which the response is sent.
    let parts: [Int]
    let framing: Framing
    let end: End

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        body = Body.allCases[number(0...2)]
        let size = [0, 1, 1_000, 20_000, 65_536, 200_000][number(0...5)]
        let chunkSize = [1_000, 10_000, 70_000][number(0...2)]
        chunks = stride(from: 0, to: size, by: chunkSize).map { Data(count: min(chunkSize, size - $0)) }
        let isEarly = number(0...3) > 0
        begun = isEarly ? [0, min(1, size), number(0...size)][number(0...2)] : nil
        let length = [0, 1, 3_000, 3_000, number(0...6_000)][number(0...4)]
        let cut = number(0...length)
        parts = (number(0...1) == 0 ? [length] : [cut, length - cut]).filter { $0 > 0 }
        end = number(0...19) == 0 ? .breaks : number(0...1) == 0 ? .stays : .closes
        let framing = Framing.allCases[number(0...2)]
        self.framing = framing == .close && end == .stays ? .length : framing
    }

    var length: Int { parts.reduce(0, +) }

    var description: String {
        let sizes = chunks.map(\.count).reduce(0, +)
        let start = begun.map { "\($0)" } ?? "all"
        return "\(body) \(sizes) in \(chunks.count), after \(start): \(parts) by \(framing), \(end)"
    }

    /// Whether the call may fail before all of the response has arrived: a TCP reset may overtake the response.
    var mayFail: Bool { end == .breaks }

    var requestBody: RequestBody {
        let chunks = chunks
        switch body {
        case .writer: return .writer { writer in for chunk in chunks { try await writer.write(chunk) } }
        case .writerWithLength:
            return .writer(length: Int64(chunks.reduce(0) { $0 + $1.count })) { writer in
                for chunk in chunks { try await writer.write(chunk) }
            }
        case .sequence:
            return .sequence(
                AsyncStream { continuation in
                    for chunk in chunks { continuation.yield(chunk) }
                    continuation.finish()
                }
            )
        }
    }

    /// The path and query for ``ScopedUploadServer``.
    var target: String {
        let sizes = parts.map { "\($0)" }.joined(separator: "-")
        return "/scoped?begun=\(begun ?? -1)&parts=\(sizes)&framing=\(framing)&end=\(end)"
    }

    /// The path and query for Tests/Interop/Scripts/http2_server.py.
    var play: String {
        let head = framing == .length ? "head:200:content-length=\(length)" : "head:200"
        var steps = [begun.map { "body:\($0)" } ?? "body", head]
        for part in parts.dropLast() { steps += ["send", "data:\(part)", "send"] }
        steps.append("last:\(parts.last ?? 0)")
        switch end {
        // Without the reset, libcurl up to 8.16 fails some calls although the response is whole.
        case .stays, .closes: steps += begun == nil ? [] : ["rst:0"]
        case .breaks: steps.append("close")
        }
        return "/play?play=\(steps.joined(separator: ","))"
    }
}
#endif
