/// A JPEG file: segments from SOI to EOI. The frame's segment has the size (ITU T.81, annex B).
enum JPEGFile {
    static func size(_ bytes: ImageBytes) throws(ImageDefect) -> ImageSize {
        var size: ImageSize?
        var hasScan = false
        var offset: Int64 = 2
        while true {
            let (marker, next) = try marker(bytes, at: offset)
            offset = next
            switch marker {
            case 0xD9:
                guard let size, hasScan else { throw .malformed }
                return size
            case 0x00, 0xD8:
                throw .malformed
            case 0x01, 0xD0...0xD7:
                continue
            default:
                break
            }
            let length = try bytes.big(2, at: offset).orTruncated()
            guard length >= 2 else { throw .malformed }
            guard bytes.isInside(offset, length) else { throw .truncated }
            if isFrame(marker) {
                // With a second frame, a decoder could produce another image than the one that was checked.
                guard size == nil, length >= 8 else { throw .malformed }
                size = ImageSize(
                    width: try bytes.big(2, at: offset + 5).orTruncated(),
                    height: try bytes.big(2, at: offset + 3).orTruncated()
                )
            }
            offset += length
            if marker == 0xDA {
                hasScan = true
                offset = try endOfScan(bytes, from: offset)
            }
        }
    }

    /// Returns the marker at an offset, after any fill bytes, and the offset after the marker.
    private static func marker(_ bytes: ImageBytes, at offset: Int64) throws(ImageDefect) -> (Int64, next: Int64) {
        guard try bytes.byte(at: offset).orTruncated() == 0xFF else { throw .malformed }
        var offset = offset + 1
        while true {
            let marker = try bytes.byte(at: offset).orTruncated()
            offset += 1
            if marker != 0xFF { return (marker, offset) }
        }
    }

    /// Returns whether a marker begins a frame: SOF0 to SOF15, without the three markers in between that begin other
    /// segments.
    private static func isFrame(_ marker: Int64) -> Bool {
        (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
    }

    /// Returns the offset of the first marker after encoded data.
    private static func endOfScan(_ bytes: ImageBytes, from start: Int64) throws(ImageDefect) -> Int64 {
        var offset = start
        while true {
            offset = try bytes.firstIndex(of: 0xFF, from: offset).orTruncated()
            let marker = try bytes.byte(at: offset + 1).orTruncated()
            switch marker {
            case 0x00, 0xD0...0xD7: offset += 2
            case 0xFF: offset += 1
            default: return offset
            }
        }
    }
}
