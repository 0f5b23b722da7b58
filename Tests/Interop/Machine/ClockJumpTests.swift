#if os(Linux)
import Foundation
import Larkspur
import LarkspurTesting
import TestSupport
import Testing

extension HostileMachineTests {
    /// A clock that jumps, by Scripts/Network/jumping_clock.c. The monotonic clock goes on as on a real machine.
    @Suite("A clock that jumps")
    struct ClockJumpTests {
        @Test("Time limits, caches and cookies follow their clocks in a process whose clock jumps")
        func child() throws {
            let folder = try #require(NetworkPath.folder)
            try ChildRun.expectSuccess(of: "JumpingClockChild", preloading: "\(folder)/libjumping_clock.so")
        }
    }
}

@Suite("Child process whose clock jumps", .isChild("JumpingClockChild"), .serialized, .timeLimit(.minutes(5)))
struct JumpingClockChild {
    private static let day = 86_400.0
    private let server: LoopbackServer
    private let manager: SessionManager

    init() throws {
        try Self.setClock(0)
        server = try LoopbackServer()
        manager = SessionManager(baseURL: server.baseURL, configuration: .ephemeral, transport: .curl)
    }

    /// Sets the clock to so many seconds after, or before, that of the machine.
    private static func setClock(_ offset: Double) throws {
        typealias Set = @convention(c) (Int64) -> Void
        unsafeBitCast(try #require(dlsym(nil, "jumping_clock_set")), to: Set.self)(Int64(offset))
    }

    @Test("The wall clock jumps, and the monotonic clock does not", arguments: [day, -day])
    func jumps(_ offset: Double) throws {
        let (date, instant) = (Date(), ContinuousClock.now)
        try Self.setClock(offset)
        #expect(abs(Date().timeIntervalSince(date) - offset) < 600)
        #expect(ContinuousClock.now - instant < .seconds(600))
    }

    @Test(
        "A jump neither ends a call within its limits nor delays the end of another call",
        arguments: [day, -day]
    )
    func limits(_ offset: Double) async throws {
        let gate = LoopbackServer.Gate()
        let half = Data(count: 1000)
        server.route("/halves", .stream([.bytes(half), .wait(gate), .bytes(half)]))
        manager.timeouts = Timeouts(total: .seconds(1200), response: .seconds(600), idle: .seconds(600))
        let task = manager.get("halves")
        async let data = task.data
        // The half has arrived, so that the time without a byte runs from before the jump.
        for await count in task.downloadCounts where count > 0 { break }
        try Self.setClock(offset)
        // Other requests make the loop look at its deadlines.
        for _ in 0..<5 { _ = try await manager.get("get").data }
        let silent = LoopbackServer.Gate()
        server.route("/silent", .text("").held(until: silent))
        let limit = ContinuousClock.now
        let error = await manager.get("silent").timeout(idle: .milliseconds(300)).response().error
        #expect(error?.code == .timedOut)
        #expect(await manager.get("silent").timeout(total: .milliseconds(300)).response().error?.code == .timedOut)
        #expect(ContinuousClock.now - limit < .seconds(60))
        #expect(task.state == .running)
        gate.open()
        #expect(try await data == half + half)
    }

    @Test("After a jump, retries and idle connections continue", arguments: [day, -day])
    func retries(_ offset: Double) async throws {
        server.route("/later", .status(503), .status(503), .text("here"))
        manager.interceptors.call = [.retry(maximumAttempts: 5, baseDelay: .milliseconds(10))]
        let retries = Recorder<Void>()
        // The clock jumps in the delay before an attempt.
        manager.observe([.retryScheduled]) { _ in
            try? Self.setClock(retries.values.isEmpty ? offset : 0)
            retries.record(())
        }
        #expect(try await manager.get("later").string == "here")
        #expect(retries.values.count == 2)
    }

    @Test("When the clock advances, a stored response becomes stale, and is used only as long as it may be")
    func cache() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = HTTPCache()
        let manager = SessionManager(baseURL: server.baseURL, configuration: configuration, transport: .curl)
        server.route("/fresh") { _ in
            var response = LoopbackServer.Response.text("fresh")
            response.headers["Cache-Control"] = "max-age=3600"
            return response
        }
        for _ in 0..<3 { #expect(try await manager.get("fresh").string == "fresh") }
        #expect(server.requests(to: "/fresh").count == 1)
        try Self.setClock(2 * 3600)
        #expect(try await manager.get("fresh").string == "fresh")
        #expect(server.requests(to: "/fresh").count == 2)
        // A date in the future is no reason to keep a response for ever: another day, and it is loaded again.
        try Self.setClock(-Self.day)
        #expect(try await manager.get("fresh").string == "fresh")
        try Self.setClock(Self.day)
        let count = server.requests(to: "/fresh").count
        #expect(try await manager.get("fresh").string == "fresh")
        #expect(server.requests(to: "/fresh").count == count + 1)
    }

    @Test("A cookie expires when the clock reaches its date")
    func cookies() async throws {
        server.route("/set") { _ in
            var response = LoopbackServer.Response.text("")
            response.headers["Set-Cookie"] = "id=1; Max-Age=3600; Path=/"
            return response
        }
        _ = try await manager.get("set").data
        _ = try await manager.get("headers").data
        try Self.setClock(2 * 3600)
        _ = try await manager.get("headers").data
        #expect(server.requests(to: "/headers").map { $0.headers["Cookie"] } == ["id=1", nil])
    }

    @Test("After a jump, a WebSocket and its pings continue")
    func webSocket() async throws {
        var options = WebSocketOptions()
        options.pingInterval = .milliseconds(50)
        let socket = manager.webSocket("websocket/echo", options: options)
        for (number, offset) in [0, Self.day, -Self.day, 0].enumerated() {
            try Self.setClock(offset)
            try await socket.send("\(number)")
            #expect(try await socket.receive() == .text("\(number)"))
            for _ in 0..<3 { _ = try await socket.ping() }
        }
        try await socket.close()
    }
}
#endif
