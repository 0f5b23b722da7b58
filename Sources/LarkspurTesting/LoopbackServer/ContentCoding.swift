public import Foundation
import HTTPSyntax

extension LoopbackServer {
    /// A content coding that the server can apply (RFC 9110, section 8.4.1).
    public enum ContentCoding: String, Sendable, CaseIterable {
        /// The format of gzip (RFC 1952).
        case gzip
        /// The format of zlib (RFC 1950), which HTTP calls deflate.
        case deflate

        /// Encodes bytes in this coding.
        ///
        /// The bytes are stored and not compressed. Every decoder accepts stored bytes, and the server does not need
        /// zlib.
        public func encode(_ data: Data) -> Data {
            switch self {
            case .gzip:
                // The header has no name and no time, and the operating system is unknown.
                let header = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
                return header + Deflate.storedBlocks(data)
                    + littleEndian(CodingChecksum.crc32(data)) + littleEndian(UInt32(truncatingIfNeeded: data.count))
            case .deflate:
                return Data([0x78, 0x01]) + Deflate.storedBlocks(data)
                    + Data(littleEndian(CodingChecksum.adler32(data)).reversed())
            }
        }

        private func littleEndian(_ value: UInt32) -> Data {
            withUnsafeBytes(of: value.littleEndian) { Data($0) }
        }
    }
}

/// The DEFLATE format (RFC 1951), with only stored blocks.
enum Deflate {
    private static let maximumBlockSize = 65_535

    static func storedBlocks(_ data: Data) -> Data {
        var result = Data(capacity: data.count + 5 * (data.count / maximumBlockSize + 1))
        var rest = data[...]
        repeat {
            let block = rest.prefix(maximumBlockSize)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            result.append(rest.isEmpty ? 1 : 0)
            for word in [length, ~length] {
                result.append(contentsOf: [UInt8(word & 0xFF), UInt8(word >> 8)])
            }
            result.append(block)
        } while !rest.isEmpty
        return result
    }
}

/// The checksums of gzip and zlib.
enum CodingChecksum {
    static func crc32(_ data: Data) -> UInt32 {
        ~data.reduce(~UInt32(0)) { crc, byte in
            crcTable[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8)
        }
    }

    static func adler32(_ data: Data) -> UInt32 {
        let (low, high) = data.reduce((UInt32(1), UInt32(0))) { sums, byte in
            let low = (sums.0 + UInt32(byte)) % 65_521
            return (low, (sums.1 + low) % 65_521)
        }
        return high << 16 | low
    }

    private static let crcTable = (0..<256).map { (index: UInt32) -> UInt32 in
        var crc = index
        for _ in 0..<8 {
            let shifted = crc >> 1
            crc = crc & 1 == 1 ? 0xEDB8_8320 ^ shifted : shifted
        }
        return crc
    }
}
