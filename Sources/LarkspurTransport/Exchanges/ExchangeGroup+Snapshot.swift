#if canImport(FoundationNetworking)
internal import HTTPSyntax

extension ExchangeGroup {
    /// The connections and requests of all origins that have any, sorted by origin.
    ///
    /// Everything is computed here, from libcurl's handles and the table of sockets, so that requests do not have to
    /// count.
    var connectionSnapshot: [OriginConnections] {
        var snapshot: [TextKey: OriginConnections] = [:]
        func change(_ origin: String, _ change: (inout OriginConnections) -> Void) {
            let name = Self.displayed(origin)
            change(&snapshot[name, default: OriginConnections(origin: name)])
        }
        let sockets = connections.sockets
        var busy: Set<Int32> = []
        var connecting: Set<Int> = []
        for exchange in all {
            let origin = exchange.destination.origin
            if exchange.ticket != nil { change(origin) { $0.waiting += 1 } }
            guard let handle = exchange.transfer.handle else { continue }
            change(origin) { $0.active += 1 }
            if let port = handle.localPort, let socket = sockets?.sockets(at: port).first {
                busy.insert(socket)
            } else {
                connecting.insert(exchange.identifier)
            }
        }
        for (socket, opening) in sockets?.all ?? [:] {
            let isBusy = busy.contains(socket) || connecting.contains(opening.user.task)
            let age = opening.time.duration(until: now)
            change(opening.user.origin) {
                $0.open += 1
                if isBusy { $0.busy += 1 }
                $0.oldest = max($0.oldest ?? .zero, age)
            }
        }
        for (key, queue) in connections.allQueues where snapshot[Self.displayed(key.text)] != nil {
            guard let version = queue.headMemory.head?.head.version else { continue }
            change(key.text) { $0.protocolName = TransferMetrics.protocolName(of: version) }
        }
        return snapshot.values.sorted { $0.origin < $1.origin }
    }

    /// Returns the origin in lower case and with its port, and without user information.
    private static func displayed(_ origin: String) -> String {
        let reference = URLReference(origin)
        if let origin = reference.origin { return "\(origin.scheme)://\(origin.host):\(origin.port)" }
        let authority = reference.authority ?? ""
        let host = authority.parts(separatedBy: "@", omittingEmptyParts: false).last ?? ""
        return "\(reference.scheme ?? "")://\(host)"
    }
}

extension TransferMetrics {
    /// Returns the ALPN identifier for the version of a status line.
    fileprivate static func protocolName(of version: String) -> String? {
        switch version {
        case "HTTP/1.0": "http/1.0"
        case "HTTP/1.1": "http/1.1"
        case "HTTP/2", "HTTP/2.0": "h2"
        case "HTTP/3", "HTTP/3.0": "h3"
        default: nil
        }
    }
}
#endif
