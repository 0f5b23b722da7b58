/// A Windows bitmap file: BITMAPFILEHEADER, and then one of several headers.
///
/// The header is read although Larkspur does not decode the format: see ``ImageHeader``.
enum BMPFile {
    static func size(_ bytes: ImageBytes) throws(ImageDefect) -> ImageSize {
        guard bytes.isInside(0, 18) else { throw .truncated }
        let fileSize = try bytes.little(4, at: 2).orTruncated()
        let content = try bytes.little(4, at: 10).orTruncated()
        let bitmap = try Bitmap(bytes, at: 14)
        guard content >= 14 + bitmap.headerSize else { throw .malformed }
        guard fileSize <= bytes.count, content <= bytes.count else { throw .truncated }
        if let size = bitmap.contentSize, !bytes.isInside(content, size) { throw .truncated }
        return bitmap.size
    }

    /// The header of a bitmap: BITMAPCOREHEADER, or BITMAPINFOHEADER and its successors.
    struct Bitmap {
        let headerSize: Int64
        let size: ImageSize
        private let depth: Int64
        private let isCompressed: Bool

        init(_ bytes: ImageBytes, at offset: Int64) throws(ImageDefect) {
            headerSize = try bytes.little(4, at: offset).orTruncated()
            guard headerSize == 12 || headerSize >= 16 && headerSize <= 1024 else { throw .malformed }
            guard bytes.isInside(offset, headerSize) else { throw .truncated }
            if headerSize == 12 {
                size = ImageSize(
                    width: try bytes.little(2, at: offset + 4).orTruncated(),
                    height: try bytes.little(2, at: offset + 6).orTruncated()
                )
                depth = try bytes.little(2, at: offset + 10).orTruncated()
                isCompressed = false
            } else {
                let width = try bytes.little(4, at: offset + 4).orTruncated()
                let height = try bytes.little(4, at: offset + 8).orTruncated()
                // If the rows are stored from top to bottom, the height is negative.
                size = ImageSize(width: width, height: height > Int32.max ? (1 << 32) - height : height)
                depth = try bytes.little(2, at: offset + 14).orTruncated()
                let compression = headerSize >= 20 ? try bytes.little(4, at: offset + 16).orTruncated() : 0
                isCompressed = ![0, 3, 6].contains(compression)
                if width > Int32.max { throw .malformed }
            }
            guard [0, 1, 2, 4, 8, 16, 24, 32, 64].contains(depth) else { throw .malformed }
        }

        /// The number of bytes of the rows; nil if they are compressed.
        var contentSize: Int64? {
            if isCompressed { return nil }
            let row = (size.width * depth + 31) / 32 * 4
            let (content, overflows) = row.multipliedReportingOverflow(by: size.height)
            return overflows ? .max : content
        }
    }
}
