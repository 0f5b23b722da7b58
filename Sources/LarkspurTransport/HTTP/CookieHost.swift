#if canImport(FoundationNetworking)

/// A host name in lower case, as cookies compare it (RFC 6265, section 5.1.3).
struct CookieHost: Equatable {
    let name: String

    init(_ name: String) {
        self.name = name.lowercased()
    }

    var isAddress: Bool {
        if name.utf8.contains(UInt8(ascii: ":")) { return true }
        guard let last = name.utf8.split(separator: UInt8(ascii: ".")).last else { return false }
        return last.allSatisfy(\.isDigit)
    }

    /// Whether the host is the domain, or lies within it.
    func isWithin(_ domain: some StringProtocol) -> Bool {
        let host = name.utf8
        let domain = domain.utf8
        if host.elementsEqual(domain) { return true }
        guard host.count > domain.count, !domain.isEmpty, !isAddress else { return false }
        return host.suffix(domain.count).elementsEqual(domain)
            && host.dropLast(domain.count).last == UInt8(ascii: ".")
    }

    /// Whether strangers have names under this one, so that no cookie may be shared within it. There is no list of such names at hand: a single label is
    /// one, and so are a country's two letters after a label that registries use for all of theirs.
    var isPublicSuffix: Bool {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        if labels.count < 2 { return true }
        return labels.count == 2 && labels[1].utf8.count == 2 && Self.registryLabels.contains(String(labels[0]))
    }

    /// The part of the name that one owner has: the public suffix and one label before it.
    var site: String {
        guard !isAddress else { return name }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let suffix = CookieHost(labels.suffix(2).joined(separator: "."))
        return labels.suffix(suffix.isPublicSuffix ? 3 : 2).joined(separator: ".")
    }

    private static let registryLabels: Set<String> = [
        "ac", "co", "com", "edu", "go", "gob", "gov", "gouv", "ltd", "mil", "ne", "net", "nom", "or", "org", "plc",
        "sch",
    ]
}

#endif
