/// A Windows icon file: a directory of pictures. Each is a PNG, or a bitmap without its file header.
///
/// The size is read from the header of the largest picture, because the directory cannot have more than 256 pixels a
/// side.
///
/// The header is read although Larkspur does not decode the format: see ``ImageHeader``.
enum ICOFile {
    static func size(_ bytes: ImageBytes) throws(ImageDefect) -> ImageSize {
        let count = try bytes.little(2, at: 4).orTruncated()
        guard count > 0 else { throw .malformed }
        guard bytes.isInside(6, count * 16) else { throw .truncated }
        var largest: ImageSize?
        for index in 0..<count {
            let entry = 6 + index * 16
            let length = try bytes.little(4, at: entry + 8).orTruncated()
            let offset = try bytes.little(4, at: entry + 12).orTruncated()
            guard offset >= 6 + count * 16 else { throw .malformed }
            guard bytes.isInside(offset, length) else { throw .truncated }
            largest = try size(ofPicture: bytes.part(offset, length)).larger(largest)
        }
        guard let largest else { throw .malformed }
        return largest
    }

    private static func size(ofPicture bytes: ImageBytes) throws(ImageDefect) -> ImageSize {
        if ImageFormat.recognize(bytes) == .png {
            guard bytes.isInside(16, 8), bytes.has("IHDR", at: 12) else { throw .truncated }
            return ImageSize(
                width: try bytes.big(4, at: 16).orTruncated(),
                height: try bytes.big(4, at: 20).orTruncated()
            )
        }
        let bitmap = try BMPFile.Bitmap(bytes, at: 0)
        // A mask of the same height follows the picture. The height in the header includes both.
        return ImageSize(width: bitmap.size.width, height: bitmap.size.height / 2)
    }
}
