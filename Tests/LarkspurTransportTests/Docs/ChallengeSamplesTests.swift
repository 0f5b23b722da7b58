#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Samples of the page on authentication", .timeLimit(.minutes(5)))
struct ChallengeSamplesTests {
    @Test(arguments: [("secret", 200, 2), ("other", 401, 2)])
    func delegate(password: String, status: Int, count: Int) async throws {
        let server = try LoopbackServer()
        server.protect("/a", user: "ada", password: password)
        let session = CurlURLSession(configuration: .ephemeral, delegate: ChallengeSamples(), delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url("/a")).status == status)
        #expect(server.requests.count == count)
    }

    @Test func proxy() {
        let session = ChallengeSamples.proxy()
        defer { session.finishTasksAndInvalidate() }
        #expect(session.configuration.urlCredentialStorage != nil)
    }

    @Test func ticket() {
        let answers = Recorder<String?>()
        ChallengeSamples.ticket { answers.record($1?.user) }
        #expect(answers.values == [""])
    }
}
#endif
