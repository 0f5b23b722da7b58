/// The value of a `Content-Range` field for bytes (RFC 9110, section 14.4).
package enum ContentRange: Equatable, Sendable {
    /// The content has the bytes from `first` through `last` of a representation. `total` is the length of the whole
    /// representation in bytes; nil if the server does not know it.
    case part(first: Int64, last: Int64, total: Int64?)
    /// The requested range is outside of the representation.
    case unsatisfied(total: Int64)

    /// Parses a value. Returns nil if the value is malformed or inconsistent, or if its unit is not `bytes`.
    package init?(_ field: String) {
        let bytes = Array(field.utf8)
        guard let blank = bytes.firstIndex(of: .space), let slash = bytes.lastIndex(of: UInt8(ascii: "/")),
            blank < slash,
            String(decoding: bytes[..<blank], as: UTF8.self).hasSameLetters(as: "bytes")
        else { return nil }
        let range = bytes[(blank + 1)..<slash]
        let length = bytes[(slash + 1)...]
        let total = Self.number(length)
        if range.elementsEqual("*".utf8) {
            guard let total else { return nil }
            self = .unsatisfied(total: total)
            return
        }
        guard total != nil || length.elementsEqual("*".utf8), let dash = range.firstIndex(of: UInt8(ascii: "-")),
            let first = Self.number(range[..<dash]), let last = Self.number(range[(dash + 1)...]), first <= last,
            last < total ?? .max
        else { return nil }
        self = .part(first: first, last: last, total: total)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
