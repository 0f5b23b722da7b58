#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("Availability of libcurl", .timeLimit(.minutes(5))) struct AvailabilityTests {
    @Test("The libcurl of this machine can be used, and says its version")
    func available() {
        #expect(CurlURLSession.isAvailable)
        #expect(CurlURLSession.unavailabilityReason == nil)
        #expect(CurlURLSession.libcurlVersion?.contains(".") == true)
    }

    @Test("Without a libcurl every task fails with the reason, and the session can be invalidated")
    func unavailable() async throws {
        let server = try LoopbackServer()
        let session = CurlURLSession(
            .ephemeral,
            delegate: nil,
            queue: nil,
            options: CurlURLSession.Options(),
            callsDelegateOnLoop: false,
            unavailability: "libcurl 7.29.0 is too old; 7.68 or later is needed."
        )

        let error = await #expect(throws: URLError.self) { _ = try await session.data(from: server.url("/get")) }
        session.finishTasksAndInvalidate()

        #expect(error?.code == .resourceUnavailable)
        #expect(error?.localizedDescription.contains("too old") == true)
        #expect(server.requests.isEmpty)
    }
}
#endif
