#if canImport(FoundationNetworking)

/// Questions about single bytes that run for every request; kept in this module so that they are compiled into their
/// callers.
extension UInt8 {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")

    var isBlank: Bool { self == .space || self == .tab }

    var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// A letter without regard to its case; other bytes may not be compared after this.
    var asLowercase: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }

    /// Whether the byte may stand in a token (RFC 9110, section 5.6.2).
    var isToken: Bool {
        self < 64
            ? Self.tokensBelow64 >> UInt64(self) & 1 == 1
            : self < 128 && Self.tokensFrom64 >> UInt64(self &- 64) & 1 == 1
    }

    /// The bytes 33, 35...39, 42, 43, 45, 46 and the digits.
    private static var tokensBelow64: UInt64 { 0x03FF_6CFA_0000_0000 }
    /// The letters and the bytes 94, 95, 96, 124 and 126.
    private static var tokensFrom64: UInt64 { 0x57FF_FFFF_C7FF_FFFE }
}

extension StringProtocol {
    /// Compares ASCII letters without regard to their case, and everything else as it is.
    func hasSameLetters(as other: some StringProtocol) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).allSatisfy { $0 == $1 || $0.asLowercase == $1.asLowercase }
    }

    var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isToken) }

    /// Whether a byte in the text would end the line it is written to.
    var breaksLine: Bool {
        utf8.contains { $0 == .carriageReturn || $0 == .lineFeed || $0 == 0 }
    }
}

#endif
