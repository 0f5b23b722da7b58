import LarkspurTesting
import Testing

@testable import Larkspur

/// The cases of AFNetworking's tests that no other suite has; `Tests/Conformance.md` names the test of each case.
@Suite("Conformance", .timeLimit(.minutes(5)))
struct ConformanceTests {
    /// The kinds of task, as AFNetworking's tests tell them apart.
    enum Kind: String, CaseIterable {
        case data
        case upload
        case download
    }

    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func makeTask(_ kind: Kind, _ manager: SessionManager, path: String) -> SessionTask {
        var request = URLRequest(url: server.url(path))
        switch kind {
        case .data: return manager.dataTask(with: request) { _ in }
        case .upload:
            request.httpMethod = "POST"
            return manager.uploadTask(with: request, from: .data(Data())) { _ in }
        case .download: return manager.downloadTask(with: request) { _ in }
        }
    }

    @Test(
        "Resuming and suspending a task of any kind posts a notification",
        arguments: TestTransport.allCases,
        Kind.allCases
    )
    func notifications(_ transport: TestTransport, _ kind: Kind) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .json("[]").held(until: gate))
        let manager = transport.makeManager(for: server)
        let task = makeTask(kind, manager, path: "/held")
        let notifications = NotificationRecorder(task)

        task.resume()
        try await server.waitForRequests(1)
        task.suspend()
        try await notifications.events.wait(for: 2)
        #expect(
            notifications.names == [SessionTask.didResumeNotification, SessionTask.didSuspendNotification]
        )
        task.resume()
        gate.open()
        try await manager.finishAll()

        #expect(task.error == nil)
        #expect(
            notifications.names == [
                SessionTask.didResumeNotification, SessionTask.didSuspendNotification,
                SessionTask.didResumeNotification, SessionTask.didCompleteNotification,
            ]
        )
    }

    @Test(
        "The progress of a download has fractions between 0 and 1, then 1",
        arguments: TestTransport.allCases,
        [Kind.data, .download]
    )
    func incrementalProgress(_ transport: TestTransport, _ kind: Kind) async throws {
        let gate = LoopbackServer.Gate()
        let half = Data(count: 100_000)
        server.route("/halves", .stream([.bytes(half), .wait(gate), .bytes(half)]))
        let manager = transport.makeManager(for: server)
        let fractions = Recorder<Double>()
        let request = URLRequest(url: server.url("/halves"))
        let record: SessionManager.ProgressHandler = { fractions.record($0.fractionCompleted) }
        let task: SessionTask =
            kind == .data
            ? manager.dataTask(with: request, options: CallOptions(downloadProgress: record), as: .data) { _ in }
            : manager.downloadTask(with: request, options: CallOptions(downloadProgress: record)) { _ in }

        task.resume()
        try await fractions.wait()
        gate.open()
        try await manager.finishAll()

        let first = try #require(fractions.values.first)
        #expect(first > 0 && first <= 0.5)
        #expect(fractions.values.last == 1)
        #expect(task.downloadProgress.fractionCompleted == 1)
        #expect(task.downloadProgress.totalUnitCount == 200_000)
    }

    @Test("A data task passes the object of a 200 to its handler", arguments: TestTransport.allCases)
    func dataTaskSuccess(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let urls = Recorder<String?>()

        let task = manager.dataTask(with: URLRequest(url: server.url("/get"))) { response in
            urls.record((response.value as? [String: Any])?["url"] as? String)
        }
        task.resume()
        try await manager.finishAll()

        #expect(urls.values == [server.url("/get").absoluteString])
        #expect(task.state == .completed)
        #expect(task.error == nil)
    }

    @Test("A data task passes the error of a 404 to its handler", arguments: TestTransport.allCases)
    func dataTaskFailure(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let codes = Recorder<LarkspurError.Code?>()

        let task = manager.dataTask(with: URLRequest(url: server.url("/status/404"))) { codes.record($0.error?.code) }
        task.resume()
        try await manager.finishAll()

        #expect(codes.values == [.unacceptableStatusCode])
        #expect(task.state == .completed)
    }

    @Test(
        "A field of the call overrides the serializer's, and the method decides where the parameters are sent",
        arguments: TestTransport.allCases,
        [HTTPMethod.post, .put, .patch, .delete]
    )
    func headerOfCall(_ transport: TestTransport, _ method: HTTPMethod) async throws {
        let manager = transport.makeManager(for: server)
        manager.headers["field"] = "of the serializer"

        let call = try await manager.call(
            method,
            method.rawValue.lowercased(),
            parameters: ["key": "value"],
            headers: ["field": "of the call"]
        )

        #expect(call.string("headers", "Field") == "of the call")
        #expect(call.string(method == .delete ? "args" : "form", "key") == "value")
    }

    @Test(
        "A POST whose body is one string reports the progress of its upload",
        arguments: TestTransport.allCases
    )
    func uploadOfString(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let progress = Recorder<Progress>()

        let task = manager.post(
            "post",
            body: .json("x"),
            options: CallOptions(uploadProgress: { progress.record($0) }),
            success: { _, _ in }
        )
        try await manager.finishAll()

        #expect(task.error == nil)
        #expect(progress.values.last?.fractionCompleted == 1)
        #expect(server.requests.last?.text == "\"x\"")
    }
}
