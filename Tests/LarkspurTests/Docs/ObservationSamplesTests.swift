import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/Tasks.md` about observation.
@Suite("Samples about observation", .timeLimit(.minutes(5)))
struct ObservationSamplesTests {
    let folder = TemporaryFolder()
    let server: LoopbackServer
    let samples: ObservationSamples

    init() throws {
        server = try LoopbackServer()
        server.route("/users", .json("[]"))
        samples = ObservationSamples(
            manager: TestTransport.allCases[0].makeManager(for: server),
            file: folder.url.appendingPathComponent("calls.har")
        )
    }

    @Test func loggers() async throws {
        samples.logger()
        #expect(samples.manager.observers.first is ConsoleLogger)
        samples.manager.observers = []
        samples.ownLog()
        _ = await samples.manager.get("nothing").response()
        #expect(samples.lines.values.count == 1)
    }

    @Test func archive() async throws {
        try await samples.archive()
        #expect(String(decoding: try Data(contentsOf: samples.file), as: UTF8.self).contains(#""version" : "1.2""#))
    }

    @Test func measurements() async throws {
        samples.measurements()
        _ = try await samples.manager.get("users").data
        #expect(samples.output.values.contains { $0.hasPrefix("http.client.request.duration ") })
    }

    @Test func events() async throws {
        try await samples.events()
        #expect(samples.output.values.contains { $0.hasSuffix(" 1 success") })
        #expect(samples.output.values.contains { $0.hasPrefix("completed, GET http") })
    }

    @Test func sequence() async throws {
        try await samples.sequence()
        #expect(samples.output.values == ["/users 200"])
    }
}
