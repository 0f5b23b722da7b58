#if canImport(FoundationNetworking)
import Larkspur
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

    @Test func options() { #expect(samples.options().allSatisfy { $0 is CurlURLSession }) }
}
#endif
