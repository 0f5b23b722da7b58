import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/Authentication.md` that need a session manager.
@Suite("Samples of the guide to authentication", .timeLimit(.minutes(5)))
struct AuthenticationSamplesTests {
    let samples = AuthenticationSamples()

    @Test func fields() {
        let manager = SessionManager(configuration: .ephemeral)
        samples.fields(manager)
        #expect(manager.headers["Authorization"] == nil)
    }

    @Test("The guide's hook sends its password to one host only")
    func hook() async throws {
        let server = try LoopbackServer()
        let manager = SessionManager(baseURL: server.baseURL, configuration: .ephemeral, transport: .curl)
        samples.hook(manager)
        #expect(try await manager.call(.get, "basic-auth/ada/secret").error?.statusCode == 401)
        #expect(server.requests.count == 1)
    }

    @Test func storage() throws {
        let manager = samples.storage()
        defer { manager.invalidate(cancelingTasks: true) }
        let storage = try #require(URLSessionConfiguration.ephemeral.urlCredentialStorage)
        let space = URLProtectionSpace(host: "h", port: 1, protocol: "http", realm: nil, authenticationMethod: nil)
        storage.set(URLCredential(user: "u", password: "p", persistence: .forSession), for: space)
        samples.logout(storage)
        #expect(storage.allCredentials.values.flatMap(\.keys).isEmpty)
    }
}
