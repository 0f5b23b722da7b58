#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The combined meaning of the `Content-Length` fields of a message (RFC 9110, section 8.6).
enum ContentLength: Equatable, Sendable {
    /// One valid number, possibly repeated.
    case bytes(Int64)
    /// Several different values.
    case contradictory
    /// A value with other characters than digits, or a number that is too large.
    case malformed

    /// Reads the value of a field, or the values of several fields joined by commas.
    init(_ list: String) {
        let values = list.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        var number: Int64?
        for value in values {
            guard let next = Self.number(value), number == nil || number == next else {
                self = values.count > 1 ? .contradictory : .malformed
                return
            }
            number = next
        }
        self = number.map(Self.bytes) ?? .malformed
    }

    /// The number of bytes; nil if the fields do not determine it.
    var value: Int64? {
        if case .bytes(let value) = self { value } else { nil }
    }

    private static func number(_ text: Substring.UTF8View) -> Int64? {
        var value: Int64?
        var hasEnded = false
        for byte in text.drop(while: \.isBlank) {
            if byte.isBlank {
                hasEnded = true
                continue
            }
            guard byte.isDigit, !hasEnded else { return nil }
            let (tens, overflows) = (value ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = tens.addingReportingOverflow(Int64(byte &- UInt8(ascii: "0")))
            guard !overflows, !overflowsToo else { return nil }
            value = sum
        }
        return value
    }
}
#endif
