/// An AVIF file: boxes, one of which has the size of each picture (ISO/IEC 23008-12, section 6.5.3).
///
/// The header is read although Larkspur does not decode the format: see ``ImageHeader``.
enum AVIFFile {
    static func size(_ bytes: ImageBytes) throws(ImageDefect) -> ImageSize {
        var meta: ImageBytes?
        var hasContent = false
        try forEachBox(bytes) { type, content in
            if type.has("meta", at: 0) { meta = meta ?? content }
            if type.has("mdat", at: 0) { hasContent = true }
        }
        // All boxes that were read are complete. If the content is missing, the file was truncated between two boxes.
        guard let meta, hasContent || hasBox("idat", in: meta.part(4, meta.count - 4)) else { throw .truncated }
        var largest: ImageSize?
        for properties in try boxes("iprp", in: meta.part(4, meta.count - 4)) {
            for container in try boxes("ipco", in: properties) {
                for extent in try boxes("ispe", in: container) {
                    let size = ImageSize(
                        width: try extent.big(4, at: 4).orMalformed(),
                        height: try extent.big(4, at: 8).orMalformed()
                    )
                    largest = size.larger(largest)
                }
            }
        }
        return try largest.orMalformed()
    }

    private static func hasBox(_ name: StaticString, in bytes: ImageBytes) -> Bool {
        guard let boxes = try? boxes(name, in: bytes) else { return false }
        return !boxes.isEmpty
    }

    private static func boxes(_ name: StaticString, in bytes: ImageBytes) throws(ImageDefect) -> [ImageBytes] {
        var found: [ImageBytes] = []
        try forEachBox(bytes) { type, content in
            if type.has(name, at: 0) { found.append(content) }
        }
        return found
    }

    private static func forEachBox(
        _ bytes: ImageBytes,
        _ body: (_ type: ImageBytes, _ content: ImageBytes) -> Void
    ) throws(ImageDefect) {
        var offset: Int64 = 0
        while offset < bytes.count {
            var length = try bytes.big(4, at: offset).orTruncated()
            var head: Int64 = 8
            if length == 1 {
                let high = try bytes.big(4, at: offset + 8).orTruncated()
                let low = try bytes.big(4, at: offset + 12).orTruncated()
                // No file is this long.
                guard high < 1 << 24 else { throw .truncated }
                length = high << 32 | low
                head = 16
            } else if length == 0 {
                length = bytes.count - offset
            }
            guard length >= head else { throw .malformed }
            guard bytes.isInside(offset, length) else { throw .truncated }
            body(bytes.part(offset + 4, 4), bytes.part(offset + head, length - head))
            offset += length
        }
    }
}
