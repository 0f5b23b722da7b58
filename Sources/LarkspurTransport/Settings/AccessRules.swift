#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The rules of a session about the servers to which it sends requests.
struct AccessRules: Sendable {
    let addresses: AllowedAddresses
    private let ports: Set<Int>?
    private let proxies: ProxySettings
    private let usesSocket: Bool
    /// The origin of the server of DNS over HTTPS; nil if addresses are not limited, or if there is no such server.
    ///
    /// libcurl opens connections to this server without a check, and could use them for requests.
    private let nameServer: Origin?

    /// Creates the rules; nil if there are none.
    init?(_ options: EngineOptions, proxies: ProxySettings) {
        guard !options.allowedAddresses.allowsAll || options.allowedPorts != nil else { return nil }
        addresses = options.allowedAddresses
        ports = options.allowedPorts
        self.proxies = proxies
        usesSocket = options.unixSocket != nil
        nameServer =
            options.allowedAddresses.allowsAll || options.resolver != nil
            ? nil : options.dnsOverHTTPS.flatMap(Origin.init)
    }

    /// Returns the error of a request that is refused before a connection is opened; nil if it may begin.
    func refusal(of destination: Destination) -> URLError? {
        guard let url = destination.url, let target = destination.target else {
            return destination.isDataURL ? Self.unsupportedScheme(of: destination.url) : nil
        }
        guard let host = target.host, let origin = URLReference(target.text).origin, !usesSocket else {
            return .refused(
                AccessFailure(.addressNotAllowed, host: target.host?.name ?? ""),
                "The session may not connect to Unix-domain sockets, because it limits the addresses or ports of servers.",
                url: url
            )
        }
        if let ports, !ports.contains(origin.port) {
            let allowed = ports.sorted().map(String.init).joined(separator: ", ")
            return .refused(
                AccessFailure(.portNotAllowed, host: host.name),
                "The session may not connect to the port \(origin.port) of \(host.name): it allows \(allowed).",
                url: url
            )
        }
        if addresses.allowsAll { return nil }
        if addresses.proxy == .refused, (try? proxies.proxy(for: url)) != nil {
            return .refused(
                AccessFailure(.addressNotAllowed, host: host.name),
                "The request to \(host.name) would use a proxy, which chooses the server's address itself: "
                    + "the rule for addresses has to name proxies as trusted, or the session needs the proxy choice .direct.",
                url: url
            )
        }
        if let nameServer, origin == nameServer {
            return .refused(
                AccessFailure(.addressNotAllowed, host: host.name),
                "\(host.name) is the session's server of DNS over HTTPS. Its address is not checked, so the session sends no other requests to it.",
                url: url
            )
        }
        return nil
    }

    /// Returns the error of a request whose scheme the engine does not load.
    static func unsupportedScheme(of url: URL?) -> URLError {
        .engine(
            .unsupportedURL,
            "The session limits the addresses or ports of servers, so it loads only http and https URLs.",
            url: url
        )
    }

    /// Returns the error of a request for which no connection was opened, because an address was refused.
    static func refusal(of address: ConnectionAddress, _ destination: Destination) -> URLError {
        let host = destination.host?.name ?? ""
        let subject =
            host == address.text ? "The address \(address)" : "The host \(host) has the address \(address), which"
        return .refused(
            AccessFailure(.addressNotAllowed, host: host, address: address),
            "\(subject) is none to which the session may connect.",
            url: destination.url
        )
    }
}
#endif
