#if os(Linux)
import Foundation
import Larkspur
import LarkspurTesting
import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// The test needs the servers that Tests/Interop/liveness.sh starts.
    fileprivate static var needsLivenessServers: Self {
        .enabled(if: LivenessTests.port != nil, "Tests/Interop/liveness.sh has not been run.")
    }
}

/// The time in which calls end after the path to the server was cut, with the default options. Each test prints what it
/// has measured.
@Suite("Connections whose other machine is gone", .needsLivenessServers, .serialized, .timeLimit(.minutes(30)))
struct LivenessTests {
    /// The calls that are under way when the path is cut.
    struct Calls: Sendable, CustomTestStringConvertible {
        enum Use: String, CaseIterable, Sendable {
            /// The server has the requests and sends nothing.
            case wait
            /// The requests are being sent.
            case upload
        }

        let isHTTP2: Bool
        let count: Int
        let use: Use

        var testDescription: String { "HTTP/\(isHTTP2 ? "2" : "1.1"), \(count) calls that \(use)" }

        static let all = [false, true].flatMap { isHTTP2 in
            [1, 100].flatMap { count in Use.allCases.map { Calls(isHTTP2: isHTTP2, count: count, use: $0) } }
        }
    }

    /// The port of nginx.
    fileprivate static let port = ProcessInfo.processInfo.environment["LARKSPUR_LIVENESS_PORT"].flatMap { Int($0) }
    /// The time in which all calls have to end.
    private static let budget = Duration.seconds(30)

    private let server: NetworkServer

    init() async throws { server = try await NetworkServer.fresh() }

    private func makeManager(isHTTP2: Bool = false, connections: Int = 6) throws -> SessionManager {
        let configuration = URLSessionConfiguration.testing
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = connections
        var options = CurlURLSession.Options()
        options.http2 = .always
        let file = URL(filePath: try #require(NetworkPath.folder) + "/certificate.pem")
        options.tls.trustedRoots = .only(try TLSCertificate.certificates(contentsOf: file))
        let secure = URL(string: "https://\(NetworkServer.address):\(try #require(Self.port))/")
        let manager = SessionManager(
            baseURL: isHTTP2 ? try #require(secure) : try NetworkServer.url("/"),
            configuration: configuration,
            transport: .curl(options)
        )
        // So that only the watch for lost machines can end a call in time.
        manager.timeouts.idle = .seconds(240)
        return manager
    }

    /// Lets so much time pass, by a call to a server within this namespace.
    private func pass(_ time: Duration) async throws {
        let server = try LoopbackServer()
        server.route("/later", .text("later").delayed(by: time))
        _ = try await SessionManager(configuration: .testing).get(server.url("/later").absoluteString).data
    }

    private func waitForRequests(_ count: Int, _ target: String) async throws {
        while try await server.requests().filter({ $0.contains(target) }).count < count {}
    }

    /// Cuts the path, waits until all calls have ended, and restores the path.
    private func cut(_ name: String, _ calls: [Task<(any Error)?, Never>]) async throws {
        try NetworkPath.set("cut=1")
        let start = ContinuousClock.now
        var ends: [Duration] = []
        var errors: [String: Int] = [:]
        for call in calls {
            let error = await call.value
            ends.append(ContinuousClock.now - start)
            errors[Self.name(of: error), default: 0] += 1
        }
        try NetworkPath.set()
        let last = try #require(ends.max())
        print("liveness: \(name): all ended \(last) after the cut: \(errors)")
        #expect(last < Self.budget)
        #expect(errors == [LarkspurError.Code.connectionLost.label: calls.count])
    }

    private static func name(of error: (any Error)?) -> String {
        switch error {
        case let error as LarkspurError: error.code.label
        // The error of a WebSocket.
        case let error as URLError where error.code == .networkConnectionLost: LarkspurError.Code.connectionLost.label
        default: String(describing: error)
        }
    }

    // MARK: The cut

    @Test("After a cut, all calls end within 30 seconds, and none is sent again", arguments: Calls.all)
    func calls(_ calls: Calls) async throws {
        let manager = try makeManager(isHTTP2: calls.isHTTP2, connections: calls.isHTTP2 ? 6 : calls.count)
        // Afterwards, requests share a connection over HTTP/2.
        _ = try await manager.get("waiting/0").string
        if calls.use == .upload { try NetworkPath.set("rate=16000000") }
        let content = Data(count: calls.count == 1 ? 64 << 20 : 4 << 20)
        let tasks = (0..<calls.count).map { _ in
            Task { () -> (any Error)? in
                switch calls.use {
                case .wait: await manager.get("silence").response().error
                case .upload: await manager.put("hash", body: .data(content)).response().error
                }
            }
        }
        let target = calls.use == .wait ? "GET /silence" : "PUT /hash"
        try await waitForRequests(calls.count, target)
        try await cut("\(calls.testDescription)", tasks)
        #expect(try await server.requests().filter { $0 == target }.count == calls.count)
    }

    @Test("Requests that follow the cut do not delay the end of calls that wait", arguments: [8, 14])
    func laterCalls(after seconds: Int) async throws {
        let manager = try makeManager(isHTTP2: true)
        _ = try await manager.get("waiting/0").string
        let waiting = Task { () -> (any Error)? in await manager.get("silence").response().error }
        try await waitForRequests(1, "GET /silence")
        let later = Task {
            try await pass(.seconds(seconds))
            return await manager.get("silence").response().error
        }
        try await cut("HTTP/2, a call that waits, and another one \(seconds) s after the cut", [waiting])
        // The other one waits for the connection that was lost, or for another one.
        manager.invalidate(cancelingTasks: true)
        _ = try await later.value
    }

    @Test("After a cut, the receivers of a WebSocket end within 30 seconds", arguments: [false, true])
    func webSocket(isBusy: Bool) async throws {
        let socket = try makeManager().webSocket("socket")
        defer { socket.cancel() }
        #expect(try await socket.receive() == .text("connection 1"))
        let receiving = Task { () -> (any Error)? in
            do {
                while true { _ = try await socket.receive() }
            } catch {
                return error
            }
        }
        let sending = Task { while isBusy { try await socket.send(Data(count: 4 << 10)) } }
        try await cut("WebSocket that \(isBusy ? "sends" : "waits")", [receiving])
        _ = await sending.result
    }

    // MARK: No loss

    @Test("A server that reads nothing for 40 seconds, and a download that is suspended for 60 seconds, are not lost")
    func full() async throws {
        let manager = try makeManager()
        let content = Data(count: 32 << 20)
        async let upload = manager.put("stalled/40000", body: .data(content)).response()
        async let small = manager.put("stalled/40000", body: .data(Data(content.prefix(1 << 20)))).response()
        let download = manager.get("file/\(32 << 20)/7")
        for await count in download.downloadCounts where count > 0 { break }
        download.suspend()
        try await pass(.seconds(60))
        download.resume()
        #expect(try await download.data.count == 32 << 20)
        #expect(await upload.error == nil)
        #expect(await small.error == nil)
    }

    @Test("The packets of a call that waits for a minute", arguments: [false, true])
    func cost(isHTTP2: Bool) async throws {
        let manager = try makeManager(isHTTP2: isHTTP2)
        _ = try await manager.get("waiting/0").string
        try NetworkPath.set()
        #expect(try await manager.get("waiting/60000").string == "done")
        let count = try NetworkPath.counts().forwarded
        print("liveness: HTTP/\(isHTTP2 ? "2" : "1.1"), a call that waits for 60 s: \(count) packets")
        #expect(count < 40)
    }

    // MARK: Many calls

    @Test("300 calls to a server that allows 100 streams", arguments: [6, 300])
    func streams(connections: Int) async throws {
        let manager = try makeManager(isHTTP2: true, connections: connections)
        _ = try await manager.get("waiting/0").string
        try NetworkPath.set()
        let start = ContinuousClock.now
        var ends: [Duration] = []
        try await withThrowingTaskGroup(of: Duration.self) { group in
            for _ in 0..<300 {
                group.addTask {
                    _ = try await manager.get("waiting/2000").string
                    return ContinuousClock.now - start
                }
            }
            for try await end in group { ends.append(end) }
        }
        let opened = try NetworkPath.counts().opened
        print(
            "liveness: 300 calls of 2 s, \(connections) connections a host: \(opened) more opened; the 1st, 100th, 101st, 200th, 201st and 300th ended after \([0, 99, 100, 199, 200, 299].map { ends[$0] })"
        )
        // Three times 100 calls, if the limit of the host is the usual one.
        #expect(ends[299] < .seconds(8))
    }
}
#endif
