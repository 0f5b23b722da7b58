import Testing

@testable import Larkspur
@testable import LarkspurReachability

@Suite("Routing snapshots")
struct RoutingSnapshotTests {
    typealias Route = RoutingSnapshot.DefaultRoute

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var links: [NetworkLink] = [.stub(2)]
        var addresses: [Bool] = [false]
        var routes = [Route(link: 2, isV6: false, metric: 0)]
        let link: Int32?

        var testDescription: String { name }

        var snapshot: RoutingSnapshot {
            RoutingSnapshot(
                links: Dictionary(links.map { ($0.index, $0) }) { $1 },
                hasV4Address: addresses.contains(false),
                hasV6Address: addresses.contains(true),
                defaultRoutes: routes
            )
        }
    }

    private static let loopback: UInt32 = 0x1_0049

    static let cases = [
        Case(name: "a default route over a link that is up", link: 2),
        Case(name: "nothing", links: [], addresses: [], routes: [], link: nil),
        Case(name: "no default route", routes: [], link: nil),
        Case(name: "no address to send from", addresses: [], link: nil),
        Case(name: "an address of the other family", addresses: [true], link: nil),
        Case(name: "a link that is switched off", links: [.stub(2, flags: 0x1_1042)], link: nil),
        Case(name: "a link without a carrier", links: [.stub(2, flags: 0x1003)], link: nil),
        Case(name: "a link that is down, as by its state", links: [.stub(2, state: 2)], link: nil),
        Case(name: "a link that waits for its authentication", links: [.stub(2, state: 5)], link: nil),
        Case(name: "a link whose state nobody knows", links: [.stub(2, state: 0)], link: 2),
        Case(name: "a route over a link that is gone", links: [.stub(3)], link: nil),
        Case(name: "a route to the machine itself", links: [.stub(2, flags: loopback, hardware: 772)], link: nil),
        Case(name: "IPv6 alone", addresses: [true], routes: [Route(link: 2, isV6: true, metric: 1024)], link: 2),
        Case(
            name: "two routes, of which the better is taken",
            links: [.stub(2), .stub(3)],
            routes: [Route(link: 2, isV6: false, metric: 600), Route(link: 3, isV6: false, metric: 100)],
            link: 3
        ),
        Case(
            name: "two routes, of which the better leads nowhere",
            links: [.stub(2), .stub(3, state: 2)],
            routes: [Route(link: 2, isV6: false, metric: 600), Route(link: 3, isV6: false, metric: 100)],
            link: 2
        ),
        Case(
            name: "both families, of which IPv4's link is named",
            links: [.stub(2), .stub(3)],
            addresses: [true, false],
            routes: [Route(link: 2, isV6: true, metric: 1), Route(link: 3, isV6: false, metric: 100)],
            link: 3
        ),
    ]

    @Test("The network is reached through a default route whose link is up", arguments: cases)
    func network(_ test: Case) { #expect(test.snapshot.linkTowardsNetwork?.index == test.link) }

    @Test("An address is reached through the link that the kernel chooses, if that link is up")
    func address() throws {
        let snapshot = RoutingSnapshot(
            links: [
                1: .stub(1, "lo", flags: Self.loopback, hardware: 772, state: 0), 2: .stub(2), 3: .stub(3, state: 2),
            ],
            hasV4Address: true
        )
        let v4 = try #require(NetworkAddress("192.0.2.1"))
        let v6 = try #require(NetworkAddress("2001:db8::1"))
        let local = try #require(NetworkAddress("fe80::1"))

        #expect(snapshot.link(towards: v4, through: 2)?.index == 2)
        #expect(snapshot.link(towards: v4, through: 3) == nil)
        #expect(snapshot.link(towards: v4, through: 4) == nil)
        #expect(snapshot.link(towards: v4, through: nil) == nil)
        #expect(snapshot.link(towards: v6, through: 2) == nil)
        #expect(snapshot.link(towards: local, through: 2)?.index == 2)
        #expect(snapshot.link(towards: v6, through: 1)?.index == 1)
    }

    static let interfaces: [(NetworkLink, String?, Bool, NetworkReachabilityStatus.Interface)] = [
        (.stub(2), nil, false, .wired),
        (.stub(2, "usb0"), nil, false, .wired),
        (.stub(2, "wlan0"), nil, true, .wireless),
        (.stub(2, "wlan0"), "wlan", false, .wireless),
        (.stub(2, "mon0", hardware: 803), nil, false, .wireless),
        (.stub(2, "wwan0", hardware: 65534), nil, false, .cellular),
        (.stub(2, "wwp0s20u4"), "wwan", false, .cellular),
        (.stub(2, "rmnet_data0", hardware: 519), nil, false, .cellular),
        (.stub(2, "tun0", hardware: 65534), nil, false, .other),
        (.stub(2, "ppp0", hardware: 512), nil, false, .other),
        (.stub(1, "lo", hardware: 772), nil, false, .other),
    ]

    @Test("The hardware and the device type determine the kind of a link")
    func kinds() {
        for (link, type, isWireless, interface) in Self.interfaces {
            #expect(link.interface(type: type, isWireless: isWireless) == interface, "\(link)")
        }
    }
}
