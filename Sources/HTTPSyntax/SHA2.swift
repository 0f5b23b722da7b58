package import Foundation

/// The hash function SHA-256 (FIPS 180-4), for a message that arrives in parts.
///
/// The function is written by hand, because Foundation on Linux has no hash functions, and a libcurl may be without
/// OpenSSL.
package struct SHA256: Sendable {
    private var hash = SHA2<Variant>()

    package init() {}

    /// Adds the next part of the message.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bytes) }

    /// Returns the hash of the parts so far.
    package func finished() -> [UInt8] { hash.finished() }

    /// Returns the hash of a message.
    package static func hash(_ message: Data) -> [UInt8] {
        var hash = SHA256()
        message.withUnsafeBytes { hash.update($0) }
        return hash.finished()
    }

    private enum Variant: SHA2Variant {
        static let initial: [UInt32] = [
            0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
        ]

        @inline(__always) static func sum0(_ x: UInt32) -> UInt32 { x.rotated(2) ^ x.rotated(13) ^ x.rotated(22) }
        @inline(__always) static func sum1(_ x: UInt32) -> UInt32 { x.rotated(6) ^ x.rotated(11) ^ x.rotated(25) }
        @inline(__always) static func sigma0(_ x: UInt32) -> UInt32 { x.rotated(7) ^ x.rotated(18) ^ x &>> 3 }
        @inline(__always) static func sigma1(_ x: UInt32) -> UInt32 { x.rotated(17) ^ x.rotated(19) ^ x &>> 10 }

        static let constants: [UInt32] = [
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
}

/// The hash function SHA-512 (FIPS 180-4), for a message that arrives in parts.
package struct SHA512: Sendable {
    private var hash = SHA2<Variant>()

    package init() {}

    /// Adds the next part of the message.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bytes) }

    /// Returns the hash of the parts so far.
    package func finished() -> [UInt8] { hash.finished() }

    /// Returns the hash of a message.
    package static func hash(_ message: Data) -> [UInt8] {
        var hash = SHA512()
        message.withUnsafeBytes { hash.update($0) }
        return hash.finished()
    }

    private enum Variant: SHA2Variant {
        static let initial: [UInt64] = [
            0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1,
            0x510E_527F_ADE6_82D1, 0x9B05_688C_2B3E_6C1F, 0x1F83_D9AB_FB41_BD6B, 0x5BE0_CD19_137E_2179,
        ]

        @inline(__always) static func sum0(_ x: UInt64) -> UInt64 { x.rotated(28) ^ x.rotated(34) ^ x.rotated(39) }
        @inline(__always) static func sum1(_ x: UInt64) -> UInt64 { x.rotated(14) ^ x.rotated(18) ^ x.rotated(41) }
        @inline(__always) static func sigma0(_ x: UInt64) -> UInt64 { x.rotated(1) ^ x.rotated(8) ^ x &>> 7 }
        @inline(__always) static func sigma1(_ x: UInt64) -> UInt64 { x.rotated(19) ^ x.rotated(61) ^ x &>> 6 }

        static let constants: [UInt64] = [
            0x428A_2F98_D728_AE22, 0x7137_4491_23EF_65CD, 0xB5C0_FBCF_EC4D_3B2F, 0xE9B5_DBA5_8189_DBBC,
            0x3956_C25B_F348_B538, 0x59F1_11F1_B605_D019, 0x923F_82A4_AF19_4F9B, 0xAB1C_5ED5_DA6D_8118,
            0xD807_AA98_A303_0242, 0x1283_5B01_4570_6FBE, 0x2431_85BE_4EE4_B28C, 0x550C_7DC3_D5FF_B4E2,
            0x72BE_5D74_F27B_896F, 0x80DE_B1FE_3B16_96B1, 0x9BDC_06A7_25C7_1235, 0xC19B_F174_CF69_2694,
            0xE49B_69C1_9EF1_4AD2, 0xEFBE_4786_384F_25E3, 0x0FC1_9DC6_8B8C_D5B5, 0x240C_A1CC_77AC_9C65,
            0x2DE9_2C6F_592B_0275, 0x4A74_84AA_6EA6_E483, 0x5CB0_A9DC_BD41_FBD4, 0x76F9_88DA_8311_53B5,
            0x983E_5152_EE66_DFAB, 0xA831_C66D_2DB4_3210, 0xB003_27C8_98FB_213F, 0xBF59_7FC7_BEEF_0EE4,
            0xC6E0_0BF3_3DA8_8FC2, 0xD5A7_9147_930A_A725, 0x06CA_6351_E003_826F, 0x1429_2967_0A0E_6E70,
            0x27B7_0A85_46D2_2FFC, 0x2E1B_2138_5C26_C926, 0x4D2C_6DFC_5AC4_2AED, 0x5338_0D13_9D95_B3DF,
            0x650A_7354_8BAF_63DE, 0x766A_0ABB_3C77_B2A8, 0x81C2_C92E_47ED_AEE6, 0x9272_2C85_1482_353B,
            0xA2BF_E8A1_4CF1_0364, 0xA81A_664B_BC42_3001, 0xC24B_8B70_D0F8_9791, 0xC76C_51A3_0654_BE30,
            0xD192_E819_D6EF_5218, 0xD699_0624_5565_A910, 0xF40E_3585_5771_202A, 0x106A_A070_32BB_D1B8,
            0x19A4_C116_B8D2_D0C8, 0x1E37_6C08_5141_AB53, 0x2748_774C_DF8E_EB99, 0x34B0_BCB5_E19B_48A8,
            0x391C_0CB3_C5C9_5A63, 0x4ED8_AA4A_E341_8ACB, 0x5B9C_CA4F_7763_E373, 0x682E_6FF3_D6B2_B8A3,
            0x748F_82EE_5DEF_B2FC, 0x78A5_636F_4317_2F60, 0x84C8_7814_A1F0_AB72, 0x8CC7_0208_1A64_39EC,
            0x90BE_FFFA_2363_1E28, 0xA450_6CEB_DE82_BDE9, 0xBEF9_A3F7_B2C6_7915, 0xC671_78F2_E372_532B,
            0xCA27_3ECE_EA26_619C, 0xD186_B8C7_21C0_C207, 0xEADA_7DD6_CDE0_EB1E, 0xF57D_4F7F_EE6E_D178,
            0x06F0_67AA_7217_6FBA, 0x0A63_7DC5_A2C8_98A6, 0x113F_9804_BEF9_0DAE, 0x1B71_0B35_131C_471B,
            0x28DB_77F5_2304_7D84, 0x32CA_AB7B_40C7_2493, 0x3C9E_BE0A_15C9_BEBC, 0x431D_67C4_9C10_0D4C,
            0x4CC5_D4BE_CB3E_42B6, 0x597F_299C_FC65_7E2A, 0x5FCB_6FAB_3AD6_FAEC, 0x6C44_198C_4A47_5817,
        ]
    }
}

/// The differences between the hash functions of the family SHA-2: the words, the constants and the functions of FIPS
/// 180-4, sections 4.1, 4.2 and 5.3.
private protocol SHA2Variant {
    associatedtype Word: FixedWidthInteger & UnsignedInteger & BitwiseCopyable & Sendable
    static var initial: [Word] { get }
    static var constants: [Word] { get }
    static func sum0(_ x: Word) -> Word
    static func sum1(_ x: Word) -> Word
    static func sigma0(_ x: Word) -> Word
    static func sigma1(_ x: Word) -> Word
}

/// The state of a hash function of the family SHA-2.
private struct SHA2<Variant: SHA2Variant>: Sendable {
    typealias Word = Variant.Word

    /// The number of bytes of a block, which is 16 words.
    private static var blockSize: Int { 16 * MemoryLayout<Word>.size }

    /// The eight words of the hash so far.
    private var state = Variant.initial
    /// The bytes of an incomplete block.
    private var pending: [UInt8] = []
    private var count: UInt64 = 0

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var rest = bytes
        if !pending.isEmpty {
            let missing = min(Self.blockSize - pending.count, rest.count)
            pending.append(contentsOf: rest.prefix(missing))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(missing))
            guard pending.count == Self.blockSize else { return }
            state = pending.withUnsafeBytes { [state] in Self.hash(of: $0, after: state) }
            pending.removeAll(keepingCapacity: true)
        }
        let whole = rest.count - rest.count % Self.blockSize
        if whole > 0 { state = Self.hash(of: UnsafeRawBufferPointer(rebasing: rest.prefix(whole)), after: state) }
        pending.append(contentsOf: rest.dropFirst(whole))
    }

    func finished() -> [UInt8] {
        var copy = self
        // The padding is a bit 1 and zeros. Then the number of bits of the message ends the last block. This number has
        // the size of two words.
        let lengthSize = 2 * MemoryLayout<Word>.size
        let zeros = (2 * Self.blockSize - 1 - lengthSize - pending.count) % Self.blockSize + lengthSize - 8
        var padding = [0x80] + [UInt8](repeating: 0, count: zeros)
        withUnsafeBytes(of: (count &* 8).bigEndian) { padding += $0 }
        padding.withUnsafeBytes { copy.update($0) }
        return copy.state.flatMap { word in withUnsafeBytes(of: word.bigEndian, Array.init) }
    }

    /// Returns the words of the hash after further blocks.
    private static func hash(of blocks: UnsafeRawBufferPointer, after start: [Word]) -> [Word] {
        let rounds = Variant.constants.count
        var state = start
        Variant.constants.withUnsafeBufferPointer { constants in
            withUnsafeTemporaryAllocation(of: Word.self, capacity: rounds) { words in
                for position in stride(from: 0, to: blocks.count, by: blockSize) {
                    for index in 0..<16 {
                        let offset = position + index * MemoryLayout<Word>.size
                        let word = Word(bigEndian: blocks.loadUnaligned(fromByteOffset: offset, as: Word.self))
                        words.initializeElement(at: index, to: word)
                    }
                    for index in 16..<rounds {
                        let early = words[index - 16] &+ Variant.sigma0(words[index - 15])
                        let late = words[index - 7] &+ Variant.sigma1(words[index - 2])
                        words.initializeElement(at: index, to: early &+ late)
                    }
                    mix(&state, words, constants)
                }
            }
        }
        return state
    }

    @inline(__always)
    private static func mix(
        _ state: inout [Word],
        _ words: UnsafeMutableBufferPointer<Word>,
        _ constants: UnsafeBufferPointer<Word>
    ) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for round in 0..<constants.count {
            let choice = (e & f) ^ (~e & g)
            let first = h &+ Variant.sum1(e) &+ choice &+ constants[round] &+ words[round]
            let majority = (a & b) ^ (a & c) ^ (b & c)
            let second = Variant.sum0(a) &+ majority
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }
}

extension FixedWidthInteger {
    /// The number with its bits rotated to the right.
    @inline(__always)
    fileprivate func rotated(_ count: Self) -> Self {
        self &>> count | self &<< (Self(Self.bitWidth) &- count)
    }
}
