#if canImport(FoundationNetworking)

import Foundation
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("Transfers whose events go to a receiver", .timeLimit(.minutes(2)))
struct EngineTransferTests {
    /// A receiver that notes what happens, and accepts everything.
    private final class Receiver: TransferReceiver {
        let events = Recorder<String>()

        func receive(_ response: ReceivedResponse) -> TransferAnswer<URLSession.ResponseDisposition> {
            events.record("head")
            return .now(.allow)
        }

        func receiveInterim(_ response: ReceivedResponse) { events.record("interim \(response.statusCode ?? 0)") }
        func receive(_ data: Data, hold: () -> (any Sendable)?) { events.record("data") }
        func contentEnded() { events.record("contentEnded") }
        func sent(_ count: Int64, total: Int64, expected: Int64) { events.record("sent") }
        func wrote(_ count: Int64, total: Int64, expected: Int64) { events.record("wrote") }
        func resumed(at offset: Int64, expected: Int64) { events.record("resumed") }
        func receiveFile(at location: URL) { events.record("file") }
        func redirect(_ response: HTTPURLResponse, to request: URLRequest) -> TransferAnswer<URLRequest?> {
            .now(request)
        }
        func answer(_ challenge: URLAuthenticationChallenge) -> TransferAnswer<ChallengeDecision> {
            .now((.performDefaultHandling, nil))
        }
        func makeBodyStream(_ completion: @escaping @Sendable (InputStream?) -> Void) { completion(nil) }
        var cachingDecision: CachingDecision { { _ in nil } }
        func becomeDownload(
            _ downloadTask: URLSessionDownloadTask,
            of task: URLSessionDataTask,
            in session: URLSession
        ) -> any TransferReceiver { self }
        func end(with error: (any Error)?) { events.record(error == nil ? "end" : "failure") }
    }

    private let server: LoopbackServer
    private let session = CurlURLSession(
        .ephemeral,
        delegate: nil,
        queue: nil,
        options: CurlURLSession.Options(),
        callsDelegateOnLoop: true
    )

    init() throws { server = try LoopbackServer() }

    private func request(_ path: String) -> URLRequest { URLRequest(url: server.baseURL.appendingPathComponent(path)) }

    @Test(
        "A transfer ends without creating a task object or response that is not requested",
        arguments: ["get", "bytes/0", "redirect/2"]
    )
    func noObject(_ path: String) async throws {
        let receiver = Receiver()
        let core = session.core.makeTask(
            kind: .data,
            request: request(path),
            body: .none,
            completion: nil,
            receiver: receiver
        )
        core.resume()
        try await eventually(true) { receiver.events.values.contains("end") }
        #expect(receiver.events.values == (path == "bytes/0" ? ["head", "end"] : ["head", "data", "end"]))
        #expect(core.withStorage { $0.objects.current == nil })
        #expect(core.withStorage { $0.record.response?.isMade } == false)
        // One that is asked for afterwards is that of the ended task.
        #expect(core.object?.state == .completed)
        session.invalidateAndCancel()
    }

    @Test("Interim responses come before the response, in their order")
    func interim() async throws {
        server.route(
            "/hinted",
            .text("ok").preceded(byInformational: 102).preceded(byInformational: 103)
                .preceded(byInformational: 103)
        )
        let receiver = Receiver()
        let transfer = try #require(session.makeTransfer(request("hinted"), .data, for: receiver))
        transfer.resume()
        try await eventually(true) { receiver.events.values.contains("end") }
        #expect(receiver.events.values == ["interim 102", "interim 103", "interim 103", "head", "data", "end"])
        session.invalidateAndCancel()
    }

    @Test("A response may be preceded by 100 interim responses, and no more", arguments: [100, 101])
    func manyInterim(_ count: Int) async throws {
        var response = LoopbackServer.Response.text("ok")
        for _ in 0..<count { response = response.preceded(byInformational: 103) }
        server.route("/hinted", response)
        let receiver = Receiver()
        let transfer = try #require(session.makeTransfer(request("hinted"), .data, for: receiver))
        transfer.resume()
        try await eventually(true) { receiver.events.values.last == "end" || receiver.events.values.last == "failure" }
        let interim = Array(repeating: "interim 103", count: 100)
        #expect(receiver.events.values == interim + (count == 100 ? ["head", "data", "end"] : ["failure"]))
        session.invalidateAndCancel()
    }

    @Test("A task object that is created and released does not end a transfer that was not resumed")
    func releasedObject() async throws {
        let receiver = Receiver()
        let transfer = try #require(session.makeTransfer(request("get"), .data, for: receiver))
        for _ in 0..<10 { #expect(transfer.urlSessionTask?.taskIdentifier == transfer.identifier) }
        #expect(session.core.tasks.count == 1)
        transfer.resume()
        try await eventually(true) { receiver.events.values.contains("end") }
        #expect(session.core.tasks.isEmpty)
        session.invalidateAndCancel()
    }

    @Test("A receiver is released at the end of its transfer")
    func release() async throws {
        weak var released: Receiver?
        let core: TaskCore
        do {
            let receiver = Receiver()
            released = receiver
            core = session.core.makeTask(
                kind: .data,
                request: request("get"),
                body: .none,
                completion: nil,
                receiver: receiver
            )
            core.resume()
            try await eventually(true) { receiver.events.values.contains("end") }
        }
        try await eventually(true) { released == nil }
        withExtendedLifetime(core) {}
        session.invalidateAndCancel()
    }

    @Test("A transfer of an invalid session, or a cancelled one, ends once", arguments: [true, false])
    func ends(_ isInvalid: Bool) async throws {
        if isInvalid { session.invalidateAndCancel() }
        let receiver = Receiver()
        let transfer = try #require(session.makeTransfer(request("delay/30"), .data, for: receiver))
        transfer.resume()
        transfer.cancel()
        transfer.cancel()
        try await eventually(true) { receiver.events.values.contains("failure") }
        session.invalidateAndCancel()
        #expect(receiver.events.values == ["failure"])
    }
}
#endif
