/// A TIFF file: the first image file directory, and the strips or tiles that it lists (TIFF 6.0, section 2).
///
/// The header is read although Larkspur does not decode the format: see ``ImageHeader``.
struct TIFFFile {
    private let bytes: ImageBytes
    private let isBigEndian: Bool

    private enum Tag: Int64 {
        case width = 256
        case height = 257
        case stripOffsets = 273
        case stripSizes = 279
        case tileOffsets = 324
        case tileSizes = 325
    }

    static func size(_ bytes: ImageBytes) throws(ImageDefect) -> ImageSize {
        try TIFFFile(bytes: bytes, isBigEndian: bytes.has("MM", at: 0)).size()
    }

    private func size() throws(ImageDefect) -> ImageSize {
        let directory = try number(4, at: 4)
        guard directory >= 8 else { throw .malformed }
        let count = try number(2, at: directory)
        guard count > 0 else { throw .malformed }
        // The directory has its entries and the offset of the next directory.
        guard bytes.isInside(directory + 2, count * 12 + 4) else { throw .truncated }
        guard try number(4, at: directory + 2 + count * 12) < bytes.count else { throw .truncated }
        // Only the first entry of each tag counts. Otherwise many entries could refer to one list, which would be read
        // each time.
        var fields: [Tag: Field] = [:]
        for index in 0..<count {
            let entry = directory + 2 + index * 12
            if let tag = Tag(rawValue: try number(2, at: entry)), fields[tag] == nil {
                fields[tag] = try field(at: entry)
            }
        }
        guard let width = fields[.width], let height = fields[.height], width.count == 1, height.count == 1 else {
            throw .malformed
        }
        try checkContent(fields[.stripOffsets] ?? fields[.tileOffsets], fields[.stripSizes] ?? fields[.tileSizes])
        return ImageSize(width: try value(0, of: width), height: try value(0, of: height))
    }

    private func checkContent(_ offsets: Field?, _ sizes: Field?) throws(ImageDefect) {
        guard let offsets else { throw .malformed }
        if let sizes, sizes.count != offsets.count { throw .malformed }
        for index in 0..<offsets.count {
            var size: Int64 = 1
            if let sizes { size = try value(index, of: sizes) }
            guard bytes.isInside(try value(index, of: offsets), size) else { throw .truncated }
        }
    }

    // MARK: Fields

    /// A list of numbers of 2 or 4 bytes.
    private struct Field {
        let size: Int64
        let count: Int64
        let offset: Int64
    }

    private func field(at entry: Int64) throws(ImageDefect) -> Field {
        let size: Int64
        switch try number(2, at: entry + 2) {
        case 3: size = 2
        case 4: size = 4
        default: throw .malformed
        }
        let count = try number(4, at: entry + 4)
        guard count > 0 else { throw .malformed }
        // Values that fit into the entry are stored in it.
        let offset = count * size <= 4 ? entry + 8 : try number(4, at: entry + 8)
        guard bytes.isInside(offset, count * size) else { throw .truncated }
        return Field(size: size, count: count, offset: offset)
    }

    private func value(_ index: Int64, of field: Field) throws(ImageDefect) -> Int64 {
        try number(field.size, at: field.offset + index * field.size)
    }

    private func number(_ size: Int64, at offset: Int64) throws(ImageDefect) -> Int64 {
        try (isBigEndian ? bytes.big(size, at: offset) : bytes.little(size, at: offset)).orTruncated()
    }
}
