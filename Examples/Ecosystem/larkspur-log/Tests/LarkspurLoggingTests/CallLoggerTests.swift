import InMemoryLogging
import Larkspur
import LarkspurLogging
import LarkspurTesting
import Logging
import Testing

@Suite("Logs of calls", .timeLimit(.minutes(5)))
struct LoggingTests {
    let server: LoopbackServer
    let manager: SessionManager
    let log: InMemoryLogHandler

    init() throws {
        server = try LoopbackServer()
        var log = InMemoryLogHandler()
        log.logLevel = .trace
        self.log = log
        manager = SessionManager(baseURL: server.baseURL, configuration: .ephemeral)
        manager.observers.append(.logging(to: Logger(label: "tests") { [log] _ in log }))
    }

    @Test("A call has lines for its attempts, its retries and its end")
    func retry() async throws {
        manager.interceptors.call = [.retry(baseDelay: .zero)]
        server.route("/notes", .status(503), .text("none"))

        #expect(try await manager.get("notes", parameters: ["token": "s3cret"]).string == "none")

        let entries = log.entries
        try #require(entries.map(\.level) == [.debug, .warning, .debug, .info])
        let id = try #require(entries[0].metadata["call.id"])
        #expect(entries.allSatisfy { $0.metadata["call.id"] == id })
        #expect(!"\(entries)".contains("s3cret"))
        let last = entries[3].metadata
        #expect(last["http.request.method"] == "GET" && last["http.response.status_code"] == "200")
        #expect(last["url.full"] == "\(server.url("/notes?token=redacted"))")
        #expect(last["attempts"] == "2" && last["duration"] != nil && last["error.type"] == nil)
    }

    @Test("A failure is logged as an error")
    func failure() async throws {
        #expect(await manager.get("status/404").response().statusCode == 404)

        let last = try #require(log.entries.last)
        #expect(last.level == .error && last.metadata["error.type"] == "unacceptable-status-code")
        #expect(last.metadata["http.response.status_code"] == "404")
    }
}
