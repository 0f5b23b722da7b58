/// A field's name as a key: names that differ only in the case of ASCII letters are equal (RFC 9110, section 5.1).
package struct CaselessName: Hashable, Sendable {
    /// The name as it is spelled in the source.
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: Self, right: Self) -> Bool { left.text.hasSameLetters(as: right.text) }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte.asLowercase) }
    }
}
