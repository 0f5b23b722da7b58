internal import Foundation

/// The checksums of gzip and zlib.
enum Checksum {
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
