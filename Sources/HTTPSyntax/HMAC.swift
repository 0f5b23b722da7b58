package import Foundation

/// The message authentication code HMAC with SHA-256 (RFC 2104 and FIPS 198-1), for a message that arrives in parts.
package struct HMACSHA256: Sendable {
    /// The number of bytes of a block of SHA-256.
    private static let blockSize = 64

    private var inner = SHA256()
    private var outer = SHA256()

    /// - Parameter key: The key, of any length.
    package init(key: some Collection<UInt8>) {
        // A key that is longer than a block is replaced by its hash.
        var block = key.count > Self.blockSize ? SHA256.hash(Data(key)) : Array(key)
        block += [UInt8](repeating: 0, count: Self.blockSize - block.count)
        block.map { $0 ^ 0x36 }.withUnsafeBytes { inner.update($0) }
        block.map { $0 ^ 0x5C }.withUnsafeBytes { outer.update($0) }
    }

    /// Adds the next part of the message.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) { inner.update(bytes) }

    /// Returns the code of the parts so far.
    package func finished() -> [UInt8] {
        var outer = outer
        inner.finished().withUnsafeBytes { outer.update($0) }
        return outer.finished()
    }

    /// Returns the code of a message.
    /// - Parameter key: The key, of any length.
    package static func code(of message: Data, key: some Collection<UInt8>) -> [UInt8] {
        var code = HMACSHA256(key: key)
        message.withUnsafeBytes { code.update($0) }
        return code.finished()
    }
}

extension Collection<UInt8> {
    /// Returns whether the bytes are equal to other bytes. All bytes are compared, so that the time does not tell how
    /// many of them are right. The number of bytes is no secret.
    package func isEqualInConstantTime(to other: some Collection<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for (own, octet) in zip(self, other) { difference |= own ^ octet }
        return difference == 0
    }
}
