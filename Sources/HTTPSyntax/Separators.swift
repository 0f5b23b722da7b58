/// The search for ASCII separators in text.
///
/// In Swift, an accent or another scalar that joins makes one `Character` with the separator next to it, and a search
/// for the separator as a `Character` would miss it. So these methods compare bytes.
extension StringProtocol {
    /// Returns the parts of the text between the separators.
    /// - Parameters:
    ///   - separator: The separator, in ASCII.
    ///   - maxSplits: The maximum number of separators that divide the text. Default: no maximum.
    ///   - omittingEmptyParts: Whether empty parts are left out. Default: true.
    @inlinable package func parts(
        separatedBy separator: Unicode.Scalar,
        maxSplits: Int = .max,
        omittingEmptyParts: Bool = true
    ) -> [SubSequence] {
        utf8.split(
            separator: UInt8(ascii: separator),
            maxSplits: maxSplits,
            omittingEmptySubsequences: omittingEmptyParts
        ).map { self[$0.startIndex..<$0.endIndex] }
    }

    /// Returns the text before and after the first separator; nil if there is none.
    /// - Parameter separator: The separator, in ASCII.
    @inlinable package func cut(at separator: Unicode.Scalar) -> (before: SubSequence, after: SubSequence)? {
        guard let index = utf8.firstIndex(of: UInt8(ascii: separator)) else { return nil }
        return (self[..<index], self[utf8.index(after: index)...])
    }

    /// Returns the text before the first separator; the whole text if there is none.
    /// - Parameter separator: The separator, in ASCII.
    @inlinable package func before(_ separator: Unicode.Scalar) -> SubSequence {
        self[..<(utf8.firstIndex(of: UInt8(ascii: separator)) ?? endIndex)]
    }

    /// Whether the text begins with the bytes of another text.
    @inlinable package func begins(with text: some StringProtocol) -> Bool { utf8.starts(with: text.utf8) }

    /// Whether the text ends with the bytes of another text.
    @inlinable package func ends(with text: some StringProtocol) -> Bool {
        let start = utf8.count - text.utf8.count
        return start >= 0 && utf8.dropFirst(start).elementsEqual(text.utf8)
    }

    /// Whether the bytes of another text occur in the text.
    @inlinable package func holds(_ text: some StringProtocol) -> Bool { utf8.firstRange(of: text.utf8) != nil }
}
