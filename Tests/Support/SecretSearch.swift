import Foundation

/// The search for a secret in everything that a call leaves.
package enum SecretSearch {
    /// Whether a text has a word, also percent-encoded or in base64.
    package static func isFound(_ word: String, in text: String) -> Bool {
        var text = text
        // The characters of base64 that depend on the word alone, at each of its three places in a group.
        let encoded = [(0, 0), (1, 2), (2, 3)].map { offset, first in
            let text = Data((String(repeating: "x", count: offset) + word).utf8).base64EncodedString()
            return text.dropFirst(first).prefix(8 * (offset + word.utf8.count) / 6 - first)
        }
        // Each turn takes away an encoding.
        for _ in 0..<8 {
            if text.contains(word) || encoded.contains(where: text.contains) { return true }
            let decoded = text.percentDecodedOnce
            if decoded == text { return false }
            text = decoded
        }
        return false
    }
}

extension String {
    /// The text with its percent escapes decoded, as far as they are ASCII.
    fileprivate var percentDecodedOnce: String {
        replacing(/%([2-7][0-9A-Fa-f])/) { match in
            String(UnicodeScalar(UInt8(match.output.1, radix: 16) ?? 0))
        }
    }
}
