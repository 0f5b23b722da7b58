#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import LarkspurTesting
import Testing

@testable import LarkspurTransport

/// The async methods with FoundationNetworking's own engine behind them.
@Suite(.timeLimit(.minutes(5)))
struct URLSessionAsyncTests {
    let server: LoopbackServer
    let session = URLSession(configuration: .testing)

    init() throws { server = try LoopbackServer() }

    private func status(_ response: URLResponse) -> Int? { (response as? HTTPURLResponse)?.statusCode }

    @Test("Data arrives with its response")
    func data() async throws {
        let (data, response) = try await session.data(from: server.url("/bytes/5000"))
        #expect(data.count == 5000)
        #expect(status(response) == 200)
        var request = URLRequest(url: server.url("/anything"))
        request.httpMethod = "PUT"
        #expect(try await status(session.data(for: request).1) == 200)
        #expect(server.requests.last?.method == "PUT")
        #expect(try await status(session.data(from: server.url("/status/404")).1) == 404)
    }

    @Test("Content is uploaded from memory and from a file")
    func upload() async throws {
        let folder = try TemporaryDirectory()
        var request = URLRequest(url: server.url("/post"))
        request.httpMethod = "POST"
        #expect(try await status(session.upload(for: request, from: Data("memory".utf8)).1) == 200)
        let file = try folder.file(Data("file".utf8))
        #expect(try await status(session.upload(for: request, fromFile: file).1) == 200)
        #expect(server.requests.map(\.body) == [Data("memory".utf8), Data("file".utf8)])
    }

    @Test("A downloaded file stays after the call")
    func download() async throws {
        let (first, response) = try await session.download(from: server.url("/bytes/5000"))
        let (second, _) = try await session.download(for: URLRequest(url: server.url("/bytes/10")))
        defer { for file in [first, second] { try? FileManager.default.removeItem(at: file) } }
        #expect(status(response) == 200)
        #expect(try Data(contentsOf: first).count == 5000)
        #expect(try Data(contentsOf: second).count == 10)
    }

    @Test("In a session that cannot resume downloads, concurrent calls with resume data all fail")
    func resumeData() async throws {
        let errors = await withTaskGroup(of: (any Error)?.self) { group in
            for _ in 0..<2_000 {
                group.addTask { [session] in
                    do { _ = try await session.download(resumeFrom: Data()) } catch { return error }
                    return nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.allSatisfy { ($0 as? URLError)?.code == .unsupportedURL })
        #expect(errors.first??.localizedDescription.contains("cannot resume downloads") == true)
        let tasks = Recorder<Int>()
        session.getAllTasks { tasks.record($0.count) }
        #expect(try await tasks.first() == 0)
    }

    @Test("The delegate of an awaited download gets its progress, and the session's delegate does not")
    func downloadDelegate() async throws {
        let log = DelegateLog()
        let others = DelegateLog()
        let session = CurlURLSession(configuration: .testing, delegate: others, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let (file, _) = try await session.download(for: URLRequest(url: server.url("/bytes/300000")), delegate: log)
        try? FileManager.default.removeItem(at: file)
        let totals = log.events.values.compactMap { event -> Int64? in
            guard case .wrote(_, let total, 300_000) = event else { return nil }
            return total
        }
        #expect(totals.last == 300_000)
        #expect(log.names == ["wrote"])
        #expect(others.names.isEmpty)
    }

    @Test("A failure is thrown")
    func failure() async throws {
        // A port of a server that has stopped may be another's by now.
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        await #expect(throws: URLError.self) { try await session.data(from: url) }
        await #expect(throws: URLError.self) { try await session.download(from: url) }
    }

    @Test("A cancellation ends a request without a response, and its connection", arguments: [false, true])
    func cancellation(isDownload: Bool) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("late").held(until: gate))
        let url = server.url("/held")
        let transfer = Task {
            if isDownload { _ = try await session.download(from: url) } else { _ = try await session.data(from: url) }
        }
        try await server.waitForRequests(1)
        transfer.cancel()
        let error = await #expect(throws: URLError.self) { try await transfer.value }
        #expect(error?.code == .cancelled)
        try await server.waitForOpenConnections(0)
        #expect(!gate.isOpen)
    }

    @Test("A Swift task that was cancelled before the call sends nothing")
    func cancelledBefore() async throws {
        let url = server.url("/get")
        let transfer = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await session.data(from: url)
        }
        let error = await #expect(throws: URLError.self) { try await transfer.value }
        #expect(error?.code == .cancelled)
        _ = try await session.data(from: server.url("/anything"))
        #expect(server.requests.map(\.path) == ["/anything"])
    }

    @Test("A timeout by a task group that races with the end of a transfer does not hang")
    func taskGroups() async throws {
        let url = server.url("/get")
        for round in 1...300 {
            let isEnded = await withTaskGroup(of: Bool.self) { group in
                group.addTask { [session] in
                    do {
                        return try await session.data(from: url).0.isEmpty == false
                    } catch {
                        return (error as? URLError)?.code == .cancelled
                    }
                }
                // The limit: it is over as soon as the server has the request.
                group.addTask { [server] in (try? await server.waitForRequests(round)) != nil }
                let first = await group.next()
                group.cancelAll()
                let second = await group.next()
                // The limit fails if the transfer is quicker.
                return first == true || second == true
            }
            #expect(isEnded)
        }
    }
}
#endif
