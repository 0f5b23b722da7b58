import HTTPSyntax
import Synchronization

/// A monitor of the reachability of the network, of a host or of an address.
///
/// It reports what the system knows of links, addresses and routes, and sends no packets to the host. So "reachable"
/// means that a request would leave the machine, not that there would be a response. Do not check reachability before
/// sending. Send the request, and use reachability to decide when to try again and what to tell the user.
///
/// On Linux the kernel reports changes by rtnetlink, so nothing is polled. On Apple platforms the Network framework's
/// path monitor reports changes. The path monitor knows only the network as a whole, so hosts and addresses have the
/// same reachability as the network there.
///
/// The status is unknown until ``startMonitoring()`` was called and the system has reported a status. The same status
/// is never reported twice in a row.
public final class NetworkReachabilityManager: Sendable {
    private struct Storage {
        var status: ObservedValue<NetworkReachabilityStatus>
        var stop: (@Sendable () -> Void)?
        /// The number of starts and stops. With it, a late report of an earlier source is recognized and ignored.
        var generation = 0
        var unavailabilityReason: String?
    }

    /// A shared manager for the network as a whole. It does not monitor until ``startMonitoring()`` is called.
    public static let shared = NetworkReachabilityManager()

    private let target: ReachabilityTarget
    private let source: any ReachabilitySource
    private let storage: Mutex<Storage>

    init(_ target: ReachabilityTarget, source: any ReachabilitySource) {
        self.target = target
        self.source = source
        storage = Mutex(Storage(status: ObservedValue(.unknown, queue: Platform.makeCompletionQueue())))
    }

    /// Creates a manager for the network as a whole. The network is reachable if there is a default route over a link
    /// that is up, and an address to send from.
    public convenience init() { self.init(.anyNetwork, source: Platform.reachabilitySource) }

    /// Creates a manager for a host. The host is reachable if one of its addresses is.
    ///
    /// If the host is a name, its addresses are looked up as for a request. This happens when monitoring starts, and
    /// after changes of the network. If a look-up fails, it is repeated up to seven times, after 1, 2, 4, 8, 16, 32 and
    /// 64 seconds.
    /// - Parameter host: A name, or an address in text.
    public convenience init(host: String) { self.init(.named(host), source: Platform.reachabilitySource) }

    /// Creates a manager for an address. The address is reachable if the kernel would send a packet to it over a link
    /// that is up.
    /// - Parameter address: The address, such as `192.0.2.1`, `2001:db8::1` or `fe80::1%eth0`. If the text is not an
    ///   address, the result is nil.
    public convenience init?(address: String) {
        guard let address = NetworkAddress(address) else { return nil }
        self.init(.address(address), source: Platform.reachabilitySource)
    }

    deinit {
        let (stop, streams) = storage.withLock { ($0.stop.take(), $0.status.takeStreams()) }
        stop?()
        for stream in streams { stream.finish() }
    }

    // MARK: Monitoring

    /// Starts monitoring, or restarts it. The last known status stays until a new one is known.
    ///
    /// If the system does not report reachability, for example because a sandbox forbids it, the status stays unknown
    /// and ``unavailabilityReason`` has the reason.
    public func startMonitoring() {
        let generation = end()
        do {
            let stop = try source.watch(target) { [weak self] in self?.take($0, of: generation) }
            let isCurrent = storage.withLock { storage in
                guard storage.generation == generation else { return false }
                storage.stop = stop
                return true
            }
            if !isCurrent { stop() }
        } catch {
            storage.withLock { storage in
                if storage.generation == generation { storage.unavailabilityReason = error.reason }
            }
        }
    }

    /// Stops monitoring. The last known status stays. A change that was noticed earlier may still be reported. The
    /// method may be called from any thread, and from the handler.
    public func stopMonitoring() { _ = end() }

    /// The reason, as a sentence, why the system does not report reachability; nil if the system reports it, or if
    /// monitoring has not started.
    public var unavailabilityReason: String? { storage.withLock { $0.unavailabilityReason } }

    private func end() -> Int {
        let (generation, stop) = storage.withLock { storage in
            storage.generation += 1
            storage.unavailabilityReason = nil
            return (storage.generation, storage.stop.take())
        }
        stop?()
        return generation
    }

    private func take(_ status: NetworkReachabilityStatus, of generation: Int) {
        storage.withLock { storage in
            guard storage.generation == generation else { return }
            storage.status.set(status) { [self] status in
                NotificationCenter.default.post(
                    name: Self.didChangeNotification,
                    object: self,
                    userInfo: [Self.statusUserInfoKey: status]
                )
            }
        }
    }

    // MARK: The status

    /// The current status.
    public var status: NetworkReachabilityStatus { storage.withLock { $0.status.value } }

    /// Whether the target is reachable; false if it is not known.
    public var isReachable: Bool { status.isReachable }

    /// Whether the target is reachable through a kind of interface.
    public func isReachable(via interface: NetworkReachabilityStatus.Interface) -> Bool {
        status.interface == interface
    }

    /// The status in words, for users: ``NetworkReachabilityStatus/localizedDescription``.
    public var localizedStatusDescription: String { status.localizedDescription }

    // MARK: Reporting changes

    /// Sets the closure that is called after each change of the status, in the order of the changes. The first known
    /// status counts as a change.
    /// - Parameters:
    ///   - queue: The queue on which the closure is called and ``didChangeNotification`` is posted. Default: the
    ///     previous queue; at first the main queue on Apple platforms, elsewhere a serial queue of the manager.
    ///   - handler: The closure; nil for none.
    public func setStatusChangeHandler(
        queue: DispatchQueue? = nil,
        _ handler: (@Sendable (NetworkReachabilityStatus) -> Void)?
    ) {
        _ = storage.withLock { $0.status.setHandler(on: queue, handler) }
    }

    /// A stream of the current status, `unknown` included, and of every change. Each access creates a separate stream,
    /// which ends with the manager. A consumer that is more than 100 changes behind loses the oldest changes.
    public var statusUpdates: AsyncStream<NetworkReachabilityStatus> {
        let capacity = ObservedValue<NetworkReachabilityStatus>.streamCapacity
        return AsyncStream(bufferingPolicy: .bufferingNewest(capacity)) { continuation in
            let stream = storage.withLock { $0.status.add(continuation) }
            continuation.onTermination = { [weak self] _ in self?.storage.withLock { $0.status.remove(stream) } }
        }
    }

    /// Posted after each change of the status, on the queue of the closure, after the closure was called. The object is
    /// the `NetworkReachabilityManager`; ``Foundation/Notification/reachabilityStatus`` is the status.
    public static let didChangeNotification = Notification.Name("LarkspurReachabilityDidChange")

    /// The key of the `NetworkReachabilityStatus` in the user info of ``didChangeNotification``.
    public static let statusUserInfoKey = "LarkspurReachabilityStatus"
}

extension Notification {
    /// The status in ``NetworkReachabilityManager/didChangeNotification``; nil for any other notification.
    public var reachabilityStatus: NetworkReachabilityStatus? {
        userInfo?[NetworkReachabilityManager.statusUserInfoKey] as? NetworkReachabilityStatus
    }
}
