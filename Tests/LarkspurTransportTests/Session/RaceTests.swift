#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import LarkspurTransport

/// Many tasks whose ends meet their cancellation. The variable LARKSPUR_STRESS=1 of the environment makes them many
/// more.
@Suite("Races", .timeLimit(.minutes(5)))
struct RaceTests {
    static let isStress = ProcessInfo.processInfo.environment["LARKSPUR_STRESS"] == "1"

    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    @Test("A timeout by a task group that races with the end of the transfer does not hang")
    func taskGroups() async throws {
        struct Timeout: Error {}
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        let url = server.url("/get")
        var random = SeededGenerator(seed: 1)
        for _ in 0..<(Self.isStress ? 20_000 : 1_000) {
            let yields = Int.random(in: 0...60, using: &random)
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try await session.data(from: url) }
                    group.addTask {
                        for _ in 0..<yields { await Task.yield() }
                        throw Timeout()
                    }
                    defer { group.cancelAll() }
                    try await group.next()
                }
            } catch is Timeout {
                continue
            }
        }
        try await eventually { session.core.tasks.isEmpty }
    }

    @Test("A cancellation that races with the end of a task leads to exactly one end", arguments: [1, 4, 16])
    func cancelAtEnd(inFlight: Int) async throws {
        let count = Self.isStress ? 50_000 : 700
        let session = CurlURLSession(configuration: .testing { $0.httpMaximumConnectionsPerHost = 16 })
        let ends = Recorder<Int>()
        let url = server.url("/get")
        await withTaskGroup { group in
            for worker in 0..<inFlight {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(worker))
                    for number in stride(from: worker, to: count, by: inFlight) {
                        let task = session.dataTask(with: url) { _, _, _ in ends.record(number) }
                        task.resume()
                        for _ in 0..<Int.random(in: 0...40, using: &random) { await Task.yield() }
                        task.cancel()
                    }
                }
            }
        }
        try await ends.wait(for: count)
        try await finish(session)
        #expect(ends.values.count == count)
        #expect(Set(ends.values).count == count)
    }

    @Test("A cancellation that races with redirects ends the task once", arguments: [false, true])
    func cancelInRedirects(asksDelegate: Bool) async throws {
        let log = DelegateLog(
            .with {
                $0.redirect = { task, request, answer in
                    guard asksDelegate else { return answer(request) }
                    DispatchQueue.global().async { answer(request) }
                    DispatchQueue.global().async { task.cancel() }
                }
            }
        )
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        var random = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let task = session.dataTask(with: server.url("/redirect/3"))
            task.resume()
            for _ in 0..<Int.random(in: 0...40, using: &random) { await Task.yield() }
            task.cancel()
        }
        try await log.ends.wait(for: 200)
        try await finish(session)
        #expect(log.ends.values.count == 200)
        #expect(log.invalidations == 1)
    }

    @Test("A task that several threads control at random ends once, and leaves nothing", arguments: [7, 8])
    func randomActions(seed: UInt64) async throws {
        let folder = try DownloadFolder()
        server.route(
            "/slow",
            .stream([.text("a"), .pause(.milliseconds(10)), .text("b"), .pause(.milliseconds(10)), .text("c")])
        )
        let paths = [
            "/get", "/bytes/300000", "/slow", "/redirect/2", "/fault/reset-in-body", "/fault/no-response",
            "/fault/close-in-header", "/status/404", "/fault/short-body",
        ]
        let log = DelegateLog()
        let session = CurlURLSession(
            configuration: .testing,
            delegate: log,
            delegateQueue: nil,
            options: folder.options
        )
        let handled = Recorder<Int>()
        let count = 500
        let expected = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<4 {
                group.addTask { [server] in
                    var random = SeededGenerator(seed: seed &* 31 &+ UInt64(worker))
                    var made = 0
                    for number in stride(from: worker, to: count, by: 4) {
                        let url = server.url(paths.randomElement(using: &random) ?? "/get")
                        let task = Self.makeTask(url, number, in: session, handled, &random)
                        Self.act(on: task, &random)
                        await Task.yield()
                        Self.act(on: task, &random)
                        // Whatever was done, each is to end.
                        while task.state == .suspended { task.resume() }
                        made += 1
                    }
                    return made
                }
            }
            return await group.reduce(0, +)
        }
        let ended = { log.ends.values.count + handled.values.count }
        try await eventually { ended() >= expected }
        try await finish(session)
        #expect(expected == count)
        #expect(ended() == count)
        #expect(Set(log.ends.values).count + Set(handled.values).count == count)
        #expect(log.invalidations == 1)
        #expect(session.core.tasks.isEmpty)
        try await eventually([]) { folder.files }
    }

    private static func makeTask(
        _ url: URL,
        _ number: Int,
        in session: URLSession,
        _ handled: Recorder<Int>,
        _ random: inout SeededGenerator
    ) -> URLSessionTask {
        let timeout = TimeInterval.random(in: 0.05...0.3, using: &random)
        let request = URLRequest(url, "GET", timeout: timeout)
        let post = URLRequest(url, "POST", timeout: timeout)
        return switch Int.random(in: 0...5, using: &random) {
        case 0: session.dataTask(with: request)
        case 1: session.dataTask(with: request) { _, _, _ in handled.record(number) }
        case 2: session.downloadTask(with: request)
        case 3: session.downloadTask(with: request) { _, _, _ in handled.record(number) }
        case 4: session.uploadTask(with: post, from: Data(count: 100_000))
        default: session.uploadTask(with: post, from: Data(count: 1000)) { _, _, _ in handled.record(number) }
        }
    }

    private static func act(on task: URLSessionTask, _ random: inout SeededGenerator) {
        let actions = (0..<Int.random(in: 1...6, using: &random)).map { _ in Int.random(in: 0...9, using: &random) }
        for action in actions {
            switch action {
            case 0...3: task.resume()
            case 4, 5: task.suspend()
            case 6: task.cancel()
            case 7: task.priority = 0.7
            case 8: _ = task.progress.completedUnitCount
            default:
                DispatchQueue.global().async {
                    task.suspend(); task.resume()
                }
            }
        }
    }

    /// Waits until a session is invalid, and with it whatever a task might still have said.
    private func finish(_ session: CurlURLSession) async throws {
        session.finishTasksAndInvalidate()
        try await eventually { session.core.delegate == nil && session.core.tasks.isEmpty }
        let barrier = Recorder<Void>()
        session.delegateQueue.addOperation { barrier.record(()) }
        try await barrier.wait()
    }
}
#endif
