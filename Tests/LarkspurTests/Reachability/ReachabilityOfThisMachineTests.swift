import Testing

@testable import Larkspur
@testable import LarkspurReachability

/// What the system says of the machine itself, which is there on every machine whose system tells.
@Suite(
    "Reachability of this machine",
    .enabled("The system does not tell.") {
        let manager = NetworkReachabilityManager()
        manager.startMonitoring()
        return manager.unavailabilityReason == nil
    },
    .timeLimit(.minutes(5))
)
struct ReachabilityOfThisMachineTests {
    enum Target: CaseIterable {
        case address
        case address6
        case domain

        func makeManager() throws -> NetworkReachabilityManager {
            switch self {
            case .address: try #require(NetworkReachabilityManager(address: "127.0.0.1"))
            case .address6: try #require(NetworkReachabilityManager(address: "[::ffff:127.0.0.1]"))
            case .domain: NetworkReachabilityManager(host: "localhost")
            }
        }
    }

    @Test("The handler gets the status that the machine is reachable", arguments: Target.allCases)
    func closure(_ target: Target) async throws {
        let manager = try target.makeManager()
        let heard = Recorder<NetworkReachabilityStatus>()
        manager.setStatusChangeHandler { heard.record($0) }
        manager.startMonitoring()
        #expect(try await heard.first().isReachable)
        #expect(manager.isReachable)
    }

    @Test(
        "A notification with the manager as its object reports that the machine is reachable",
        arguments: Target.allCases
    )
    func notification(_ target: Target) async throws {
        let manager = try target.makeManager()
        let heard = Recorder<NetworkReachabilityStatus?>()
        let token = NotificationCenter.default.addObserver(
            forName: NetworkReachabilityManager.didChangeNotification,
            object: nil,
            queue: nil
        ) { notification in
            guard notification.object as? NetworkReachabilityManager === manager else { return }
            heard.record(notification.reachabilityStatus)
        }
        defer { NotificationCenter.default.removeObserver(token) }
        manager.startMonitoring()
        #expect(try await heard.first()?.isReachable == true)
    }

    @Test("A stream delivers the initial status, then that the machine is reachable")
    func stream() async throws {
        let manager = try Target.address.makeManager()
        var updates = manager.statusUpdates.makeAsyncIterator()
        #expect(await updates.next() == .unknown)
        manager.startMonitoring()
        #expect(await updates.next()?.isReachable == true)
    }

    @Test("A host with an invalid name is not reachable", arguments: ["", "a\0b", "no such host."])
    func noHost(_ name: String) async throws {
        let manager = NetworkReachabilityManager(host: name)
        let heard = Recorder<NetworkReachabilityStatus>()
        manager.setStatusChangeHandler { heard.record($0) }
        manager.startMonitoring()
        #expect(try await heard.first() == .notReachable)
    }
}
