package import Foundation

/// A host in its canonical form, in which hosts are compared, looked up, and written into requests.
///
/// The host is read by the rules of the URL standard (section 3.5): its percent-escapes are decoded once, an
/// international name is mapped to ASCII, and a name whose last label is a number is an IPv4 address. There are two
/// differences. A name consists of letters, digits and `-._~`, because libcurl and most servers accept no other
/// characters. The DNS limits the lengths of names and labels, and allows no empty labels (RFC 1035, section 2.3.4). A
/// text that has no canonical form is not a host, and nothing may be sent to it.
package struct CanonicalHost: Hashable, Sendable {
    /// The name in lower case without the dot of the DNS root, or the address, without brackets and zone.
    ///
    /// The DNS, TLS, HSTS, proxies and pins compare names in this form.
    package let name: String
    /// The address; nil for a name.
    package let address: IPAddress?
    /// The zone of an IPv6 address (RFC 6874): a network interface of this machine. Nil without one.
    package let zone: String?
    /// Whether the name ends with the dot of the DNS root. Servers and cookies distinguish such a name from the name
    /// without the dot.
    package let isRooted: Bool

    /// Reads the host of a URL. An IPv6 address has brackets.
    package init(inURL host: some StringProtocol) throws(Defect) {
        let text = String(host)
        if text.utf8.first == UInt8(ascii: "[") {
            guard text.ends(with: "]") else { throw .malformedIPv6 }
            try self.init(sixthVersion: Substring(text.utf8.dropFirst().dropLast()))
        } else {
            try self.init(decoded: text.percentDecodedBytes())
        }
    }

    /// Reads a host that does not come from a URL, such as the host of a setting. An IPv6 address may have brackets.
    /// There are no percent-escapes.
    package init(named host: some StringProtocol) throws(Defect) {
        if host.utf8.contains(UInt8(ascii: ":")) {
            let text = Substring(String(host))
            let isBracketed = text.begins(with: "[") && text.ends(with: "]")
            try self.init(sixthVersion: isBracketed ? Substring(text.utf8.dropFirst().dropLast()) : text)
        } else {
            try self.init(decoded: Array(host.utf8))
        }
    }

    /// Reads the host of an absolute URL.
    package init(of url: URL) throws(Defect) {
        guard let authority = URLReference.authority(of: url.absoluteString) else { throw .empty }
        try self.init(inURL: authority.host)
    }

    private init(decoded bytes: [UInt8]) throws(Defect) {
        guard bytes.allSatisfy({ $0 >= 0x80 || Self.isAllowed($0) }) else { throw .forbiddenCharacter }
        try self.init(ascii: bytes.allSatisfy { $0 < 0x80 } ? bytes : Self.ascii(bytes))
    }

    private init(ascii bytes: [UInt8]) throws(Defect) {
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.allSatisfy(Self.isAllowed) else { throw .forbiddenCharacter }
        let isRooted = bytes.last == UInt8(ascii: ".")
        let lowercased = (isRooted ? bytes.dropLast() : bytes[...]).map(\.asLowercase)
        let labels = lowercased.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty }), let last = labels.last else { throw .emptyLabel }
        guard lowercased.count <= 253, labels.allSatisfy({ $0.count <= 63 }) else { throw .tooLong }
        let name = String(decoding: lowercased, as: UTF8.self)
        zone = nil
        guard IPAddress.isNumber(last) else {
            (self.name, address, self.isRooted) = (name, nil, isRooted)
            return
        }
        guard let address = IPAddress(numbersOf: name) else { throw .malformedIPv4 }
        (self.name, self.address, self.isRooted) = (address.text, address, false)
    }

    private init(sixthVersion text: Substring) throws(Defect) {
        let parts = text.parts(separatedBy: "%", maxSplits: 1, omittingEmptyParts: false)
        guard let first = parts.first, first.utf8.contains(UInt8(ascii: ":")), let address = IPAddress(String(first))
        else { throw .malformedIPv6 }
        (name, self.address, isRooted) = (address.text, address, false)
        guard parts.count == 2 else {
            zone = nil
            return
        }
        // In a URL, the percent sign before the zone is escaped. Many programs omit the escape.
        let zone =
            parts[1].begins(with: "25") && parts[1].utf8.count > 2
            ? String(Substring(parts[1].utf8.dropFirst(2))) : String(parts[1])
        // The name of an interface has at most 15 bytes.
        guard (1...15).contains(zone.utf8.count), zone.utf8.allSatisfy(Self.isAllowed) else { throw .malformedIPv6 }
        self.zone = zone
    }

    /// Whether a name may have the byte. The underscore is not allowed in host names (RFC 1123, section 2.1), but there
    /// are hosts whose names have one.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte)
    }

    /// Maps an international name to ASCII (UTS 46), as Foundation does for a URL.
    private static func ascii(_ bytes: [UInt8]) throws(Defect) -> [UInt8] {
        // The mapping can result in delimiters and escapes. The text of the URL contains all of them, but its host does
        // not. So the text is read.
        guard let name = String(validating: bytes, as: UTF8.self), let url = URL(string: "http://\(name)/") else {
            throw .noASCIIForm
        }
        let mapped = Array(url.absoluteString.utf8.dropFirst("http://".utf8.count).dropLast())
        guard mapped.allSatisfy({ $0 < 0x80 }) else { throw .noASCIIForm }
        return mapped
    }
}

extension CanonicalHost {
    /// The host as it is written into a `Host` field: an IPv6 address in brackets and without its zone, which has no
    /// meaning for other machines (RFC 6874, section 4).
    package var fieldText: String {
        address?.bytes.count == 16 ? "[\(name)]" : plainText
    }

    /// The host as it is written into a URL.
    package var urlText: String { zone.map { "[\(name)%25\($0)]" } ?? fieldText }

    /// The host without brackets, but with its zone or the dot at its end. It identifies a server.
    package var plainText: String { name + (zone.map { "%" + $0 } ?? "") + (isRooted ? "." : "") }

    /// The reason why a text is not a host.
    package enum Defect: Error, Equatable, Sendable {
        case empty, forbiddenCharacter, emptyLabel, tooLong, malformedIPv4, malformedIPv6, noASCIIForm

        /// The reason as a clause that follows "the host".
        package var clause: String {
            switch self {
            case .empty: "is missing"
            case .forbiddenCharacter: "has a character other than letters, digits, “-”, “.”, “_” and “~”"
            case .emptyLabel: "has a dot too many"
            case .tooLong: "is longer than 253 bytes, or has more than 63 between two dots"
            case .malformedIPv4: "ends in a number, but is no IPv4 address"
            case .malformedIPv6: "is no IPv6 address"
            case .noASCIIForm: "is no name that can be written in ASCII (IDNA)"
            }
        }
    }
}
