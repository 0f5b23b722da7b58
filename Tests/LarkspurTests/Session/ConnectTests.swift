#if canImport(FoundationNetworking)
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("Connections in advance of a manager", .timeLimit(.minutes(5)))
struct ConnectTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    @Test("The origin of the base URL or of another URL is connected to, and calls use the connection")
    func origins() async throws {
        let other = try LoopbackServer()
        let manager = TestTransport.curl.makeManager(for: server)
        try await manager.connect()
        try await manager.connect(to: "get", count: 2)
        #expect(server.acceptedConnectionCount == 2)
        try await manager.connect(to: other.url("/get"))
        #expect(other.requests.map(\.target) == ["/"])
        _ = try await manager.get("get").data
        #expect(server.acceptedConnectionCount == 2)
        #expect(server.requests.map(\.method) == ["HEAD", "HEAD", "GET"])
        let session = try #require(manager.session as? CurlURLSession)
        #expect(await session.connections.map(\.open).reduce(0, +) == 3)
    }

    @Test("The request is no call: interceptors and observers do not see it, and it has none of the manager's fields")
    func silence() async throws {
        server.route("/", .status(500))
        let manager = TestTransport.curl.makeManager(for: server)
        let events = Recorder<CallEvent.Kind>()
        let interceptions = Recorder<Bool>()
        manager.observe { events.record($0.kind) }
        let interceptor: ClosureInterceptor = .adapting { _ in interceptions.record(true) }
        manager.interceptors = RequestInterceptors(call: [interceptor], attempt: [interceptor])
        manager.headers["Authorization"] = "Bearer secret"
        try await manager.connect()
        #expect(events.values.isEmpty && interceptions.values.isEmpty && manager.tasks.isEmpty)
        #expect(server.requests.first?.headers["Authorization"] == nil)
    }

    @Test("A transport without the engine opens no connection")
    func otherTransports() async {
        for manager in [TestTransport.foundation.makeManager(for: server), SessionManager.stubbed()] {
            let error = await #expect(throws: LarkspurError.self) { try await manager.connect(to: server.baseURL) }
            #expect(error?.code == .unsupported)
        }
        #expect(server.acceptedConnectionCount == 0)
    }

    @Test("Errors have the codes of calls")
    func errors() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        server.stop()
        let refusal = await #expect(throws: LarkspurError.self) { try await manager.connect() }
        #expect(refusal?.code == .cannotConnectToHost)
        let scheme = await #expect(throws: LarkspurError.self) { try await manager.connect(to: "ftp://a.test/") }
        #expect(scheme?.code == .unsupportedURL)
        manager.invalidate(cancelingTasks: true)
        let end = await #expect(throws: LarkspurError.self) { try await manager.connect() }
        #expect(end?.code == .sessionInvalidated)
        let missing = await #expect(throws: LarkspurError.self) {
            try await TestTransport.curl.makeManager().connect()
        }
        #expect(missing?.code == .invalidURL)
    }

    @Test("The limit of time for connections applies")
    func limit() async throws {
        let silent = try SilentServer(isFull: false)
        let manager = TestTransport.curl.makeManager()
        manager.timeouts.connect = .milliseconds(50)
        let url = try silent.url(scheme: "https")
        let error = await #expect(throws: LarkspurError.self) { try await manager.connect(to: url) }
        #expect(error?.code == .timedOut)
    }
}
#endif
