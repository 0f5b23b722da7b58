import Larkspur
import LarkspurTesting
import Testing

/// The sample of `Docs/Contributing.md`, between two markers. It is a test, as those of a contributor will be.
@Suite("Sample of the guide for contributors", .timeLimit(.minutes(5)))
struct ContributingSamples {
    // sample: test of both transports
    @Test("A status outside 200 to 299 is an error with that status", arguments: TestTransport.allCases)
    func unacceptableStatus(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        server.route("/users", .status(503))
        let manager = transport.makeManager(for: server)

        let error = await #expect(throws: LarkspurError.self) { try await manager.get("users").data }

        #expect(error?.statusCode == 503)
        #expect(server.requests.map(\.path) == ["/users"])
    }
    // end
}
