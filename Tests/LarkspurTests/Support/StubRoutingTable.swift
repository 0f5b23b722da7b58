import Synchronization

@testable import Larkspur
@testable import LarkspurReachability

/// A kernel's links and routes that a test makes up.
final class StubRoutingTable: RoutingTable {
    private struct State {
        var snapshot: RoutingSnapshot? = RoutingSnapshot()
        var ways: [NetworkAddress: Int32] = [:]
        var onChange: (@Sendable () -> Void)?
        var reads = 0
    }

    private let state = Mutex(State())

    /// One wired link that is up, with an address and a default route.
    static let network = RoutingSnapshot(
        links: [2: .stub(2)],
        hasV4Address: true,
        defaultRoutes: [.init(link: 2, isV6: false, metric: 0)]
    )

    func watch(
        onChange: @escaping @Sendable () -> Void
    ) throws(ReachabilityUnavailable) -> @Sendable () -> Void {
        state.withLock { $0.onChange = onChange }
        return { [weak self] in self?.state.withLock { $0.onChange = nil } }
    }

    func snapshot() -> RoutingSnapshot? {
        state.withLock { state in
            state.reads += 1
            return state.snapshot
        }
    }

    func link(towards address: NetworkAddress) -> Int32? { state.withLock { $0.ways[address] } }

    func interface(of link: NetworkLink) -> NetworkReachabilityStatus.Interface {
        link.interface(type: nil, isWireless: false)
    }

    /// Whether anybody watches.
    var isWatched: Bool { state.withLock { $0.onChange != nil } }
    /// How often it has been read.
    var reads: Int { state.withLock { $0.reads } }

    /// Makes another state, and tells of it.
    func set(_ snapshot: RoutingSnapshot?, ways: [NetworkAddress: Int32] = [:]) {
        state.withLock { state in
            state.snapshot = snapshot
            state.ways = ways
            return state.onChange
        }?()
    }
}

extension NetworkLink {
    /// A link that is up, has a carrier and is Ethernet, but for what is said.
    static func stub(
        _ index: Int32,
        _ name: String = "eth0",
        flags: UInt32 = 0x1_1043,
        hardware: UInt16 = 1,
        state: UInt8 = 6
    ) -> NetworkLink {
        NetworkLink(index: index, name: name, flags: flags, hardware: hardware, operationalState: state)
    }
}
