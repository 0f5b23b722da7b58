/// The pixels of an image: rows from top to bottom, each from left to right, without gaps.
///
/// A pixel has four bytes: red, green, blue and alpha. The colours are not multiplied by alpha (RGBA8, straight alpha).
public struct ImagePixels: Sendable, Hashable {
    /// The number of pixels in a row.
    public let width: Int
    /// The number of rows.
    public let height: Int
    /// The bytes: four for each pixel.
    public let bytes: Data

    /// Creates pixels from their bytes; nil if there are not four bytes for each pixel, or no pixels.
    /// - Parameters:
    ///   - width: The number of pixels in a row.
    ///   - height: The number of rows.
    ///   - bytes: The red, green, blue and alpha of each pixel.
    public init?(width: Int, height: Int, bytes: Data) {
        let (count, overflows) = width.multipliedReportingOverflow(by: height)
        guard width > 0, height > 0, !overflows, count <= .max / 4, bytes.count == count * 4 else { return nil }
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    /// The red, green, blue and alpha of a pixel; nil outside the image.
    /// - Parameters:
    ///   - x: The column, from 0 at the left.
    ///   - y: The row, from 0 at the top.
    public subscript(x: Int, y: Int) -> (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8)? {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return nil }
        let start = bytes.startIndex + (y * width + x) * 4
        return (bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3])
    }
}
