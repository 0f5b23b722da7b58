#if canImport(FoundationNetworking)

/// What the `Content-Length` fields of a message say together.
struct ContentLength {
    let value: Int64?
    let isContradictory: Bool
    /// The field's value for the reader: one number where the same one was sent several times (RFC 9110, section 8.6).
    let text: String

    /// Reads the value of the field, or the values of several joined by commas.
    init(_ list: String) {
        guard list.utf8.contains(UInt8(ascii: ",")) else {
            value = Self.number(list[...])
            isContradictory = false
            text = list
            return
        }
        let numbers = list.split(separator: ",", omittingEmptySubsequences: false).map(Self.number)
        if let first = numbers.first, let number = first, numbers.allSatisfy({ $0 == number }) {
            value = number
            isContradictory = false
            text = String(number)
        } else {
            value = nil
            isContradictory = true
            text = list
        }
    }

    private static func number(_ text: Substring) -> Int64? {
        let digits = text.drop { $0 == " " || $0 == "\t" }.utf8
        var value: Int64?
        var hasEnded = false
        for byte in digits {
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
