import Testing

@testable import Larkspur
@testable import LarkspurReachability

@Suite("Reachability managers", .timeLimit(.minutes(5)))
struct NetworkReachabilityManagerTests {
    private let source = StubReachabilitySource()

    private func makeManager(_ target: ReachabilityTarget = .anyNetwork) -> NetworkReachabilityManager {
        NetworkReachabilityManager(target, source: source)
    }

    @Test("Before monitoring, the status of each manager is unknown")
    func startsUnknown() throws {
        let managers = [
            NetworkReachabilityManager(), NetworkReachabilityManager(host: "localhost"),
            try #require(NetworkReachabilityManager(address: "192.0.2.1")), makeManager(),
        ]
        for manager in managers {
            #expect(manager.status == .unknown)
            #expect(!manager.isReachable)
            #expect(manager.localizedStatusDescription == "Unknown")
            #expect(manager.unavailabilityReason == nil)
        }
        #expect(source.starts == 0)
    }

    @Test("The shared manager is always the same object, and distinct from every new manager")
    func shared() {
        #expect(NetworkReachabilityManager.shared === NetworkReachabilityManager.shared)
        #expect(NetworkReachabilityManager.shared !== NetworkReachabilityManager())
    }

    @Test(
        "No manager is created for an invalid address",
        arguments: ["", "localhost", "1.2.3", "::1%", "1.2.3.4 ", "a\0"]
    )
    func noAddress(_ text: String) { #expect(NetworkReachabilityManager(address: text) == nil) }

    @Test("The manager monitors its target")
    func target() {
        let manager = makeManager(.named("example.org"))
        manager.startMonitoring()
        #expect(source.targets == [.host("example.org")])
    }

    @Test("The properties of a manager have the last reported status")
    func accessors() {
        let manager = makeManager()
        manager.startMonitoring()

        source.report(.reachable(.cellular))
        #expect(manager.isReachable)
        #expect(manager.isReachable(via: .cellular) && !manager.isReachable(via: .wireless))
        #expect(manager.localizedStatusDescription == "Reachable via WWAN")

        source.report(.notReachable)
        #expect(manager.status == .notReachable)
        #expect(!manager.isReachable && !manager.isReachable(via: .cellular))
    }

    @Test("The handler gets each change once, in order, on its queue, and no equal statuses")
    func closure() async throws {
        let manager = makeManager()
        let heard = Recorder<String>()
        manager.setStatusChangeHandler(queue: TestQueue.make("chosen")) {
            heard.record("\($0) on \(TestQueue.current ?? "another")")
        }
        manager.startMonitoring()

        source.report(.unknown, .notReachable, .notReachable, .reachable(.wired), .reachable(.wired))
        source.report(.reachable(.wireless), .notReachable)

        try await heard.wait(for: 4)
        #expect(
            heard.values == [
                "Not Reachable on chosen", "Reachable via Ethernet on chosen", "Reachable via WiFi on chosen",
                "Not Reachable on chosen",
            ]
        )
    }

    @Test("Many changes arrive in order")
    func order() async throws {
        let manager = makeManager()
        let heard = Recorder<NetworkReachabilityStatus>()
        manager.setStatusChangeHandler { heard.record($0) }
        manager.startMonitoring()

        let statuses: [NetworkReachabilityStatus] = (0..<500).map {
            $0.isMultiple(of: 2) ? .notReachable : .reachable(.wired)
        }
        for status in statuses { source.report(status) }

        #expect(try await heard.wait(for: 500) == statuses)
    }

    @Test("A notification with the manager and the status follows the handler on its queue")
    func notification() async throws {
        let manager = makeManager()
        let heard = Recorder<String>()
        let name = NetworkReachabilityManager.didChangeNotification
        let token = NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { notification in
            let isOfManager = notification.object as? NetworkReachabilityManager === manager
            let status = notification.reachabilityStatus
            let raw = notification.userInfo?[NetworkReachabilityManager.statusUserInfoKey] as? NetworkReachabilityStatus
            heard.record("notification \(isOfManager) \(status == raw ? status?.description ?? "" : "")")
        }
        defer { NotificationCenter.default.removeObserver(token) }
        manager.setStatusChangeHandler { heard.record("closure \($0)") }
        manager.startMonitoring()

        source.report(.reachable(.wireless), .reachable(.wireless), .notReachable)

        try await heard.wait(for: 4)
        #expect(
            heard.values == [
                "closure Reachable via WiFi", "notification true Reachable via WiFi",
                "closure Not Reachable", "notification true Not Reachable",
            ]
        )
        #expect(Notification(name: name).reachabilityStatus == nil)
    }

    @Test("A stream begins with the current status, delivers every change, and ends with the manager")
    func stream() async {
        var manager: NetworkReachabilityManager? = makeManager()
        manager?.startMonitoring()
        source.report(.notReachable)
        let updates = manager?.statusUpdates
        source.report(.reachable(.wired), .reachable(.wired), .notReachable)
        manager = nil

        var heard: [NetworkReachabilityStatus] = []
        for await status in updates ?? AsyncStream(unfolding: { nil }) { heard.append(status) }
        #expect(heard == [.notReachable, .reachable(.wired), .notReachable])
        #expect(source.stops == 1)
    }

    @Test("An unread stream buffers at most a hundred statuses")
    func boundedStream() async {
        var manager: NetworkReachabilityManager? = makeManager()
        manager?.startMonitoring()
        let updates = manager?.statusUpdates
        for _ in 0..<1_000 { source.report(.notReachable, .reachable(.wired)) }
        manager = nil

        var count = 0
        for await _ in updates ?? AsyncStream(unfolding: { nil }) { count += 1 }
        #expect(count == 100)
    }

    @Test("A stopped manager keeps its last status, and a restarted one reports only a different status")
    func stopping() async throws {
        let manager = makeManager()
        let heard = Recorder<NetworkReachabilityStatus>()
        manager.setStatusChangeHandler { heard.record($0) }
        manager.startMonitoring()
        source.report(.reachable(.wired))

        manager.stopMonitoring()
        manager.stopMonitoring()
        source.report(.notReachable)
        #expect(manager.status == .reachable(.wired))
        #expect(source.stops == 1)

        manager.startMonitoring()
        source.report(.notReachable, to: 0)
        source.report(.reachable(.wired), .reachable(.wireless))
        try await heard.wait(for: 2)
        #expect(heard.values == [.reachable(.wired), .reachable(.wireless)])
    }

    @Test("Starting a manager again ends its earlier monitoring")
    func startingTwice() {
        let manager = makeManager()
        manager.startMonitoring()
        manager.startMonitoring()
        #expect((source.starts, source.stops) == (2, 1))
        manager.stopMonitoring()
        #expect((source.starts, source.stops) == (2, 2))
    }

    @Test("The handler may stop, start and change the manager's handler")
    func reentrance() async throws {
        let manager = makeManager()
        let done = Recorder<Void>()
        manager.setStatusChangeHandler { [weak manager] _ in
            manager?.stopMonitoring()
            manager?.startMonitoring()
            manager?.stopMonitoring()
            manager?.setStatusChangeHandler(nil)
            done.record(())
        }
        manager.startMonitoring()
        source.report(.reachable(.wired))
        try await done.wait()
        #expect((source.starts, source.stops) == (2, 2))
    }

    @Test("A released handler may replace the next handler")
    func releasedHandler() {
        let manager = makeManager()
        let ends = Recorder<Void>()
        func farewell() -> Farewell {
            Farewell { [weak manager] in
                manager?.setStatusChangeHandler(nil)
                ends.record(())
            }
        }
        manager.setStatusChangeHandler { [farewell = farewell()] _ in withExtendedLifetime(farewell) {} }

        manager.setStatusChangeHandler(nil)

        #expect(ends.values.count == 1)
    }

    @Test("If the system has no information, the status stays unknown, with a reason until the manager is stopped")
    func unavailable() {
        let manager = NetworkReachabilityManager(
            .anyNetwork,
            source: StubReachabilitySource(unavailable: "It is forbidden.")
        )
        manager.startMonitoring()
        #expect(manager.status == .unknown)
        #expect(manager.unavailabilityReason == "It is forbidden.")
        manager.stopMonitoring()
        #expect(manager.unavailabilityReason == nil)
    }

    @Test(
        "A switch over a status needs a default case for later additions",
        arguments: [
            (.unknown, "unknown"), (.notReachable, "no"), (.reachable(.wireless), "radio"),
            (.reachable(.cellular), "radio"), (.reachable(.wired), "other"),
        ] as [(NetworkReachabilityStatus, String)]
    )
    func matching(_ status: NetworkReachabilityStatus, _ expected: String) {
        let word =
            switch status {
            case .unknown: "unknown"
            case .notReachable: "no"
            case .reachable(.wireless), .reachable(.cellular): "radio"
            default: "other"
            }
        #expect(word == expected)
        #expect(status.interface.map { "\($0)" } == status.interface?.description)
    }

    @Test("Every status has its description and its interface")
    func words() {
        let statuses: [NetworkReachabilityStatus] =
            [.unknown, .notReachable] + NetworkReachabilityStatus.Interface.allCases.map { .reachable($0) }
        #expect(
            statuses.map(\.description) == [
                "Unknown", "Not Reachable", "Reachable via Ethernet", "Reachable via WiFi", "Reachable via WWAN",
                "Reachable",
            ]
        )
        #expect(statuses.map(\.localizedDescription) == statuses.map(\.description))
        #expect(statuses.map(\.isReachable) == [false, false, true, true, true, true])
        #expect(statuses.map(\.interface) == [nil, nil, .wired, .wireless, .cellular, .other])
    }
}
