public import Foundation

extension LoopbackServer {
    /// A content coding that the server can apply (RFC 9110, section 8.4.1).
    public enum ContentCoding: String, Sendable, CaseIterable {
        /// The format of gzip (RFC 1952).
        case gzip
        /// The format of zlib (RFC 1950), which HTTP calls deflate.
        case deflate

        /// Encodes bytes in this coding.
        ///
        /// The bytes are stored rather than compressed. That is valid for every decoder, and needs no dependency on
        /// zlib.
        public func encode(_ data: Data) -> Data {
            switch self {
            case .gzip:
                // The header has no name and no time, and the operating system is unknown.
                let header = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
                return header + Deflate.storedBlocks(data)
                    + littleEndian(Checksum.crc32(data)) + littleEndian(UInt32(truncatingIfNeeded: data.count))
            case .deflate:
                return Data([0x78, 0x01]) + Deflate.storedBlocks(data)
                    + Data(littleEndian(Checksum.adler32(data)).reversed())
            }
        }

        private func littleEndian(_ value: UInt32) -> Data {
            withUnsafeBytes(of: value.littleEndian) { Data($0) }
        }
    }
}
