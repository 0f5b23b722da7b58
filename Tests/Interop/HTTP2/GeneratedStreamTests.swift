#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Synchronization
import TestSupport
import Testing

/// Responses over HTTP/2 from a grammar of frames, several at a time on one connection.
///
/// `LARKSPUR_GENERATED_CASES` is their number, and `LARKSPUR_SEED` the seed, which a failure prints.
@Suite("HTTP/2: generated frames", .needsTrustedHTTP2, .timeLimit(.minutes(30)))
struct GeneratedStreamTests {
    private let server: MisbehavingServer

    init() throws { server = try MisbehavingServer() }

    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    @Test("A stream is complete only with END_STREAM and all of its content, and the session continues")
    func outcomes() async throws {
        let seed = UInt64(clamping: Self.number("LARKSPUR_SEED") ?? Int.random(in: 1...1_000_000_000))
        let count = Self.number("LARKSPUR_GENERATED_CASES") ?? 2_000
        let session = server.makeSession()
        let start = ContinuousClock.now
        var completed = 0
        // The streams of a group share a connection. In every other group, each deviation affects only its stream.
        for first in stride(from: 0, to: count, by: 8) {
            let reach: GeneratedStream.Reach = first / 8 % 2 == 0 ? .stream : .connection
            let streams = (first..<min(first + 8, count)).map {
                GeneratedStream(seed: seed &+ UInt64($0), reach: reach)
            }
            let ends = await ends(of: streams, in: session)
            let isDisturbed = reach == .connection && streams.contains(where: \.mayFail)
            completed += ends.filter { $0.error == nil }.count
            for (stream, end) in zip(streams, ends) {
                guard let problem = end.problem(with: stream, isDisturbed: isDisturbed) else { continue }
                Issue.record("LARKSPUR_SEED=\(seed), stream \(stream.seed &- seed): \(problem): \(stream)")
                // One group says enough.
                return
            }
            #expect(try await server.echo(in: session).method == "GET", "LARKSPUR_SEED=\(seed), group \(first)")
        }
        #expect(completed > count / 4)
        print("generated streams: \(count) from seed \(seed), \(completed) complete, \(start.duration(to: .now))")
    }

    /// The end of a stream that arrives while libcurl advances the others can be read by one of those. From 8.15 on,
    /// libcurl then leaves it with OpenSSL, where no event of the socket tells of it.
    @Test("Simultaneous streams in small frames each have one end", .seeded, arguments: [2, 3, 5, 8])
    func interleavedEnds(_ width: Int) async throws {
        var random = SeededGenerator()
        let session = server.makeSession()
        for round in 0..<2_000 / width {
            let streams = (0..<width).map { _ in
                let frames = Int.random(in: 0...4, using: &random)
                return ["head:200"] + Array(repeating: ["send", "data:1"], count: frames).joined() + ["send", "last:1"]
            }
            let replies = try await withThrowingTaskGroup(of: (expected: Int, received: Int).self) { group in
                for steps in streams {
                    let url = try server.url(steps)
                    group.addTask { (steps.count / 2, try await session.reply(to: URLRequest(url: url)).content.count) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.allSatisfy { $0.expected == $0.received }, "round \(round)")
        }
    }

    /// The end of a stream.
    private struct End: Sendable {
        var reply: Reply?
        var error: (any Error)?

        /// The violation of the outcome that follows from the frames; nil if there is none.
        /// - Parameter isDisturbed: Whether another stream may have ended the connection.
        func problem(with stream: GeneratedStream, isDisturbed: Bool) -> String? {
            guard let reply else {
                // The server leaves no stream without an end.
                if (error as? URLError)?.code == .timedOut { return "has no end" }
                return stream.mayFail || isDisturbed ? nil : "fails with \(error.map { "\($0)" } ?? "nothing")"
            }
            guard stream.mayComplete else { return "is complete with \(reply.content.count) bytes" }
            if reply.status != stream.status { return "has the status \(reply.status)" }
            if reply.content != Data(repeating: UInt8(ascii: "x"), count: stream.count) {
                return "has \(reply.content.count) bytes instead of \(stream.count)"
            }
            if reply.field("x-seed") != "\(stream.seed)" { return "has the fields of another stream" }
            let hasTrailers = reply.trailers == stream.trailers || stream.mayFail && reply.trailers == nil
            return hasTrailers ? nil : "has the trailers \(reply.trailers ?? [:])"
        }
    }

    private func ends(of streams: [GeneratedStream], in session: URLSession) async -> [End] {
        await withTaskGroup(of: (Int, End).self) { group in
            for (index, stream) in streams.enumerated() {
                group.addTask {
                    do {
                        var request = URLRequest(url: try server.url(stream.steps))
                        request.httpMethod = stream.method
                        return (index, End(reply: try await session.reply(to: request)))
                    } catch {
                        return (index, End(error: error))
                    }
                }
            }
            return await group.reduce(into: Array(repeating: End(), count: streams.count)) { $0[$1.0] = $1.1 }
        }
    }
}
#endif
