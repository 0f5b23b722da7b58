#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import LarkspurTransport
import Testing
import TestSupport

@Suite("FoundationNetworking's WebSocket tasks of a session of the engine", .timeLimit(.minutes(5)))
struct CurlWebSocketTaskTests {
    private func url() throws -> URL { try #require(URL(string: "ws://127.0.0.1:1/chat")) }

    private func expectFailure(_ error: (any Error)?) {
        #expect((error as? URLError)?.code == .unsupportedURL)
        #expect(error?.localizedDescription.contains("webSocket(with:)") == true)
    }

    @Test("A task fails when it is resumed, with one report to the delegate", arguments: [false, true])
    func resumed(hasOwnDelegate: Bool) async throws {
        let log = DelegateLog()
        let session = CurlURLSession(
            configuration: .testing,
            delegate: hasOwnDelegate ? nil : log,
            delegateQueue: nil
        )
        let tasks = try [
            session.webSocketTask(with: url()), session.webSocketTask(with: url(), protocols: ["a", "b"]),
            session.webSocketTask(with: URLRequest(url: url())),
        ]
        #expect(tasks[1].originalRequest?.value(forHTTPHeaderField: "Sec-WebSocket-Protocol") == "a, b")
        for task in tasks {
            if hasOwnDelegate { task.delegate = log }
            #expect(task.state == .suspended && task.error == nil)
            #expect(try task.currentRequest?.url == url())
            task.resume()
            task.resume()
        }
        try await log.ends.wait(for: tasks.count)
        for task in tasks {
            try await eventually(.completed) { task.state }
            expectFailure(task.error)
            task.cancel(with: .goingAway, reason: nil)
        }
        await withCheckedContinuation { continuation in session.getAllTasks { _ in continuation.resume() } }
        #expect(log.ends.values.sorted() == tasks.map(\.taskIdentifier).sorted())
        session.finishTasksAndInvalidate()
        if !hasOwnDelegate { try await eventually(1) { log.invalidations } }
    }

    @Test("Everything that is asked of a task ends with an error, before it is resumed and after its end")
    func methods() async throws {
        let session = CurlURLSession(configuration: .testing)
        let task = try session.webSocketTask(with: url())
        for isOver in [false, true] {
            await #expect { try await task.send(.string("a")) } throws: {
                expectFailure($0)
                return true
            }
            await #expect { _ = try await task.receive() } throws: {
                expectFailure($0)
                return true
            }
            await #expect { try await task.sendPing() } throws: {
                expectFailure($0)
                return true
            }
            if isOver { break }
            task.resume()
            try await eventually(.completed) { task.state }
        }
        session.finishTasksAndInvalidate()
    }

    @Test("A cancelled task ends with the cancellation, and is released with its session")
    func cancelled() async throws {
        weak var released: URLSession?
        weak var releasedTask: URLSessionTask?
        let log = DelegateLog()
        do {
            let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
            let task = try session.webSocketTask(with: url())
            (released, releasedTask) = (session, task)
            task.cancel(with: .normalClosure, reason: nil)
            try await log.ends.wait()
            try await eventually(.completed) { task.state }
            #expect((task.error as? URLError)?.code == .cancelled)
            await #expect { _ = try await task.receive() } throws: { ($0 as? URLError)?.code == .cancelled }
            // One that is never used ends with its release.
            _ = try session.webSocketTask(with: url())
            session.finishTasksAndInvalidate()
        }
        try await eventually { released == nil && releasedTask == nil }
        #expect(log.ends.values.count == 1)
    }

    @Test("A session that was invalidated makes tasks that fail")
    func invalidated() async throws {
        let session = CurlURLSession(configuration: .testing)
        session.invalidateAndCancel()
        let task = try session.webSocketTask(with: url())
        task.resume()
        await #expect(throws: URLError.self) { _ = try await task.receive() }
        try await eventually(.completed) { task.state }
        #expect((task.error as? URLError)?.code == .cancelled)
    }
}
#endif
