import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

@Suite("The circuit breaker", .timeLimit(.minutes(5)))
struct CircuitBreakerTests {
    private let rules = Circuit.Rules(opening: .consecutive(2), openTime: .seconds(30))

    /// The states after events, which begin in a closed circuit.
    @Test("A circuit opens after consecutive failures, and closes after a successful trial")
    func states() {
        var circuit = Circuit()
        func begin(at seconds: Int) -> Int? { circuit.begin(at: .seconds(seconds), rules) }
        func end(_ end: Circuit.End, of round: Int?, at seconds: Int) -> Circuit.State {
            circuit.end(end, of: round ?? -1, at: .seconds(seconds), rules)
            return circuit.state
        }

        let first = begin(at: 0)
        #expect(end(.failure, of: first, at: 0) == .closed(Circuit.Outcomes(failures: 1)))
        #expect(end(.neither, of: first, at: 0) == .closed(Circuit.Outcomes(failures: 1)))
        #expect(end(.success, of: first, at: 0) == .closed(Circuit.Outcomes(failures: 0)))
        #expect(end(.failure, of: first, at: 1) == .closed(Circuit.Outcomes(failures: 1)))
        #expect(end(.failure, of: first, at: 2) == .open(until: .seconds(32)))
        #expect(begin(at: 2) == nil && begin(at: 31) == nil)
        #expect(end(.success, of: first, at: 3) == .open(until: .seconds(32)))

        let second = begin(at: 32)
        #expect(second != nil && circuit.state == .halfOpen(until: .seconds(62)) && begin(at: 33) == nil)
        #expect(end(.success, of: first, at: 33) == .halfOpen(until: .seconds(62)))
        #expect(end(.failure, of: first, at: 33) == .halfOpen(until: .seconds(62)))
        #expect(end(.failure, of: second, at: 34) == .open(until: .seconds(64)))
        let third = begin(at: 64)
        #expect(end(.neither, of: third, at: 65) == .open(until: .seconds(65)))
        #expect(end(.success, of: begin(at: 65), at: 66) == .closed(Circuit.Outcomes(failures: 0)))
    }

    @Test("A trial that does not end is followed by another trial, whose result counts")
    func endlessTrial() {
        var circuit = Circuit()
        let first = circuit.begin(at: .zero, rules) ?? -1
        for _ in 0..<2 { circuit.end(.failure, of: first, at: .zero, rules) }
        let trial = circuit.begin(at: .seconds(30), rules) ?? -1
        #expect(circuit.begin(at: .seconds(59), rules) == nil)
        let next = circuit.begin(at: .seconds(60), rules) ?? -1
        circuit.end(.failure, of: trial, at: .seconds(61), rules)
        #expect(circuit.state == .halfOpen(until: .seconds(90)))
        circuit.end(.success, of: next, at: .seconds(62), rules)
        #expect(circuit.state == .closed(Circuit.Outcomes(failures: 0)))
    }

    @Test(
        "After its failures, a server gets no request until the circuit allows a trial",
        arguments: TestTransport.allCases
    )
    func calls(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        let other = try LoopbackServer()
        server.route("/x", .status(404), .status(500), .fault(.closeBeforeHeader))
        let clock = TestClock()
        let manager = transport.makeManager(for: server)
        manager.clock = clock
        manager.interceptors.attempt = [.circuitBreaker(failures: 2)]

        for _ in 0..<3 { _ = await manager.get("x").response() }
        let count = server.requests.count
        let refused = await manager.get("x").response()
        #expect(refused.error?.code == .circuitOpen && server.requests.count == count)
        #expect(await manager.get(other.url("/get").absoluteString).response().error == nil)

        server.route("/x", .text("done"))
        clock.advance(by: .seconds(30))
        #expect(await manager.get("x").response().error == nil)
        #expect(await manager.get("x").response().error == nil)
    }

    @Test("A circuit opens at a proportion of failures among enough outcomes, of which old ones do not count")
    func proportion() {
        let rules = Circuit.Rules(opening: .proportion(0.5, of: 4, in: .seconds(10)), openTime: .seconds(5))
        var circuit = Circuit()
        func end(_ end: Circuit.End, at seconds: Int) -> Bool {
            let round = circuit.begin(at: .seconds(seconds), rules) ?? -1
            circuit.end(end, of: round, at: .seconds(seconds), rules)
            if case .open = circuit.state { return true }
            return false
        }

        #expect(!end(.failure, at: 0) && !end(.failure, at: 0) && !end(.failure, at: 1))
        // The fourth outcome is a success, after which the circuit is not examined.
        #expect(!end(.success, at: 2))
        // The first two failures are too old now.
        #expect(!end(.success, at: 10) && !end(.neither, at: 10))
        #expect(!end(.success, at: 10))
        #expect(!end(.failure, at: 10))
        #expect(end(.failure, at: 10))
        #expect(circuit.begin(at: .seconds(14), rules) == nil)
        // A successful trial begins with new numbers.
        #expect(!end(.success, at: 15) && circuit.state == .closed(Circuit.Outcomes()))
    }

    @Test("The outcomes of a period take the room of ten parts")
    func recentOutcomes() {
        var recent = RecentOutcomes(period: .seconds(10))
        for second in 0..<1000 { recent.note(isFailure: second.isMultiple(of: 2), at: .seconds(second)) }
        #expect(recent.count == 10 && recent.failures == 5)
    }
}
