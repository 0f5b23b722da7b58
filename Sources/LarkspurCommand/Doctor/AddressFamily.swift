#if canImport(FoundationNetworking)
import HTTPSyntax
import Larkspur

/// A family of internet addresses, and its state on this machine.
struct AddressFamily: Equatable {
    enum State: Equatable {
        case routed
        /// Only this machine can be reached.
        case local
        case unsupported
    }

    let name: String
    let state: State

    /// The families on this machine. Nothing is sent to find out.
    static var ofMachine: [AddressFamily] {
        // Addresses for documentation (RFC 5737, RFC 3849). No machine has them.
        [
            AddressFamily(name: "IPv4", state: state(AF_INET, "192.0.2.1")),
            AddressFamily(name: "IPv6", state: state(AF_INET6, "2001:db8::1")),
        ]
    }

    /// Finds out whether there is a route to an address. Connecting a datagram socket looks up the route, and sends
    /// nothing.
    private static func state(_ family: Int32, _ address: String) -> State {
        var hints = addrinfo()
        hints.ai_family = family
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, "9", &hints, &list) == 0, let list else { return .unsupported }
        defer { freeaddrinfo(list) }
        let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return .unsupported }
        defer { close(descriptor) }
        return connect(descriptor, list.pointee.ai_addr, list.pointee.ai_addrlen) == 0 ? .routed : .local
    }
}
#endif
