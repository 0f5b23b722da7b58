/// A validator of UTF-8 that arrives in chunks. It finds the first byte that makes the text invalid (RFC 3629, section
/// 4).
///
/// The validator is written by hand, because the standard library validates only whole texts.
package struct UTF8Validator: Sendable {
    /// The number of missing bytes of the last character.
    private var missing = 0
    /// The values that are allowed for the next byte of an incomplete character.
    private var allowed: ClosedRange<UInt8> = 0x80...0xBF

    package init() {}

    /// Whether the last character is complete.
    package var isComplete: Bool { missing == 0 }

    /// Takes the next bytes. Returns the position of the first invalid byte; nil if all are valid.
    ///
    /// After an invalid byte the validator must not be used.
    package mutating func take(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                index = Self.endOfASCII(in: bytes, from: index)
                if index == bytes.count { return nil }
                guard begin(bytes[index]) else { return index }
            } else {
                guard allowed.contains(bytes[index]) else { return index }
                allowed = 0x80...0xBF
                missing -= 1
            }
            index += 1
        }
        return nil
    }

    /// Takes the first byte of a character outside ASCII. Returns false if no character begins with it.
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: (missing, allowed) = (1, 0x80...0xBF)
        // With a second byte below 0xA0, the character would have a shorter form.
        case 0xE0: (missing, allowed) = (2, 0xA0...0xBF)
        // A second byte above 0x9F would make a surrogate.
        case 0xED: (missing, allowed) = (2, 0x80...0x9F)
        case 0xE1...0xEF: (missing, allowed) = (2, 0x80...0xBF)
        case 0xF0: (missing, allowed) = (3, 0x90...0xBF)
        case 0xF1...0xF3: (missing, allowed) = (3, 0x80...0xBF)
        // U+10FFFF is the last character.
        case 0xF4: (missing, allowed) = (3, 0x80...0x8F)
        default: return false
        }
        return true
    }

    /// Returns the position of the first byte outside ASCII.
    private static func endOfASCII(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while bytes.count - index >= 8 {
            if bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 { break }
            index += 8
        }
        while index < bytes.count, bytes[index] < 0x80 { index += 1 }
        return index
    }
}
