import Larkspur
import LarkspurTesting
import Testing

// sample: Swift Testing
@Suite struct UserListTests {
    let server: LoopbackServer
    let manager: SessionManager

    init() throws {
        server = try LoopbackServer()
        manager = SessionManager(baseURL: server.baseURL)
    }

    @Test(arguments: [401, 500]) func statusesAreErrors(status: Int) async throws {
        server.route("/users", .status(status))
        server.expect(.get("/users"), times: 1)

        let error = await #expect(throws: LarkspurError.self) { try await manager.get("users").data }

        #expect(error?.statusCode == status)
        try server.verify()
    }
}
// end
