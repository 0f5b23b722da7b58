/// A WebP file: chunks of a RIFF file (RFC 9649).
enum WebPFile {
    static func size(_ bytes: ImageBytes) throws(ImageDefect) -> ImageSize {
        let length = try bytes.little(4, at: 4).orTruncated()
        guard bytes.isInside(8, length) else { throw .truncated }
        guard length >= 12 else { throw .malformed }
        let file = bytes.part(0, 8 + length)
        if file.has("VP8X", at: 12) { return try extendedSize(file) }
        let chunk = try content(file, at: 12)
        return try pictureSize(file, at: 12, content: chunk).orMalformed()
    }

    /// Returns the content of the chunk at an offset.
    private static func content(_ file: ImageBytes, at offset: Int64) throws(ImageDefect) -> ImageBytes {
        let length = try file.little(4, at: offset + 4).orTruncated()
        guard file.isInside(offset + 8, length) else { throw .truncated }
        return file.part(offset + 8, length)
    }

    /// Returns the size of the picture in a chunk; nil if the chunk has none.
    private static func pictureSize(
        _ file: ImageBytes,
        at offset: Int64,
        content: ImageBytes
    ) throws(ImageDefect) -> ImageSize? {
        if file.has("VP8 ", at: offset) {
            guard content.isInside(0, 10) else { throw .truncated }
            guard content.has([0x9D, 0x01, 0x2A], at: 3) else { throw .malformed }
            return ImageSize(
                width: try content.little(2, at: 6).orTruncated() & 0x3FFF,
                height: try content.little(2, at: 8).orTruncated() & 0x3FFF
            )
        }
        guard file.has("VP8L", at: offset) else { return nil }
        guard content.isInside(0, 5) else { throw .truncated }
        guard content.has([0x2F], at: 0) else { throw .malformed }
        let bits = try content.little(4, at: 1).orTruncated()
        return ImageSize(width: (bits & 0x3FFF) + 1, height: (bits >> 14 & 0x3FFF) + 1)
    }

    /// Returns the size of a canvas. A single picture on it must have the same size.
    private static func extendedSize(_ file: ImageBytes) throws(ImageDefect) -> ImageSize {
        let header = try content(file, at: 12)
        guard header.isInside(0, 10) else { throw .malformed }
        let canvas = ImageSize(
            width: try header.little(3, at: 4).orTruncated() + 1,
            height: try header.little(3, at: 7).orTruncated() + 1
        )
        var hasPicture = false
        var offset: Int64 = 12
        while offset < file.count {
            let chunk = try content(file, at: offset)
            if file.has("ANMF", at: offset) { hasPicture = true }
            if let size = try pictureSize(file, at: offset, content: chunk) {
                guard size == canvas else { throw .malformed }
                hasPicture = true
            }
            // Chunks begin at even offsets.
            offset += 8 + chunk.count + chunk.count % 2
        }
        guard hasPicture else { throw .malformed }
        return canvas
    }
}
