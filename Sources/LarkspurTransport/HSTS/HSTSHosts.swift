#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The hosts that require https (RFC 6797). It is a value without I/O and without a clock. All names are canonical
/// (``HSTSName``).
struct HSTSHosts: Sendable {
    struct Entry: Sendable, Equatable {
        var includesSubdomains: Bool
        var expirationDate: Date
        /// The number of the last change, in the order of all changes.
        fileprivate var change = 0
        /// The date that is stored in the file; nil if the file does not have the entry.
        fileprivate var savedDate: Date?

        init(includesSubdomains: Bool, expirationDate: Date) {
            self.includesSubdomains = includesSubdomains
            self.expirationDate = expirationDate
        }
    }

    private(set) var entries: [TextKey: Entry] = [:]
    let capacity: Int
    private var changes = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Whether requests to a host require https. This is so if the host itself has an entry, or if one of its
    /// superdomains has an entry that includes subdomains (section 8.2).
    func contains(_ name: String, at now: Date) -> Bool {
        if let entry = entries[name], now < entry.expirationDate { return true }
        var rest = name[...]
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.utf8.index(after: dot)...]
            if let entry = entries[String(rest)], entry.includesSubdomains, now < entry.expirationDate { return true }
        }
        return false
    }

    /// Records the field of a host (section 8.1).
    /// - Returns: Whether a file with the hosts should be written again.
    mutating func note(_ field: StrictTransportField, of name: String, at now: Date) -> Bool {
        guard field.maximumAge > 0 else { return remove(name) }
        let lifetime = TimeInterval(field.maximumAge)
        return insert(
            Entry(includesSubdomains: field.includesSubdomains, expirationDate: now.addingTimeInterval(lifetime)),
            for: name,
            at: now,
            tolerance: min(86_400, lifetime / 10)
        )
    }

    /// Adds an entry, which replaces the host's last entry. If there is no room, removes expired entries. If there is
    /// still no room, removes the quarter of the entries whose last changes are the oldest.
    /// - Parameter tolerance: The change of the date, in seconds, for which the file does not have to be
    ///   written. Default: 0.
    /// - Returns: Whether a file with the hosts should be written again.
    @discardableResult
    mutating func insert(_ entry: Entry, for name: String, at now: Date, tolerance: TimeInterval = 0) -> Bool {
        let last = entries[name]
        if last == nil, entries.count >= capacity { makeRoom(at: now) }
        changes += 1
        var entry = entry
        entry.change = changes
        entry.savedDate = last?.savedDate
        entries[name] = entry
        guard let last, let saved = entry.savedDate else { return true }
        return last.includesSubdomains != entry.includesSubdomains
            || abs(saved.timeIntervalSince(entry.expirationDate)) > tolerance
    }

    /// Removes the entry of a host. Does not remove entries of its superdomains.
    /// - Returns: Whether there was an entry.
    mutating func remove(_ name: String) -> Bool { entries.removeValue(forKey: name) != nil }

    mutating func removeAll() { entries.removeAll() }

    /// Records that a file now has these entries.
    mutating func noteSaved(_ saved: [TextKey: Entry]) {
        for (name, entry) in saved { entries[name]?.savedDate = entry.expirationDate }
    }

    private mutating func makeRoom(at now: Date) {
        entries = entries.filter { now < $0.value.expirationDate }
        guard entries.count >= capacity else { return }
        let order = entries.values.map(\.change).sorted()
        // At least one entry is removed.
        let limit = order[capacity / 4]
        entries = entries.filter { $0.value.change > limit }
    }
}

extension HSTSHosts {
    /// Returns the hosts that are written to a file that other processes have changed too.
    /// - Parameters:
    ///   - file: The entries that the file has now.
    ///   - changes: The changes of this process since it last read or wrote the file.
    func merged(
        with file: [TextKey: Entry],
        _ changes: FileChanges<TextKey, Entry>,
        at now: Date
    ) -> HSTSHosts {
        var result = self
        result.entries = [:]
        var merged = changes.applied(to: file)
        for (name, entry) in merged {
            // A renewal that alone was no reason to write the file.
            if let own = entries[name], own.isRenewal(of: entry) { merged[name] = own }
        }
        // The entries of this process come last, in their order. So if there are too many, they stay longer.
        let order = merged.sorted { ($0.value.change, $0.key.text) < ($1.value.change, $1.key.text) }
        for (name, entry) in order where now < entry.expirationDate {
            result.insert(entry, for: name.text, at: now)
        }
        result.noteSaved(result.entries)
        return result
    }

    /// Replaces the hosts by those that were written to a file. Later changes of this process remain.
    /// - Parameters:
    ///   - written: The hosts that were written.
    ///   - snapshot: The hosts of this process from which they were made.
    ///   - later: The changes of this process since the snapshot. It may have removed hosts that only the file had.
    mutating func adopt(
        _ written: HSTSHosts,
        madeFrom snapshot: HSTSHosts,
        _ later: FileChanges<TextKey, Entry>,
        at now: Date
    ) {
        var result = written
        let rest = later.applied(to: written.entries)
        result.entries = written.entries.filter { rest[$0.key] != nil }
        for name in snapshot.entries.keys where entries[name] == nil {
            result.entries.removeValue(forKey: name)
        }
        for (name, entry) in entries.sorted(by: { $0.value.change < $1.value.change })
        where entry.change > snapshot.changes {
            result.insert(entry, for: name.text, at: now)
        }
        self = result
    }
}

extension HSTSHosts.Entry {
    /// Whether the entry differs from an entry of the file only because it was renewed after it was saved.
    fileprivate func isRenewal(of file: HSTSHosts.Entry) -> Bool {
        // The file has whole seconds.
        guard let savedDate, includesSubdomains == file.includesSubdomains else { return false }
        return abs(savedDate.timeIntervalSince(file.expirationDate)) < 1
    }
}

/// The names of hosts as HSTS compares them.
enum HSTSName {
    /// Returns a host name in ASCII, in lower case and without a dot at its end (RFC 6797, section 10). Returns nil for
    /// addresses, to which HSTS does not apply (section 8.1.1), and for texts that are not host names.
    static func canonical(_ host: String) -> String? {
        canonical(try? CanonicalHost(named: host))
    }

    /// Returns the name of a host in this form. Returns nil for an address, and if there is no host.
    static func canonical(_ host: CanonicalHost?) -> String? { host?.address == nil ? host?.name : nil }
}

extension URL {
    /// The URL with https in place of http, as HSTS requires (RFC 6797, section 8.3). The port 80 becomes 443, and any
    /// other port remains the same. Nil if the scheme is not http.
    var secured: URL? {
        let text = absoluteString
        guard let scheme, scheme.hasSameLetters(as: "http"), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        var rest = text[colon...]
        if let port = Self.port(in: rest), Int(rest[port]) == 80 { rest.replaceSubrange(port, with: "443") }
        return URL(string: "https" + rest, encodingInvalidCharacters: false)
    }

    /// Returns the range of the port in the text that follows a scheme; nil if there is no port.
    private static func port(in text: Substring) -> Range<String.Index>? {
        guard text.utf8.starts(with: "://".utf8) else { return nil }
        let authority = text.utf8.dropFirst(3).prefix { !"/?#".utf8.contains($0) }
        let start =
            authority.lastIndex(of: UInt8(ascii: "@")).map { authority.index(after: $0) } ?? authority.startIndex
        let afterAddress = authority[start...].lastIndex(of: UInt8(ascii: "]")) ?? start
        guard let colon = authority[afterAddress...].lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let port = authority.index(after: colon)..<authority.endIndex
        return authority[port].isEmpty ? nil : port
    }
}
#endif
