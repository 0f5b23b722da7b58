import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("The built-in observers", .timeLimit(.minutes(5)))
struct ObserverTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/user", .json(#"{"name": "Ada", "password": "canary"}"#))
        server.route("/moved", .redirect(to: "/user"))
        server.route("/busy", .status(503), .json("{}"))
    }

    // MARK: Console logger

    private func lines(
        _ level: ConsoleLogger.Level,
        _ transport: TestTransport = .curl,
        usesColors: Bool = false,
        _ work: (SessionManager) async throws -> Void
    ) async throws -> [String] {
        let lines = Recorder<String>()
        let manager = transport.makeManager(for: server)
        manager.observers = [ConsoleLogger(level: level, usesColors: usesColors) { lines.record($0) }]
        try await work(manager)
        return lines.values
    }

    @Test("The logger writes one line for each call", arguments: TestTransport.allCases)
    func line(_ transport: TestTransport) async throws {
        let lines = try await lines(.calls, transport) { manager in
            _ = try await manager.get("user", parameters: ["page": 2, "token": "canary"]).data
            _ = await manager.get("nothing").response()
        }

        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("GET \(server.url("/user").absoluteString)?page=2&token=redacted → 200, 37 B in "))
        #expect(
            lines[1].hasPrefix("GET \(server.url("/nothing").absoluteString) → 404 unacceptable-status-code after ")
        )
    }

    @Test("Each level logs what the level below logs, and more")
    func levels() async throws {
        func work(_ manager: SessionManager) async throws {
            manager.interceptors.call = [.retry(baseDelay: .zero)]
            _ = try await manager.get("moved").data
            _ = try await manager.get("busy").data
            _ = await manager.get("nothing").response()
            server.route("/busy", .status(503), .json("{}"))
        }
        var counts: [Int] = []
        for level: ConsoleLogger.Level in [.off, .failures, .calls, .attempts, .fields, .content] {
            counts.append(
                try await lines(level) { try await work($0) }.joined(separator: "\n").split(separator: "\n").count
            )
        }
        #expect(counts[0] == 0)
        #expect(counts[1] == 1)
        #expect(counts[2] == 3)
        #expect(counts[3] == 5)
        #expect(counts[4] > counts[3])
        #expect(counts[5] > counts[4])
    }

    @Test("A log level is printed as its name")
    func levelNames() {
        let levels: [ConsoleLogger.Level] = [.off, .failures, .calls, .attempts, .fields, .content]
        #expect(levels.map { "\($0)" } == ["off", "failures", "calls", "attempts", "fields", "content"])
    }

    @Test("The logger writes neither secrets nor control characters")
    func loggerSecrets() async throws {
        server.route("/control", .text("a\u{1B}[2Jb\rc\n" + String(repeating: "x", count: 2000)))
        let lines = try await lines(.content) { manager in
            manager.requestSettings.setAuthorization(bearerToken: "canary")
            _ = try await manager.post("user", parameters: ["password": "canary"]).data
            _ = try await manager.get("control").data
        }
        let text = lines.joined(separator: "\n")
        #expect(!text.contains("canary"))
        #expect(!text.contains("\u{1B}") && !text.contains("\r"))
        #expect(text.contains("Authorization: <redacted>"))
        #expect(text.contains("a?[2Jb?c"))
        #expect(text.contains("… (2009 bytes in all)"))
    }

    @Test("Each line of content is a separate line of the log, also if it ends with CR LF")
    func contentLines() async throws {
        server.route("/lines", .text("first\r\nsecond\r\n"))
        let lines = try await lines(.content) { _ = try await $0.get("lines").data }
        let shown = lines.flatMap { $0.split(separator: "\n") }
        #expect(shown.contains { $0.hasSuffix("first") } && shown.contains { $0.hasSuffix("second") })
    }

    @Test("With colours, failures are red")
    func colours() async throws {
        let lines = try await lines(.calls, usesColors: true) { _ = await $0.get("nothing").response() }
        #expect(lines[0].hasPrefix("\u{1B}[31m") && lines[0].hasSuffix("\u{1B}[0m"))
    }

    // MARK: Measurements

    @Test("Measurements have OpenTelemetry's names", arguments: TestTransport.allCases)
    func measurements(_ transport: TestTransport) async throws {
        let measurements = Recorder<HTTPMeasurements.Measurement>()
        let manager = transport.makeManager(for: server)
        manager.observers = [HTTPMeasurements { measurements.record($0) }]

        _ = try await manager.get("user", parameters: ["token": "canary"]).data
        _ = await manager.get("nothing").response()

        let durations = measurements.values.filter { $0.name == "http.client.request.duration" }
        #expect(durations.count == 2)
        #expect(durations[0].instrument == .histogram && durations[0].unit == "s" && durations[0].value > 0)
        var expected = [
            "http.request.method": "GET", "server.address": "127.0.0.1", "server.port": "\(server.port)",
            "url.scheme": "http", "http.response.status_code": "200",
        ]
        if transport != .foundation { expected["network.protocol.version"] = "1.1" }
        #expect(durations[0].attributes == expected)
        #expect(durations[1].attributes["error.type"] == "404")
        let active = measurements.values.filter { $0.name == "http.client.active_requests" }
        #expect(active.map(\.value) == [1, -1, 1, -1])
    }

    @Test("Unknown methods share one value, and the program defines the known methods")
    func measuredMethods() async throws {
        let usual = Recorder<String?>()
        let own = Recorder<String?>()
        let manager = TestTransport.curl.makeManager(for: server)
        manager.observers = [
            HTTPMeasurements { usual.record($0.attributes["http.request.method"]) },
            HTTPMeasurements(additionalMethods: ["PURGE"]) {
                own.record($0.attributes["http.request.method"])
            },
        ]

        for method in ["QUERY", "PURGE", "PROPFIND"] as [HTTPMethod] {
            _ = await manager.dataTask(with: try manager.makeRequest(method, "user")).response()
        }

        #expect(Set(usual.values) == ["QUERY", "_OTHER"])
        #expect(Set(own.values) == ["QUERY", "PURGE", "_OTHER"])
    }

    @Test(
        "The measurement of a request without a response has the code of its error",
        arguments: TestTransport.allCases
    )
    func failedMeasurement(_ transport: TestTransport) async throws {
        server.route("/closed", .fault(.closeBeforeHeader))
        let measurements = Recorder<HTTPMeasurements.Measurement>()
        let manager = transport.makeManager(for: server)
        manager.observers = [HTTPMeasurements { measurements.record($0) }]

        _ = await manager.post("closed").response()

        let durations = measurements.values.filter { $0.name == "http.client.request.duration" }
        #expect(durations.last?.attributes["error.type"] == "connection-lost")
        #expect(durations.last?.attributes["http.response.status_code"] == nil)
    }
}
