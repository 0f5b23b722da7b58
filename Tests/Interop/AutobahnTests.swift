#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Testing
import TestSupport

/// The cases of the Autobahn test suite, with the server that Tests/Interop/autobahn.sh has started. The server judges
/// the client's behaviour; the script prints the failures, and its exit status tells of them.
@Suite("The Autobahn test suite", .needsAutobahn, .timeLimit(.minutes(60)))
struct AutobahnTests {
    private static let agent = "Larkspur"
    /// The time after which a case is given up.
    private static let limit = Duration.seconds(600)

    private let session = CurlURLSession(configuration: .testing)
    private let server: String

    init() throws { server = try #require(ProcessInfo.processInfo.environment["LARKSPUR_AUTOBAHN"]) }

    private func socket(_ target: String) throws -> WebSocketTask {
        var options = WebSocketOptions()
        // The largest messages of the cases have 16 MiB.
        options.maximumMessageSize = 32 << 20
        return session.webSocket(with: try #require(URL(string: server + target)), options: options)
    }

    @Test("The client runs each case, and returns every message")
    func cases() async throws {
        // One after the other: the server has one thread, and gives the client no more than a second in some cases.
        let count = try await countCases()
        for index in 0..<count { try await run(index + 1) }
        let reports = try socket("/updateReports?agent=\(Self.agent)")
        try await reports.open()
        for try await message in reports.messages { Issue.record("\(message)") }
    }

    private func countCases() async throws -> Int {
        let socket = try socket("/getCaseCount")
        try await socket.open()
        let message = try await socket.receive()
        guard case .text(let text) = message, let count = Int(text), count > 0 else {
            Issue.record("The number of cases is \(message).")
            return 0
        }
        return count
    }

    private func run(_ number: Int) async throws {
        let socket = try socket("/runCase?case=\(number)&agent=\(Self.agent)")
        let limit = Task {
            try await Task.sleep(for: Self.limit)
            Issue.record("Case \(number) has not ended.")
            socket.cancel()
        }
        defer { limit.cancel() }
        socket.resume()
        do {
            for try await message in socket.messages { try await socket.send(message) }
        } catch {
            // Many cases end in an error, and the server knows which.
        }
        // The server has its result when the connection is closed.
        let task: URLSessionDataTask? = socket.handshakeTask
        try await eventually(.completed) { task?.state }
    }
}

extension Trait where Self == ConditionTrait {
    /// Tests that need the fuzzing server are skipped without it.
    fileprivate static var needsAutobahn: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["LARKSPUR_AUTOBAHN"] != nil,
            "Run by Tests/Interop/autobahn.sh."
        )
    }
}
#endif
