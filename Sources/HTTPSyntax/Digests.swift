package import Foundation

/// An algorithm of Digest authentication (RFC 7616, section 3.3).
package enum DigestAlgorithm: String, CaseIterable {
    case md5 = "MD5"
    case md5Session = "MD5-sess"
    case sha256 = "SHA-256"
    case sha256Session = "SHA-256-sess"

    package init?(ignoringCase name: String) {
        guard let algorithm = Self.allCases.first(where: { $0.rawValue.hasSameLetters(as: name) }) else {
            return nil
        }
        self = algorithm
    }

    package var isSession: Bool {
        self == .md5Session || self == .sha256Session
    }

    /// Returns the hash of data in hexadecimal digits. RFC 7616 calls this function H.
    package func hash(_ data: Data) -> String {
        switch self {
        case .md5, .md5Session: MD5.hash(data).hexadecimal
        case .sha256, .sha256Session: SHA256.hash(data).hexadecimal
        }
    }

    /// Returns the hash of the octets of texts, with colons between them.
    package func hash(_ parts: String...) -> String {
        hash(Data(parts.joined(separator: ":").octets))
    }
}

/// The hash function MD5 (RFC 1321), for Digest authentication only. It is not secure for other uses.
///
/// MD5 and SHA-1 are written by hand, for the same reason as ``SHA256``.
package enum MD5 {
    package static func hash(_ message: Data) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        for block in MessageBlocks(message, lengthOrder: .littleEndian) {
            compress(&state, block.map(UInt32.init(littleEndian:)))
        }
        return state.flatMap { word in withUnsafeBytes(of: word.littleEndian, Array.init) }
    }

    private static func compress(_ state: inout [UInt32], _ words: [UInt32]) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for round in 0..<64 {
            let (mixed, word): (UInt32, Int)
            switch round / 16 {
            case 0: (mixed, word) = ((b & c) | (~b & d), round)
            case 1: (mixed, word) = ((d & b) | (~d & c), (5 * round + 1) % 16)
            case 2: (mixed, word) = (b ^ c ^ d, (3 * round + 5) % 16)
            default: (mixed, word) = (c ^ (b | ~d), (7 * round) % 16)
            }
            let sum = a &+ mixed &+ sines[round] &+ words[word]
            (a, d, c, b) = (d, c, b, b &+ sum.rotatedLeft(by: shifts[round / 16][round % 4]))
        }
        for (index, value) in [a, b, c, d].enumerated() { state[index] &+= value }
    }

    private static let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
    private static let sines = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
}

/// The hash function SHA-1 (FIPS 180-4), for the opening handshake of WebSocket only (RFC 6455, section 4.2.2). It is
/// not secure for other uses.
package enum SHA1 {
    package static func hash(_ message: Data) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        for block in MessageBlocks(message, lengthOrder: .bigEndian) {
            compress(&state, block.map(UInt32.init(bigEndian:)))
        }
        return state.flatMap { word in withUnsafeBytes(of: word.bigEndian, Array.init) }
    }

    private static func compress(_ state: inout [UInt32], _ block: [UInt32]) {
        var words = block
        for index in 16..<80 {
            let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
            words.append(mixed.rotatedLeft(by: 1))
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for round in 0..<80 {
            let (mixed, constant): (UInt32, UInt32)
            switch round / 20 {
            case 0: (mixed, constant) = ((b & c) | (~b & d), 0x5A82_7999)
            case 1: (mixed, constant) = (b ^ c ^ d, 0x6ED9_EBA1)
            case 2: (mixed, constant) = ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
            default: (mixed, constant) = (b ^ c ^ d, 0xCA62_C1D6)
            }
            let sum = a.rotatedLeft(by: 5) &+ mixed &+ e &+ constant &+ words[round]
            (a, b, c, d, e) = (sum, a, b.rotatedLeft(by: 30), c, d)
        }
        for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
    }
}

extension UInt32 {
    fileprivate func rotatedLeft(by count: UInt32) -> UInt32 {
        self << count | self >> (32 - count)
    }
}

/// The blocks of 512 bits into which MD5 and SHA-1 divide a message, after padding it and adding its length.
///
/// The four bytes of a word are in the same order as in the message. The hash function converts the word to the byte
/// order that it needs.
struct MessageBlocks: Sequence {
    enum LengthOrder {
        case littleEndian, bigEndian
    }

    private static let size = 64
    private let padded: Data

    init(_ message: Data, lengthOrder: LengthOrder) {
        var padded = message
        padded.append(0x80)
        padded.append(Data(count: (Self.size + 56 - padded.count % Self.size) % Self.size))
        let bitCount = UInt64(message.count) &* 8
        withUnsafeBytes(of: lengthOrder == .bigEndian ? bitCount.bigEndian : bitCount.littleEndian) { length in
            padded.append(contentsOf: length)
        }
        self.padded = padded
    }

    func makeIterator() -> AnyIterator<[UInt32]> {
        var rest = padded[...]
        return AnyIterator {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(Self.size) }
            return rest.prefix(Self.size).withUnsafeBytes { block in
                (0..<16).map { block.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
            }
        }
    }
}
