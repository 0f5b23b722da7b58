#if os(Linux)
@testable import LarkspurReachability
import Foundation
import Larkspur
import Testing

/// Reachability by what a real kernel tells, while links, addresses and routes come and go.
@Suite("Reachability in a network namespace", .needsNetworkNamespace, .serialized, .timeLimit(.minutes(5)))
struct ReachabilityNetworkTests {
    private typealias Status = NetworkReachabilityStatus

    /// One end of a cable, `near`, with an address and the other end switched on.
    private final class Cable: Sendable {
        init() throws {
            try NetworkNamespace.ip(
                "link set lo down",
                "link add near type veth peer name far",
                "link set far up",
                "addr add 192.0.2.2/24 dev near"
            )
        }

        deinit { try? NetworkNamespace.ip("link del near") }
    }

    private let cable: Cable

    init() throws { cable = try Cable() }

    /// Switches the link on, and waits until it is up: the kernel takes up to a second for that.
    private func bringUp() throws {
        try NetworkNamespace.ip("link set near up")
        let deadline = ContinuousClock.now + .seconds(30)
        var state = ""
        while state != "up\n", ContinuousClock.now < deadline {
            state = try String(contentsOfFile: "/sys/class/net/near/operstate", encoding: .utf8)
        }
        #expect(state == "up\n")
    }

    /// Monitors, and does one thing after the other, each of which is to be followed by a change to a status, and no
    /// other.
    private func expect(
        _ manager: NetworkReachabilityManager,
        first: Status,
        _ steps: [(commands: [String], status: Status)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var updates = manager.statusUpdates.makeAsyncIterator()
        #expect(await updates.next() == .unknown, sourceLocation: sourceLocation)
        manager.startMonitoring()
        #expect(manager.unavailabilityReason == nil, sourceLocation: sourceLocation)
        #expect(await updates.next() == first, sourceLocation: sourceLocation)
        for (commands, status) in steps {
            for command in commands { try NetworkNamespace.ip(command, sourceLocation: sourceLocation) }
            #expect(await updates.next() == status, "\(commands)", sourceLocation: sourceLocation)
        }
        manager.stopMonitoring()
    }

    @Test("The network is reachable while a default route uses a link that is up")
    func anyNetwork() async throws {
        try await expect(
            NetworkReachabilityManager(),
            first: .notReachable,
            [
                (["link set near up", "route add default via 192.0.2.1"], .reachable(.wired)),
                (["route del default"], .notReachable),
                (["route add default via 192.0.2.1"], .reachable(.wired)),
                // The other end takes the carrier away; the route stays, and is of no use.
                (["link set far down"], .notReachable),
                (["link set far up"], .reachable(.wired)),
                // This end takes the routes with it.
                (["link set near down"], .notReachable),
                (["link set near up", "route add default dev near"], .reachable(.wired)),
                (["addr del 192.0.2.2/24 dev near"], .notReachable),
            ]
        )
    }

    @Test("The network is reachable by IPv6 only, and through a route with several next hops")
    func otherRoutes() async throws {
        try await expect(
            NetworkReachabilityManager(),
            first: .notReachable,
            [
                (
                    [
                        "link set near up", "-6 addr add 2001:db8::2/64 dev near nodad",
                        "-6 route add default via 2001:db8::1",
                    ], .reachable(.wired)
                ),
                (["-6 route del default"], .notReachable),
                (
                    ["route add default nexthop via 192.0.2.1 dev near nexthop via 192.0.2.3 dev near"],
                    .reachable(.wired)
                ),
                (["route del default"], .notReachable),
            ]
        )
    }

    @Test(
        "A route that refuses packets does not make the network reachable",
        arguments: ["unreachable", "blackhole", "prohibit"]
    )
    func refusingRoute(_ kind: String) async throws {
        try bringUp()
        try NetworkNamespace.ip("route add default via 192.0.2.1")
        try await expect(
            NetworkReachabilityManager(),
            first: .reachable(.wired),
            [(["route replace \(kind) default"], .notReachable)]
        )
        let address = try #require(NetworkReachabilityManager(address: "198.51.100.1"))
        try await expect(
            address,
            first: .notReachable,
            [(["route replace default via 192.0.2.1"], .reachable(.wired))]
        )
    }

    @Test("An address is reachable through a route to it, even without a default route")
    func address() async throws {
        try bringUp()
        let neighbour = try #require(NetworkReachabilityManager(address: "192.0.2.9"))
        try await expect(
            neighbour,
            first: .reachable(.wired),
            [(["link set far down"], .notReachable), (["link set far up"], .reachable(.wired))]
        )
        let distant = try #require(NetworkReachabilityManager(address: "198.51.100.1"))
        try await expect(
            distant,
            first: .notReachable,
            [
                (["route add 198.51.100.0/24 via 192.0.2.1"], .reachable(.wired)),
                (["route add blackhole 198.51.100.1/32"], .notReachable),
                (["route del blackhole 198.51.100.1/32"], .reachable(.wired)),
                // A rule of the policy is asked as well.
                (["rule add to 198.51.100.1 unreachable"], .notReachable),
                (["rule del to 198.51.100.1 unreachable"], .reachable(.wired)),
            ]
        )
        let distant6 = try #require(NetworkReachabilityManager(address: "2001:db8:1::1"))
        try await expect(
            distant6,
            first: .notReachable,
            [
                (
                    [
                        "-6 addr add 2001:db8::2/64 dev near nodad",
                        "-6 route add 2001:db8:1::/48 via 2001:db8::1",
                    ], .reachable(.wired)
                ),
                (["-6 route del 2001:db8:1::/48"], .notReachable),
            ]
        )
    }

    @Test(
        "The machine is reachable by address and name while its loopback link is up",
        arguments: ["127.0.0.1", "localhost"]
    )
    func loopback(_ host: String) async throws {
        try await expect(
            NetworkReachabilityManager(host: host),
            first: .notReachable,
            [(["link set lo up"], .reachable(.other)), (["link set lo down"], .notReachable)]
        )
    }

    @Test("Many changes at once lead to the right status")
    func burst() async throws {
        try bringUp()
        let manager = NetworkReachabilityManager()
        var updates = manager.statusUpdates.makeAsyncIterator()
        manager.startMonitoring()
        while await updates.next() != .notReachable {}
        let routes = (0..<5_000).map { "route add 10.\($0 >> 8).\($0 & 255).0/24 via 192.0.2.1" }
        try NetworkNamespace.batch(routes)
        try NetworkNamespace.batch(
            (0..<501).map { "route \($0.isMultiple(of: 2) ? "add" : "del") default via 192.0.2.1" }
        )
        while manager.status != .reachable(.wired) { _ = await updates.next() }
        // Whatever else there was to hear is heard before this.
        try NetworkNamespace.ip("route del default")
        var last = manager.status
        while last != .notReachable || manager.status != .notReachable { last = await updates.next() ?? .unknown }
        #expect(manager.status == .notReachable)
    }

    @Test("Starting, stopping and releasing leave no socket open")
    func sockets() async throws {
        try await settle()
        let before = try NetworkNamespace.netlinkSockets()
        for round in 0..<100 {
            let manager = NetworkReachabilityManager()
            manager.startMonitoring()
            #expect(try NetworkNamespace.netlinkSockets() > before)
            if round.isMultiple(of: 2) { manager.stopMonitoring() }
        }
        try await settle(to: before)
        #expect(try NetworkNamespace.netlinkSockets() == before)
    }

    /// Waits until so many sockets are open; the queues close them.
    private func settle(to count: Int = 0) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while try NetworkNamespace.netlinkSockets() > count, ContinuousClock.now < deadline { await Task.yield() }
    }

    @Test("After a manager is stopped, no change is reported")
    func stopped() async throws {
        try bringUp()
        try NetworkNamespace.ip("route add default via 192.0.2.1")
        let (stopped, running) = (NetworkReachabilityManager(), NetworkReachabilityManager())
        for manager in [stopped, running] {
            try await expect(manager, first: .reachable(.wired), [])
        }
        running.startMonitoring()
        try NetworkNamespace.ip("route del default")
        for await status in running.statusUpdates where status == .notReachable { break }
        #expect(stopped.status == .reachable(.wired))
    }
}
#endif
