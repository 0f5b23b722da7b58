/// A GIF file: blocks up to the trailer (GIF89a specification, sections 17 to 27).
enum GIFFile {
    static func size(_ bytes: ImageBytes) throws(ImageDefect) -> ImageSize {
        guard bytes.isInside(6, 7) else { throw .truncated }
        let screen = ImageSize(
            width: try bytes.little(2, at: 6).orTruncated(),
            height: try bytes.little(2, at: 8).orTruncated()
        )
        var offset = 13 + tableSize(try bytes.byte(at: 10).orTruncated())
        var size: ImageSize?
        while true {
            switch try bytes.byte(at: offset).orTruncated() {
            case 0x21:
                offset = try endOfBlocks(bytes, from: offset + 2)
            case 0x2C:
                let frame = try frame(bytes, at: offset)
                // As in browsers, the first frame may be larger than the logical screen. The screen then grows.
                size =
                    size
                    ?? ImageSize(
                        width: max(screen.width, frame.size.width),
                        height: max(screen.height, frame.size.height)
                    )
                offset = try endOfBlocks(bytes, from: frame.content)
            case 0x3B:
                guard let size else { throw .malformed }
                return size
            default:
                throw .malformed
            }
        }
    }

    /// Returns the extent of a frame, and the offset of its content.
    private static func frame(
        _ bytes: ImageBytes,
        at offset: Int64
    ) throws(ImageDefect) -> (size: ImageSize, content: Int64) {
        guard bytes.isInside(offset, 11) else { throw .truncated }
        let size = ImageSize(
            width: try bytes.little(2, at: offset + 1).orTruncated() + bytes.little(2, at: offset + 5).orTruncated(),
            height: try bytes.little(2, at: offset + 3).orTruncated() + bytes.little(2, at: offset + 7).orTruncated()
        )
        let flags = try bytes.byte(at: offset + 9).orTruncated()
        // The content follows the descriptor, the colour table and the size of the codes.
        return (size, offset + 10 + tableSize(flags) + 1)
    }

    private static func tableSize(_ flags: Int64) -> Int64 { flags & 0x80 == 0 ? 0 : 3 << ((flags & 7) + 1) }

    /// Returns the offset after a sequence of blocks. Each block begins with its length, and the last one is empty.
    private static func endOfBlocks(_ bytes: ImageBytes, from start: Int64) throws(ImageDefect) -> Int64 {
        var offset = start
        while true {
            let length = try bytes.byte(at: offset).orTruncated()
            offset += length + 1
            if length == 0 { return offset }
        }
    }
}
