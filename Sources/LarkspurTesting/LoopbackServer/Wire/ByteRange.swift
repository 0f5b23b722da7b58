internal import HTTPSyntax

/// A `Range` field with a single range of bytes.
///
/// Other values are ignored. A server may ignore values that it does not support. This server never sends several
/// ranges.
struct ByteRange: Equatable {
    private enum Spec: Equatable {
        case from(Int, through: Int?)
        case last(Int)
    }

    private let spec: Spec

    init?(_ field: String) {
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].trimmingBlanks.hasSameLetters(as: "bytes") else { return nil }
        let ends = parts[1].trimmingBlanks.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard ends.count == 2, ends.joined().utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        switch (Int(ends[0]), Int(ends[1])) {
        case (let first?, let last?) where first <= last: spec = .from(first, through: last)
        case (let first?, nil) where ends[1].isEmpty: spec = .from(first, through: nil)
        case (nil, let count?) where ends[0].isEmpty: spec = .last(count)
        default: return nil
        }
    }

    /// Returns the bounds within a representation of a length; nil if the representation has none of these bytes.
    func bounds(in length: Int) -> Range<Int>? {
        switch spec {
        case .from(let first, let last):
            first < length ? first..<(min(last ?? length, length - 1) + 1) : nil
        case .last(let count):
            count > 0 && length > 0 ? max(length - count, 0)..<length : nil
        }
    }
}
