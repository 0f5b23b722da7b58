#if os(Linux) || os(Android)
internal import CNetlink
import HTTPSyntax

/// The kernel's links, addresses and routes, read with rtnetlink.
struct NetlinkRoutingTable: RoutingTable {
    // Safe: a source may be cancelled from any thread.
    private struct Source: @unchecked Sendable {
        let value: any DispatchSourceRead
    }

    func watch(
        onChange: @escaping @Sendable () -> Void
    ) throws(ReachabilityUnavailable) -> @Sendable () -> Void {
        let socket = netlink_open()
        guard socket >= 0 else { throw Self.unavailable(socket) }
        // A sandbox may allow the socket but forbid its use.
        if case .failure(let error) = read() {
            close(socket)
            throw error
        }
        let queue = DispatchQueue(label: "larkspur.netlink", qos: .utility)
        let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
        source.setEventHandler {
            let result = netlink_drain(socket)
            // Without this, a socket that cannot be read would be reported again and again.
            if result < 0 { source.cancel() }
            if result != 0 { onChange() }
        }
        source.setCancelHandler { close(socket) }
        source.activate()
        let handle = Source(value: source)
        return { handle.value.cancel() }
    }

    func snapshot() -> RoutingSnapshot? { try? read().get() }

    private static func unavailable(_ result: Int32) -> ReachabilityUnavailable {
        ReachabilityUnavailable(
            reason: "The kernel does not tell of its network: \(String(cString: strerror(-result)))."
        )
    }

    private func read() -> Result<RoutingSnapshot, ReachabilityUnavailable> {
        var snapshot = RoutingSnapshot()
        let result = withUnsafeMutablePointer(to: &snapshot) { pointer in
            var reader = netlink_reader(
                context: pointer,
                link: { context, link in
                    let link = link.pointee
                    context.assumingMemoryBound(to: RoutingSnapshot.self).pointee.links[link.index] = NetworkLink(
                        index: link.index,
                        name: String(cString: link.name),
                        flags: link.flags,
                        hardware: link.hardware,
                        operationalState: link.operational_state
                    )
                },
                address: { context, address in
                    let snapshot = context.assumingMemoryBound(to: RoutingSnapshot.self)
                    if address.pointee.is_v6 {
                        snapshot.pointee.hasV6Address = true
                    } else {
                        snapshot.pointee.hasV4Address = true
                    }
                },
                route: { context, route in
                    let route = route.pointee
                    context.assumingMemoryBound(to: RoutingSnapshot.self).pointee.defaultRoutes.append(
                        RoutingSnapshot.DefaultRoute(link: route.link, isV6: route.is_v6, metric: route.metric)
                    )
                }
            )
            return netlink_read(&reader)
        }
        return result == 0 ? .success(snapshot) : .failure(Self.unavailable(result))
    }

    func link(towards address: NetworkAddress) -> Int32? {
        let link = netlink_link_towards(address.bytes, address.isV6, address.zone)
        return link > 0 ? link : nil
    }

    func interface(of link: NetworkLink) -> NetworkReachabilityStatus.Interface {
        let folder = "/sys/class/net/\(link.name)"
        // Some systems lack this file system. On such a system, the hardware type decides.
        let lines = (try? String(contentsOfFile: "\(folder)/uevent", encoding: .utf8)) ?? ""
        let type = lines.parts(separatedBy: "\n").first { $0.begins(with: "DEVTYPE=") }?.cut(at: "=")?.after
        let isWireless = ["phy80211", "wireless"].contains { FileManager.default.fileExists(atPath: "\(folder)/\($0)") }
        return link.interface(type: type.map(String.init), isWireless: isWireless)
    }
}
#endif
