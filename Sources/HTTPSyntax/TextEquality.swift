import Foundation

// The equality of text.
//
// By default, Swift compares text by Unicode's canonical equivalence: "é" in one scalar is equal to "e" with an accent,
// and the Kelvin sign (U+212A) is equal to "K". But servers, files and libcurl compare bytes. So in files that import
// this module, `==`, `!=` and the patterns of `switch` compare the bytes of UTF-8, also in the `==` that the compiler
// writes for a type. A text that is hashed is a `TextKey`. `Tests/Layers/strings.py` finds other comparisons in the
// compiled code.

extension StringProtocol {
    /// Whether the texts have the same bytes in UTF-8.
    package func hasSameBytes(as other: some StringProtocol) -> Bool {
        let isEqual = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { bytes.hasSameBytes(as: $0) }
        }
        return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    package static func == (left: Self, right: some StringProtocol) -> Bool { left.hasSameBytes(as: right) }

    package static func != (left: Self, right: some StringProtocol) -> Bool { !left.hasSameBytes(as: right) }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func hasSameBytes(as other: Self) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }
}

extension String {
    package func hasSameBytes(as other: String) -> Bool {
        if isSameInstance(as: other) { return true }
        guard utf8.count == other.utf8.count else { return false }
        let isEqual = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { bytes.hasSameBytes(as: $0) }
        }
        return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether it is certain that the texts have the same bytes: both store the same bytes in place, or they share
    /// their storage. Most comparisons of short texts end here.
    private func isSameInstance(as other: String) -> Bool {
        guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else { return false }
        return unsafeBitCast(self, to: (UInt64, UInt64).self) == unsafeBitCast(other, to: (UInt64, UInt64).self)
    }

    package static func == (left: String, right: String) -> Bool { left.hasSameBytes(as: right) }

    package static func != (left: String, right: String) -> Bool { !left.hasSameBytes(as: right) }

    package static func ~= (pattern: String, value: String) -> Bool { value.hasSameBytes(as: pattern) }
}

extension Substring {
    package static func == (left: Substring, right: Substring) -> Bool { left.hasSameBytes(as: right) }

    package static func != (left: Substring, right: Substring) -> Bool { !left.hasSameBytes(as: right) }

    package static func ~= (pattern: Substring, value: Substring) -> Bool { value.hasSameBytes(as: pattern) }
}

extension String? {
    package static func == (left: String?, right: String?) -> Bool {
        switch (left, right) {
        case (let left?, let right?): left.hasSameBytes(as: right)
        case (nil, nil): true
        default: false
        }
    }

    package static func != (left: String?, right: String?) -> Bool { !(left == right) }

    package static func ~= (pattern: String?, value: String?) -> Bool { pattern == value }

    package static func == (left: String?, right: String) -> Bool { left.map { $0.hasSameBytes(as: right) } ?? false }

    package static func != (left: String?, right: String) -> Bool { !(left == right) }

    package static func == (left: String, right: String?) -> Bool { right.map { $0.hasSameBytes(as: left) } ?? false }

    package static func != (left: String, right: String?) -> Bool { !(left == right) }
}

extension Substring? {
    package static func == (left: Substring?, right: Substring?) -> Bool {
        switch (left, right) {
        case (let left?, let right?): left.hasSameBytes(as: right)
        case (nil, nil): true
        default: false
        }
    }

    package static func != (left: Substring?, right: Substring?) -> Bool { !(left == right) }
}

extension [String] {
    package static func == (left: [String], right: [String]) -> Bool { left.elementsEqual(right, by: ==) }

    package static func != (left: [String], right: [String]) -> Bool { !(left == right) }

    /// Whether the array has a text with the same bytes.
    package func contains(_ text: String) -> Bool { contains { $0.hasSameBytes(as: text) } }

    /// Returns the position of the first text with the same bytes; nil if there is none.
    package func firstIndex(of text: String) -> Int? { firstIndex { $0.hasSameBytes(as: text) } }
}

extension [String: String] {
    /// Whether the dictionaries have the same bytes as keys and values.
    package static func == (left: [String: String], right: [String: String]) -> Bool {
        left.count == right.count
            && left.allSatisfy { key, value in
                guard let index = right.index(forKey: key) else { return false }
                return right[index].key.hasSameBytes(as: key) && right[index].value.hasSameBytes(as: value)
            }
    }

    package static func != (left: [String: String], right: [String: String]) -> Bool { !(left == right) }
}

extension [TextKey: String] {
    package static func == (left: [TextKey: String], right: [TextKey: String]) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0] == $1 }
    }

    package static func != (left: [TextKey: String], right: [TextKey: String]) -> Bool { !(left == right) }
}

/// Look-ups in dictionaries whose keys are `String` and not ``TextKey``, such as those of Foundation.
extension Dictionary where Key == String {
    /// The value of the key with the same bytes; nil if there is none.
    package subscript(key: String) -> Value? {
        guard let index = index(forKey: key), self[index].key.hasSameBytes(as: key) else { return nil }
        return self[index].value
    }

    package subscript(key: String, default value: @autoclosure () -> Value) -> Value { self[key] ?? value() }
}

/// A text as a key of a dictionary, or as a member of a set. Keys are equal if they have the same bytes in UTF-8.
package struct TextKey: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(_ text: Substring) { self.text = String(text) }

    package init(stringLiteral text: String) { self.text = text }

    package var description: String { text }

    package static func == (left: Self, right: Self) -> Bool { left.text.hasSameBytes(as: right.text) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}

/// The keys of a dictionary are passed as text.
extension Dictionary where Key == TextKey {
    package subscript(text: String) -> Value? {
        get { self[TextKey(text)] }
        set { self[TextKey(text)] = newValue }
        _modify { yield &self[TextKey(text)] }
    }

    package subscript(text: String, default value: @autoclosure () -> Value) -> Value {
        get { self[TextKey(text)] ?? value() }
        _modify { yield &self[TextKey(text), default: value()] }
    }

    @discardableResult
    package mutating func removeValue(forKey text: String) -> Value? { removeValue(forKey: TextKey(text)) }

    @discardableResult
    package mutating func updateValue(_ value: Value, forKey text: String) -> Value? {
        updateValue(value, forKey: TextKey(text))
    }
}

/// The members of a set are passed as text.
extension Set<TextKey> {
    package init(texts: some Sequence<String>) { self.init(texts.lazy.map { TextKey($0) }) }

    package func contains(_ text: String) -> Bool { contains(TextKey(text)) }

    @discardableResult
    package mutating func insert(_ text: String) -> Bool { insert(TextKey(text)).inserted }

    @discardableResult
    package mutating func remove(_ text: String) -> TextKey? { remove(TextKey(text)) }

    package mutating func formUnion(_ texts: some Sequence<String>) { formUnion(texts.lazy.map { TextKey($0) }) }
}
