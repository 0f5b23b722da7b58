#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import LarkspurTransport
import Testing

/// Responses that were broken at random, compared with what a strict reader says of them.
@Suite("Hostile responses", .needsServers, .timeLimit(.minutes(5)))
struct HostileResponseTests {
    private struct Sample: Decodable, Sendable {
        let method: String
        let bytes: Data
        /// The content that h11 finds; nil where it does not take the response for whole.
        let content: Data?
        /// Whether h11 may refuse it for something that says nothing of where content ends, which the engine tolerates.
        let isOdd: Bool
    }

    @Test(
        "A response that a strict parser finds incomplete is no success, and each success has the same content",
        arguments: 1...3
    )
    func comparison(seed: Int) async throws {
        let count = ProcessInfo.processInfo.environment["LARKSPUR_STRESS"] == nil ? 1_000 : 20_000
        let samples: [Sample] = try PythonScript("hostile_responses", usesPackages: true).run(["\(seed)", "\(count)"])
        let server = try LoopbackServer()
        let session = CurlURLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        var successes = 0
        for (index, sample) in samples.enumerated() {
            // In two chunks, each time elsewhere.
            let split = (index * 7) % max(1, sample.bytes.count)
            let chunks = [sample.bytes.prefix(split), sample.bytes.dropFirst(split)].map { Data($0) }
            server.route("/\(index)", .raw(chunks.map { .bytes($0) }))
            var request = URLRequest(url: server.url("/\(index)"))
            request.httpMethod = sample.method
            guard let content = try? await session.data(for: request).0 else { continue }
            successes += 1
            let text = "\(sample.method): \(String(decoding: sample.bytes, as: UTF8.self).debugDescription)"
            if let expected = sample.content {
                #expect(content == expected, "\(text)")
            } else {
                #expect(sample.isOdd, "\(text)")
            }
        }
        #expect(successes > 0)
    }
}
#endif
