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

    package func hash(_ parts: String...) -> String {
        hash(Data(parts.joined(separator: ":").utf8))
    }
}

/// The hash function MD5 (RFC 1321), for Digest authentication only. It is not secure for other uses.
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

/// The hash function SHA-256 (FIPS 180-4).
package enum SHA256 {
    package static func hash(_ message: Data) -> [UInt8] {
        var state: [UInt32] = [
            0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
        ]
        for block in MessageBlocks(message, lengthOrder: .bigEndian) {
            compress(&state, block.map(UInt32.init(bigEndian:)))
        }
        return state.flatMap { word in withUnsafeBytes(of: word.bigEndian, Array.init) }
    }

    private static func compress(_ state: inout [UInt32], _ block: [UInt32]) {
        var words = block
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let sigma0 = early.rotated(7) ^ early.rotated(18) ^ (early >> 3)
            let sigma1 = late.rotated(17) ^ late.rotated(19) ^ (late >> 10)
            words.append(words[index - 16] &+ sigma0 &+ words[index - 7] &+ sigma1)
        }
        var v = state
        for round in 0..<64 {
            let sum1 = v[4].rotated(6) ^ v[4].rotated(11) ^ v[4].rotated(25)
            let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
            let first = v[7] &+ sum1 &+ choice &+ constants[round] &+ words[round]
            let sum0 = v[0].rotated(2) ^ v[0].rotated(13) ^ v[0].rotated(22)
            let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
            let second = sum0 &+ majority
            v = [first &+ second, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
        }
        for index in 0..<8 { state[index] &+= v[index] }
    }

    private static let constants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]
}

extension UInt32 {
    fileprivate func rotated(_ count: UInt32) -> UInt32 {
        self >> count | self << (32 - count)
    }
}

/// The blocks of 512 bits into which MD5, SHA-1 and SHA-256 divide a message, after padding it and adding its length.
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
