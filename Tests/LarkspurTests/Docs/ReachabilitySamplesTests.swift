import LarkspurTesting
import Testing

@testable import Larkspur
@testable import LarkspurActivity
@testable import LarkspurReachability

/// Runs the samples of `Docs/Reachability.md`.
@Suite("Samples about reachability and activity", .timeLimit(.minutes(5)))
struct ReachabilitySamplesTests {
    private let samples = ReachabilitySamples()
    private let source = StubReachabilitySource()

    @Test("The samples check the network after a failure and before another attempt")
    func failure() async throws {
        let server = try LoopbackServer()
        server.route("/news", .json("[]", status: 503))
        let manager = TestTransport.curl.makeManager(for: server)
        let reachability = NetworkReachabilityManager(.anyNetwork, source: source)
        reachability.startMonitoring()
        source.report(.notReachable)
        _ = samples.failure(manager, reachability)
        #expect(try await samples.output.first() == "You seem to be offline.")

        source.report(.reachable(.wired))
        let loads = Recorder<Void>()
        try await samples.again(reachability) { loads.record(()) }
        #expect(loads.values.count == 1)
    }

    @Test("The samples show the monitored targets, and the reason if the system has no status")
    func watching() {
        #expect(samples.targets().map { $0?.status } == [.unknown, .unknown, .unknown])
        samples.watching().stopMonitoring()
        let manager = NetworkReachabilityManager(.anyNetwork, source: StubReachabilitySource(unavailable: "Forbidden."))
        manager.startMonitoring()
        samples.unavailable(manager)
        #expect(samples.output.values.contains("Forbidden."))
    }

    @Test("The samples enable and create activity monitors")
    func activity() async throws {
        let shared = samples.activity()
        #expect(shared.isEnabled)
        shared.isEnabled = false
        let own = samples.monitor()
        own.isEnabled = true
        #expect(own.isEnabled && !own.isActive)
    }

    @Test("The sample shows the progress bar of a download")
    func bar() async throws {
        let server = try LoopbackServer()
        let manager = TestTransport.curl.makeManager(for: server)
        server.route("/disk.iso", .data(Data(count: 10_000)))
        let folder = TemporaryFolder()
        try await samples.bar(manager, folder.url)
        #expect(samples.output.values == ["disk.iso"])
    }
}
