import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Failures without a handler", .timeLimit(.minutes(5)))
struct UnhandledFailureTests {
    let server: LoopbackServer
    private let lines = Recorder<String>()

    init() throws { server = try LoopbackServer() }

    private func report(_ manager: SessionManager) -> SessionManager {
        manager.reportsUnhandledFailures = true
        manager.failureWriter = { [lines] in lines.record($0) }
        return manager
    }

    private func line(_ target: String, _ sentence: String) -> String {
        "Larkspur: \(target) failed and nothing handled it: \(sentence). "
            + "Give the call a failure closure, or set SessionManager.reportsUnhandledFailures to false."
    }

    @Test("The failure of a call without a handler is reported in one line", arguments: TestTransport.allCases)
    func reported(_ transport: TestTransport) async throws {
        let manager = report(transport.makeManager(for: server))

        manager.get("status/404", parameters: ["token": "secret"]) { _, _ in }
        try await manager.finishAll()
        manager.upload("status/500", from: .data(Data("content".utf8))) { _, _ in }
        try await manager.finishAll()

        #expect(
            lines.values == [
                line("GET \(server.url("/status/404"))?…", "Request failed: Not Found (404)"),
                line("POST \(server.url("/status/500"))", "Request failed: Internal Server Error (500)"),
            ]
        )
    }

    @Test("A form and a request that cannot be built are reported")
    func otherCalls() async throws {
        let manager = report(.stubbed { _ in .fail(URLError(.timedOut)) })

        manager.post("form", body: .multipart { $0.append(text: "value", name: "name") }, success: { _, _ in })
        try await manager.finishAll()
        manager.get("http://[::1") { _, _ in }
        try await manager.finishAll()

        #expect(lines.values.first == line("POST http://stub.test/form", "The request timed out"))
        #expect(lines.values.last?.hasPrefix("Larkspur: a request failed and nothing handled it: ") == true)
        #expect(lines.values.count == 2)
    }

    @Test("The report of a failure has no secrets and no line breaks")
    func secrets() throws {
        let url = try #require(URL(string: "https://ada:hunter2@example.org/a%0Ab?token=secret#secret"))
        let error = LarkspurError(.timedOut, "It took\nlong.", request: URLRequest(url: url))

        let text = try #require(UnhandledFailure.line(about: error))

        #expect(text == line("GET https://example.org/a%0Ab?…", #"It took\u{A}long"#))
    }

    @Test(
        "A failure that is handled, cancelled or switched off, and a success, are not reported",
        arguments: TestTransport.allCases
    )
    func silent(_ transport: TestTransport) async throws {
        let manager = report(transport.makeManager(for: server))
        let errors = Recorder<LarkspurError?>()

        manager.get("get") { _, _ in }
        manager.get("status/404", success: { _, _ in }, failure: { errors.record($1) })
        manager.dataTask(with: URLRequest(url: server.url("/status/404"))) { errors.record($0.error) }.resume()
        manager.download("status/404") { errors.record($0.error) }
        manager.get("delay/100") { _, _ in }.cancel()
        try await manager.finishAll()
        manager.reportsUnhandledFailures = false
        manager.get("status/404") { _, _ in }
        try await manager.finishAll()

        #expect(errors.values.compactMap { $0 }.count == 3)
        #expect(lines.values.isEmpty)
    }

    @Test("A data task that becomes a download is not reported as a failure")
    func becomingDownload() async throws {
        let manager = report(TestTransport.curl.makeManager(for: server))
        manager.hooks.responseDisposition = { _, _ in .download }

        let task = manager.get("bytes/10") { _, _ in }
        try await manager.finishAll()

        #expect(task.error?.code == .becameDownload)
        #expect(lines.values.isEmpty)
    }

    @Test("By default, debug builds report on standard error")
    func standardError() async throws {
        #expect(SessionManager().reportsUnhandledFailures == Platform.isDebugBuild)

        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let manager = SessionManager.stubbed { _ in .fail(URLError(.timedOut)) }
            manager.reportsUnhandledFailures = true
            manager.get("path") { _, _ in }
            try await manager.finishAll()
        }

        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            text.contains("Larkspur: GET http://stub.test/path failed and nothing handled it: The request timed out. ")
        )
    }
}
