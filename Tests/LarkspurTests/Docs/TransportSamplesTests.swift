#if canImport(FoundationNetworking)
import Larkspur
import LarkspurTesting
import Testing

/// Runs the samples about transports.
@Suite("Samples about transports", .timeLimit(.minutes(5)))
struct TransportSamplesTests {
    let samples = TransportSamples()

    @Test("The engine is the default, can be selected, and is visible in the class of its sessions")
    func choice() throws {
        for manager in samples.choice() { samples.transportInUse(manager) }
        let version = try #require(CurlURLSession.libcurlVersion)
        #expect(samples.output.values == ["libcurl \(version)", "libcurl \(version)", "Foundation"])
    }

    @Test("A session and a session manager send the same request, with the same configuration")
    func fromURLSession() async throws {
        let server = try LoopbackServer()
        server.route("/users/1", .json(#"{"name": "Ada"}"#))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpAdditionalHeaders = ["X-Client": "my-tool"]

        try await samples.fromURLSession(configuration, URLRequest(url: server.url("/users/1")))

        #expect(samples.output.values == ["Ada Ada"])
        #expect(server.requests.map { $0.headers["X-Client"] } == ["my-tool", "my-tool"])
    }

    @Test func options() { #expect(samples.options().allSatisfy { $0 is CurlURLSession }) }
}
#endif
