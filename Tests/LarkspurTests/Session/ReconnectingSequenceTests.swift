import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Sequences that reconnect after the last element", .timeLimit(.minutes(5)))
struct ReconnectingSequenceTests {
    struct Change: Codable, Sendable, Equatable {
        let version: Int
    }

    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func manager(_ transport: TestTransport) -> SessionManager {
        let manager = transport.makeManager(for: server)
        manager.clock = InstantClock()
        return manager
    }

    private func changes(_ versions: Int..., cut: Bool = false) -> LoopbackServer.Response {
        let text = versions.map { "{\"version\": \($0)}\n" }.joined()
        guard cut else { return .text(text) }
        // The length announces more than is sent, and the last line is incomplete.
        return .raw([.text("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + text + "{\"vers")])
    }

    private func elements<S: AsyncSequence & Sendable>(
        _ sequence: ReconnectingSequence<S>
    ) async -> ([S.Element], LarkspurError?) {
        var elements: [S.Element] = []
        do throws(LarkspurError) {
            for try await element in sequence { elements.append(element) }
            return (elements, nil)
        } catch {
            return (elements, error)
        }
    }

    @Test(
        "Values continue after the last value, whether a connection ends or is lost",
        arguments: TestTransport.allCases
    )
    func values(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        server.route("/changes", changes(1, 2), changes(3, cut: true), .text(""), changes(4), .status(410))

        let (values, error) = await elements(
            manager.reconnecting { last in
                manager.get("changes", parameters: ["since": last?.version ?? 0]).decoded(as: Change.self)
            }
        )

        #expect(values.map(\.version) == [1, 2, 3, 4])
        #expect(error?.statusCode == 410)
        #expect(server.requests.map { $0.query("since") } == ["0", "2", "3", "3", "4"])
    }

    @Test("The lines continue until the closure ends them", arguments: TestTransport.allCases)
    func lines(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        server.route("/log", .text("a\nb\n"), .text("c\nd"))

        let (lines, error) = await elements(
            manager.reconnecting(by: .always) { last in
                last == "d" ? nil : manager.post("log", body: .data(Data((last ?? "").utf8))).lines
            }
        )

        #expect(lines == ["a", "b", "c", "d"] && error == nil)
        #expect(server.requests.map(\.text) == ["", "b"])
    }

    @Test("Other reconnection rules end the stream earlier", arguments: TestTransport.allCases)
    func rules(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        server.route("/log", .text("a"))
        server.route("/empty", .text(""))
        var rules = Reconnection.automatic
        rules.maximumAttempts = 2

        let once = await elements(manager.reconnecting(by: .never) { _ in manager.get("log").lines })
        let empty = await elements(manager.reconnecting(by: rules) { _ in manager.get("empty").lines })

        #expect(once.0 == ["a"] && once.1 == nil)
        #expect(empty.0.isEmpty && empty.1?.code == .connectionLost)
        #expect(server.requests(to: "/empty").count == 2)
    }

    @Test("A cancellation during a delay ends the stream", arguments: TestTransport.allCases)
    func cancellation(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let clock = TestClock()
        manager.clock = clock
        server.route("/log", .text("a\n"))

        let waiting = Task { await elements(manager.reconnecting { _ in manager.get("log").lines }) }
        try await clock.waitForSleeps()
        waiting.cancel()
        let (lines, error) = await waiting.value

        #expect(lines == ["a"] && error?.code == .cancelled)
        #expect(server.requests.count == 1)
    }
}
