import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur
@testable import LarkspurReachability

@Suite("Reachability by routes", .timeLimit(.minutes(5)))
struct RoutedReachabilitySourceTests {
    /// What the resolver says.
    private final class Answers: Sendable {
        let value = Mutex<[NetworkAddress]>([])
    }

    private let table = StubRoutingTable()
    private let clock = TestClock()
    private let statuses = Recorder<NetworkReachabilityStatus>()
    private let lookups = Recorder<String>()
    private let answers = Answers()
    private let address: NetworkAddress
    private let other: NetworkAddress

    init() throws {
        address = try #require(NetworkAddress("192.0.2.1"))
        other = try #require(NetworkAddress("192.0.2.2"))
    }

    private func watch(_ target: ReachabilityTarget) throws -> @Sendable () -> Void {
        let source = RoutedReachabilitySource(
            table: table,
            resolver: { [lookups, answers] host in
                lookups.record(host)
                return answers.value.withLock { $0 }
            },
            clock: clock
        )
        return try source.watch(target) { [statuses] in statuses.record($0) }
    }

    @Test("The state of the network is reported at the start and after each change")
    func network() async throws {
        let stop = try watch(.anyNetwork)
        try await statuses.wait()
        table.set(StubRoutingTable.network)
        try await statuses.wait(for: 2)
        table.set(nil)
        try await statuses.wait(for: 3)
        #expect(statuses.values == [.notReachable, .reachable(.wired), .unknown])
        #expect(table.reads == 3)
        stop()
        #expect(!table.isWatched)
        #expect(lookups.values.isEmpty)
    }

    @Test("An address is reachable if the kernel has a route, with or without a default route")
    func address() async throws {
        let stop = try watch(.address(address))
        try await statuses.wait()
        table.set(RoutingSnapshot(links: [2: .stub(2)], hasV4Address: true), ways: [address: 2])
        try await statuses.wait(for: 2)
        table.set(StubRoutingTable.network, ways: [other: 2])
        try await statuses.wait(for: 3)
        #expect(statuses.values == [.notReachable, .reachable(.wired), .notReachable])
        stop()
    }

    @Test("A host is looked up once for each network state, and is reachable if one of its addresses is")
    func host() async throws {
        answers.value.withLock { $0 = [address, other] }
        table.set(StubRoutingTable.network, ways: [other: 2])
        let stop = try watch(.host("example.org"))
        try await statuses.wait()
        #expect(statuses.values == [.reachable(.wired)])
        // Something has changed that does not matter.
        table.set(StubRoutingTable.network, ways: [other: 2])
        try await statuses.wait(for: 2)
        #expect(lookups.values == ["example.org"])

        // What is known already is enough to tell that there is no way.
        table.set(RoutingSnapshot())
        try await statuses.wait(for: 3)
        // The next look-up, which finds no way either, may have been reported too.
        #expect(statuses.values.prefix(3) == [.reachable(.wired), .reachable(.wired), .notReachable])
        try await lookups.wait(for: 2)
        stop()
    }

    @Test("While there is a network, a failed lookup is repeated after growing pauses")
    func lookupAgain() async throws {
        table.set(StubRoutingTable.network, ways: [address: 2])
        let stop = try watch(.host("example.org"))
        for (index, pause) in RoutedObservation.pauses.enumerated() {
            try await clock.waitForSleeps(index + 1)
            #expect(statuses.values.last == .notReachable)
            #expect(clock.sleeps.last == pause)
            if pause == .seconds(8) { answers.value.withLock { $0 = [address] } }
            clock.advance(by: pause)
            if pause == .seconds(8) { break }
        }
        try await statuses.wait(for: 5)
        #expect(statuses.values.last == .reachable(.wired))
        #expect(lookups.values.count == 5)
        stop()
    }

    @Test("Without a network, a failed lookup is repeated only when there is a network again")
    func lookupOffline() async throws {
        let stop = try watch(.host("example.org"))
        try await statuses.wait()
        #expect(statuses.values == [.notReachable])
        #expect(clock.sleeps.isEmpty)

        answers.value.withLock { $0 = [address] }
        table.set(StubRoutingTable.network, ways: [address: 2])
        try await lookups.wait(for: 2)
        try await eventually(.reachable(.wired)) { statuses.values.last }
        stop()
    }

    @Test("After its end, the source reports nothing, and no pause continues")
    func canceling() async throws {
        table.set(StubRoutingTable.network)
        let stop = try watch(.host("example.org"))
        try await clock.waitForSleeps()
        stop()
        clock.advance(by: .seconds(100))
        table.set(StubRoutingTable.network, ways: [address: 2])
        #expect(lookups.values.count == 1)
        #expect(statuses.values == [.notReachable])
    }

    @Test("A released manager ends its source")
    func release() async throws {
        let source = RoutedReachabilitySource(table: table, resolver: { _ in [] }, clock: clock)
        var manager: NetworkReachabilityManager? = NetworkReachabilityManager(.anyNetwork, source: source)
        manager?.startMonitoring()
        #expect(table.isWatched)
        manager = nil
        try await eventually { !table.isWatched }
    }
}
