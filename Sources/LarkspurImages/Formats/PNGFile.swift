/// A PNG file: chunks from IHDR to IEND (W3C PNG, section 5).
enum PNGFile {
    static func size(_ bytes: ImageBytes) throws(ImageDefect) -> ImageSize {
        let length = try bytes.big(4, at: 8).orTruncated()
        guard bytes.isInside(12, 17) else { throw .truncated }
        guard length == 13, bytes.has("IHDR", at: 12) else { throw .malformed }
        let size = ImageSize(
            width: try bytes.big(4, at: 16).orTruncated(),
            height: try bytes.big(4, at: 20).orTruncated()
        )
        guard size.width <= Int32.max, size.height <= Int32.max else { throw .malformed }
        try checkChunks(bytes)
        return size
    }

    private static func checkChunks(_ bytes: ImageBytes) throws(ImageDefect) {
        var offset: Int64 = 33
        var hasContent = false
        while true {
            let length = try bytes.big(4, at: offset).orTruncated()
            guard length <= Int32.max else { throw .malformed }
            // A chunk has 12 bytes besides its content: the length, the type and the checksum.
            guard bytes.isInside(offset, length + 12) else { throw .truncated }
            if bytes.has("IDAT", at: offset + 4) { hasContent = true }
            if bytes.has("IEND", at: offset + 4) { break }
            offset += length + 12
        }
        if !hasContent { throw .malformed }
    }
}
