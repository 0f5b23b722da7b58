#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import Testing

@Suite("Samples of the guide to URLs of strangers")
struct UntrustedURLSamplesTests {
    private let samples = UntrustedURLSamples()

    @Test("The details of a refusal are printed")
    func details() async throws {
        let manager = samples.limits()
        let refused = await #expect(throws: LarkspurError.self) { try await manager.get("http://127.0.0.1:8443/").data }
        samples.details(of: try #require(refused))
        let port = await #expect(throws: LarkspurError.self) { try await manager.get("http://127.0.0.1:22/").data }
        samples.details(of: try #require(port))

        #expect(
            samples.output.values
                == ["address-not-allowed 127.0.0.1 127.0.0.1:8443", "port-not-allowed 127.0.0.1 no address"]
        )
    }

    @Test("Managers and sessions of the samples refuse loopback addresses")
    func refusal() async throws {
        // The environment of the tests has no proxies.
        for manager in [samples.limits(), samples.proxy()] {
            let error = await #expect(throws: LarkspurError.self) { try await manager.get("http://127.1/").data }
            #expect(error?.code == .addressNotAllowed)
        }
        let session = samples.session()
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let failure = await #expect(throws: URLError.self) { try await session.data(from: url) }
        #expect(failure?.accessFailure?.reason == .addressNotAllowed)
    }
}
#endif
