#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The look-ups of host names by a session's resolver. Requests to the same host share a look-up.
///
/// The object belongs to the loop's thread. The resolver runs in Swift tasks elsewhere.
final class NameLookups {
    private struct Lookup {
        let number: Int
        let work: Task<Void, Never>
        /// The exchanges that wait for the addresses, by their identifiers.
        var waiting: [Int: Waiting] = [:]
    }

    private struct Waiting {
        let exchange: Exchange
        /// The position of the exchange in the order in which all exchanges have begun to wait.
        let place: Int
    }

    private let resolver: HostResolver
    @exclusivity(unchecked) private var names = ResolvedNames()
    @exclusivity(unchecked) private var loaded = LoadedNames()
    @exclusivity(unchecked) private var lookups: [TextKey: Lookup] = [:]
    /// The names that the exchanges wait for, by the identifiers of the exchanges.
    @exclusivity(unchecked) private var awaited: [Int: TextKey] = [:]
    @exclusivity(unchecked) private var lastNumber = 0
    @exclusivity(unchecked) private var lastPlace = 0

    init(_ resolver: @escaping HostResolver) { self.resolver = resolver }

    /// Returns the addresses of a name; nil if it has to be looked up.
    func addresses(of name: String, at now: LoopTime) -> [String]? { names.addresses(of: name, at: now) }

    /// Returns the lines with which libcurl gets the addresses of a host.
    func lines(for host: HostAddress) -> [String] { loaded.lines(for: host) }

    /// Looks up a name for an exchange.
    func lookUp(_ name: String, for exchange: Exchange) {
        defer { wait(for: name, exchange) }
        guard lookups[name] == nil else { return }
        lastNumber += 1
        let number = lastNumber
        let loop = exchange.task.session.loop
        // The resolver is the caller's code, which must not run on the loop's thread.
        let work = Task.detached { [resolver] in
            let result: Result<[ResolvedAddress], any Error>
            do { result = .success(try await resolver(name)) } catch { result = .failure(error) }
            if !Task.isCancelled { loop.post(.resolved(NameOutcome(name: name, number: number, result: result))) }
        }
        lookups[name] = Lookup(number: number, work: work)
    }

    private func wait(for name: String, _ exchange: Exchange) {
        lastPlace += 1
        awaited[exchange.task.identifier] = TextKey(name)
        lookups[name]?.waiting[exchange.task.identifier] = Waiting(exchange: exchange, place: lastPlace)
    }

    /// Removes an exchange that does not need its addresses any more. If no other exchange needs them, cancels the
    /// look-up.
    func leave(_ exchange: Exchange) {
        guard let name = awaited.removeValue(forKey: exchange.task.identifier) else { return }
        lookups[name]?.waiting[exchange.task.identifier] = nil
        if lookups[name]?.waiting.isEmpty == true { lookups.removeValue(forKey: name)?.work.cancel() }
    }

    /// Ends a look-up, and returns the exchanges that have waited for it, in the order in which they began to wait.
    func receive(_ outcome: NameOutcome, at now: LoopTime) -> [Exchange] {
        guard lookups[outcome.name]?.number == outcome.number, let lookup = lookups.removeValue(forKey: outcome.name)
        else { return [] }
        if case .success(let addresses) = outcome.result, Self.defect(in: addresses) == nil {
            names.insert(addresses, for: outcome.name, at: now)
        }
        for identifier in lookup.waiting.keys { awaited[identifier] = nil }
        return lookup.waiting.values.sorted { $0.place < $1.place }.map(\.exchange)
    }

    /// Returns the reason why the result of a resolver cannot be used; nil if it can be used.
    static func defect(in addresses: [ResolvedAddress]) -> String? {
        guard !addresses.isEmpty else { return "has found no address" }
        let wrong = addresses.first { IPAddress($0.address) == nil }
        return wrong.map { "has returned “\($0.address)”, which is no address," }
    }
}

/// The names that the session's resolver looks up for an exchange.
extension Exchange {
    /// Whether the addresses for the request are known. If they are not, reading this property starts a look-up. Only
    /// read with a resolver.
    var hasAddresses: Bool {
        guard let names = group.names, current.resolved == nil, let (host, port) = hostToResolve else { return true }
        if let addresses = names.addresses(of: host, at: group.now) {
            current.resolved = HostAddress(host: host, port: port, addresses: addresses)
            return true
        }
        touch()
        transaction.beginResolving()
        group.deadlines.advance(deadline, of: self)
        names.lookUp(host, for: self)
        return false
    }

    /// The name and port of the proxy or the server, if the name has to be looked up. Nil if the addresses are known
    /// without a look-up, or if the request fails when it begins.
    private var hostToResolve: (host: String, port: Int)? {
        guard let (host, port) = connectedHost, host.address == nil else { return nil }
        if case .some = fixedAddresses(of: host, port) { return nil }
        return (host.name, port)
    }

    /// The host and port of the proxy or the server; nil for a Unix-domain socket, or if the request fails when it
    /// begins.
    private var connectedHost: (host: CanonicalHost, port: Int)? {
        do throws(URLError) {
            // If the server or the proxy has no canonical host, nothing is sent.
            guard let target = destination.target, group.settings.options.unixSocket == nil else { return nil }
            if let proxy = try proxy() { return proxy.canonicalHost.map { ($0, proxy.port) } }
            guard let host = target.host, let origin = URLReference(target.text).origin else { return nil }
            return (host, origin.port)
        } catch {
            // The request fails with this error when it begins.
            return nil
        }
    }

    /// Returns the addresses that the session's options give for a host; nil if they give none.
    private func fixedAddresses(of host: CanonicalHost, _ port: Int) -> [String]? {
        group.settings.options.hostAddresses.last {
            $0.port == port && $0.canonicalHost.map { $0.name == host.name } ?? false
        }?.addresses
    }

    /// Checks that the addresses of the proxy or the server, if they are known without libcurl, belong to the family to
    /// which the session is limited. For a name without such an address, libcurl would ask the system.
    func checkFamily() throws(URLError) {
        let family = group.settings.options.addressFamily
        guard family != .any, let (host, port) = connectedHost,
            let known = current.resolved?.addresses ?? fixedAddresses(of: host, port)
                ?? host.address.map({ [$0.text] }),
            !known.contains(where: { IPAddress($0).map(family.contains) ?? false })
        else { return }
        let peer = (try? proxy()).map { Peer($0) } ?? destination.url.flatMap { Peer($0) }
        throw engineError(.cannotFindHost, family.sentence(without: peer) + ".")
    }

    /// Continues with the addresses that were found, or fails.
    func receive(_ result: Result<[ResolvedAddress], any Error>) {
        guard transaction.endResolving(), let (host, port) = hostToResolve else { return }
        switch result {
        case .success(let addresses):
            if let defect = NameLookups.defect(in: addresses) {
                let sentence = "The resolver of the session \(defect) for the host \(host)."
                return fail(engineError(.cannotFindHost, sentence))
            }
            current.resolved = HostAddress(host: host, port: port, addresses: addresses.map(\.address))
            enqueue()
        case .failure(let error as URLError): fail(error)
        case .failure(let error): end(.failure(error))
        }
    }

    /// Passes the addresses that were found to libcurl.
    func setAddresses(_ resolved: HostAddress, of handle: EasyHandle) {
        guard let names = group.names else { return }
        // Depending on its version, libcurl searches for the name with or without the dot at its end.
        var lines = names.lines(for: resolved)
        var withDot = resolved
        withDot.host += "."
        let isRooted = (transfer.route.proxy?.canonicalHost ?? destination.host)?.isRooted == true
        if isRooted { lines += names.lines(for: withDot) }
        handle.setResolvedAddresses(lines)
    }
}
#endif
