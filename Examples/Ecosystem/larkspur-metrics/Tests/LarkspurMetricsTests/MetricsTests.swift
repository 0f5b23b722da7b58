import Larkspur
import LarkspurMetrics
import LarkspurTesting
import MetricsTestKit
import Testing

@Suite("Metrics of calls", .timeLimit(.minutes(5)))
struct MetricsTests {
    let server: LoopbackServer
    let manager: SessionManager
    let metrics = TestMetrics()

    init() throws {
        server = try LoopbackServer()
        manager = SessionManager(baseURL: server.baseURL, configuration: .ephemeral)
        manager.observers.append(.metrics(factory: metrics))
    }

    /// The attributes of all metrics.
    private func attributes(_ method: String) -> [(String, String)] {
        [
            ("http.request.method", method), ("server.address", "127.0.0.1"), ("server.port", "\(server.port)"),
            ("url.scheme", "http"),
        ]
    }

    @Test("A request is measured under OpenTelemetry's names")
    func request() async throws {
        server.route("/notes", .text("done"))

        #expect(try await manager.upload("notes", from: .data(Data("new".utf8))).string == "done")

        let active = try metrics.expectMeter("http.client.active_requests", attributes("POST"))
        #expect(active.values == [1, 0])
        let all = attributes("POST") + [("http.response.status_code", "200"), ("network.protocol.version", "1.1")]
        let durations = try metrics.expectTimer("http.client.request.duration", all).values
        #expect(durations.count == 1 && durations.allSatisfy { $0 > 0 })
        #expect(try metrics.expectRecorder("http.client.request.body.size", all).values == [3])
        #expect(try metrics.expectRecorder("http.client.response.body.size", all).values == [4])
    }

    #if canImport(FoundationNetworking)
    @Test("The numbers of a session's connections are gauges, which are 0 after the last connection is closed")
    func connections() async throws {
        let session = try #require(manager.session as? CurlURLSession)
        let origin = [("server.address", "127.0.0.1"), ("server.port", "\(server.port)"), ("url.scheme", "http")]
        func value(_ label: String, _ state: [(String, String)]) throws -> Double? {
            try metrics.expectGauge(label, state + origin).lastValue
        }
        server.route("/notes", .text("done"))
        #expect(try await manager.get("notes").string == "done")

        let last = await session.recordConnections(factory: metrics)
        #expect(last.map(\.open) == [1])
        let name = "http.client.open_connections"
        #expect(try value(name, [("http.connection.state", "idle")]) == 1)
        #expect(try value(name, [("http.connection.state", "active")]) == 0)
        #expect(try value("http.client.connection.requests", [("state", "waiting")]) == 0)
        #expect(try #require(try value("http.client.connection.oldest", [])) > 0)

        session.flush {}
        try await server.waitForOpenConnections(0)
        #expect(await session.recordConnections(after: last, factory: metrics).isEmpty)
        #expect(try value(name, [("http.connection.state", "idle")]) == 0)
    }
    #endif

    @Test("The measurement of a failure has its type")
    func failure() async throws {
        server.route("/lost", .fault(.closeBeforeHeader))

        #expect(await manager.get("lost").response().error?.code == .connectionLost)

        let timers = metrics.timers(label: "http.client.request.duration", dimensions: attributes("GET"))
        let failure = [("error.type", "connection-lost")]
        #expect(timers.count == 1)
        #expect(metrics.timers(label: "http.client.request.duration", dimensions: failure).count == 1)
        #expect(metrics.meters(label: "http.client.active_requests").map(\.lastValue) == [0])
    }
}
