#if canImport(FoundationNetworking)
import Foundation
import Synchronization
import TestSupport

@testable import LarkspurTransport

/// The kinds of content that a request can send.
enum BodyKind: String, CaseIterable, Sendable {
    case short, long, file, stream, streamOfLength, produced, producedLength, producedOnce, trailers

    /// Whether the content can be sent once more.
    var isRepeatable: Bool { self != .producedOnce }

    /// Starts a task that sends content, and returns its outcome.
    /// - Parameter productions: Records each production of the content.
    func send(
        _ content: Data,
        with request: URLRequest,
        in session: CurlURLSession,
        productions: Recorder<Void> = Recorder()
    ) async throws -> Outcome {
        var request = request
        var file: TemporaryFile?
        let task: URLSessionTask
        switch self {
        case .short, .long: task = session.uploadTask(with: request, from: content)
        case .file:
            let made = try TemporaryFile(content)
            file = made
            task = session.uploadTask(with: request, fromFile: made.url)
        case .stream, .streamOfLength:
            if self == .streamOfLength { request.setValue("\(content.count)", forHTTPHeaderField: "Content-Length") }
            task = session.uploadTask(withStreamedRequest: request)
        case .produced, .producedLength, .producedOnce, .trailers:
            if self == .trailers { request.setValue("X-Sum", forHTTPHeaderField: "Trailer") }
            task = session.uploadTask(with: request, producing: production(of: content, productions))
        }
        let log = DelegateLog(
            .with {
                $0.stream = { _, answer in
                    productions.record(())
                    answer(InputStream(data: content))
                }
            }
        )
        task.delegate = log
        let outcome = try await log.outcome(of: task)
        withExtendedLifetime(file) {}
        return outcome
    }

    private func production(of content: Data, _ productions: Recorder<Void>) -> ProducedBody {
        let length = self == .producedLength ? Int64(content.count) : nil
        let trailers = self == .trailers ? ["X-Sum: \(content.count)"] : []
        let isConsumed = Atomic(false)
        let isRepeatable = isRepeatable
        return ProducedBody(
            length: length,
            hasTrailers: self == .trailers,
            isTwoWay: false,
            canBegin: { isRepeatable || !isConsumed.load(ordering: .relaxed) },
            makeChannel: {
                BodyChannel(length: length) { channel in
                    isConsumed.store(true, ordering: .relaxed)
                    productions.record(())
                    return Task {
                        var rest = content[...]
                        while !rest.isEmpty {
                            do { try await channel.write(Data(rest.prefix(10_000))) } catch { return }
                            rest = rest.dropFirst(10_000)
                        }
                        try? channel.finish(trailers: trailers)
                    }
                }
            }
        )
    }
}

/// A request as it came over a connection.
struct WireRequest: Sendable {
    let connection: Int
    let line: String
    let fields: String
    /// The content, without the framing of its chunks; nil if it is not complete.
    let content: Data?
    let trailers: [String]

    /// - Parameter bytes: Everything that has arrived from the beginning of the request on.
    init?(_ bytes: Data, connection: Int) {
        guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        fields = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        line = fields.split(separator: "\r\n").first.map(String.init) ?? ""
        self.connection = connection
        let rest = Data(bytes[end.upperBound...])
        if fields.lowercased().contains("transfer-encoding: chunked") {
            let decoded = Self.decode(rest)
            content = decoded.content
            trailers = decoded.trailers
        } else {
            let length = fields.lowercased().split(separator: "\r\n").compactMap {
                $0.hasPrefix("content-length: ") ? Int($0.dropFirst(16)) : nil
            }
            content = rest.count == length.first ?? 0 ? rest : nil
            trailers = []
        }
    }

    private static func decode(_ bytes: Data) -> (content: Data?, trailers: [String]) {
        var rest = bytes[...]
        var content = Data()
        while let lineEnd = rest.range(of: Data("\r\n".utf8)) {
            let line = String(decoding: rest[..<lineEnd.lowerBound], as: UTF8.self)
            guard let size = Int(line, radix: 16) else { return (nil, []) }
            rest = rest[lineEnd.upperBound...]
            if size == 0 {
                let lines = String(decoding: rest, as: UTF8.self).components(separatedBy: "\r\n")
                return rest.suffix(2) == Data("\r\n".utf8) ? (content, lines.filter { !$0.isEmpty }) : (nil, [])
            }
            guard rest.count >= size + 2 else { return (nil, []) }
            content += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
        return (nil, [])
    }
}

extension Data {
    /// Bytes that are different at every place, so that content from its middle is not taken for content from its
    /// beginning.
    static func numbered(_ count: Int) -> Data {
        precondition(count <= numbers.count)
        return Data(numbers.prefix(count))
    }

    /// Made once, as it takes its time in a debug build.
    private static let numbers = Data((0..<20 << 16).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8) ^ ($0 >> 16)) })
}
#endif
