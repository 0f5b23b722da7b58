#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import Larkspur

/// A libcurl that is too old for the engine; run by `Tests/Interop/libcurls.sh 7.61.1`.
@Suite(
    "A libcurl that is too old",
    .enabled(if: ProcessInfo.processInfo.environment["LARKSPUR_LIBCURL_VERSION"] == "7.61.1"),
    .timeLimit(.minutes(5))
)
struct OldLibcurlTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    @Test("The engine refuses an old libcurl, and the error has its version and the required version")
    func refusal() async throws {
        #expect(!CurlURLSession.isAvailable)
        #expect(CurlURLSession.libcurlVersion == "7.61.1")
        #expect(CurlURLSession.unavailabilityReason == "libcurl 7.61.1 is too old; 7.68 or later is needed.")
        let session = CurlURLSession(configuration: .ephemeral)
        let error = await #expect(throws: URLError.self) { _ = try await session.data(from: server.url("/get")) }
        session.invalidateAndCancel()
        #expect(error?.code == .resourceUnavailable)
        #expect(error?.localizedDescription.contains("7.61.1") == true)
        let call = try await SessionManager(transport: .curl).call(.get, server.url("/get").absoluteString)
        #expect(call.error?.code == .transportUnavailable)
        #expect(call.error?.message.contains("7.61.1 is too old") == true)
        #expect(server.requests.isEmpty)
    }

    @Test("With an old libcurl, a session manager automatically uses Foundation's session")
    func fallback() async throws {
        let manager = SessionManager(configuration: .ephemeral)
        let task = manager.get(server.url("/held").absoluteString) { _, _ in
        }
        #expect(type(of: manager.session) == URLSession.self)
        task.cancel()
        try await manager.finishAll()
        let call = try await manager.call(.get, server.url("/get").absoluteString)
        #expect(call.statusCode == 200)
        let posted = try await manager.call(
            .post,
            server.url("/post").absoluteString,
            parameters: ["name": "value"]
        )
        #expect((posted.json?["form"] as? [String: Any])?["name"] as? String == "value")
    }
}
#endif
