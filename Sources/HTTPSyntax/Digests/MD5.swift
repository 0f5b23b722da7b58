package import Foundation

/// The hash function MD5 (RFC 1321), for Digest authentication only; it is not secure for other uses.
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

extension UInt32 {
    fileprivate func rotatedLeft(by count: UInt32) -> UInt32 {
        self << count | self >> (32 - count)
    }
}
