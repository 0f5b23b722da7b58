/// An image: the received file, its header, and its pixels if they were decoded.
public struct Image: Sendable, Hashable {
    /// The file's bytes, as they were received.
    public let data: Data
    /// The format and the size.
    public let header: ImageHeader
    /// The decoded pixels; nil if they were not decoded. See ``ImageResponseSerializer/decodesPixels``.
    public let pixels: ImagePixels?

    /// Creates an image from a whole file.
    /// - Parameters:
    ///   - data: The file's bytes.
    ///   - pixels: The decoded pixels. Default: none.
    /// - Throws: ``ImageHeader/Failure``, if the file is not a complete image of a known format.
    public init(_ data: Data, pixels: ImagePixels? = nil) throws(ImageHeader.Failure) {
        self.init(data: data, header: try ImageHeader(data), pixels: pixels)
    }

    init(data: Data, header: ImageHeader, pixels: ImagePixels?) {
        self.data = data
        self.header = header
        self.pixels = pixels
    }

    /// The format, which the first bytes determine.
    public var format: ImageFormat { header.format }
    /// The width in pixels.
    public var width: Int { header.width }
    /// The height in pixels.
    public var height: Int { header.height }

    /// The cost of the image in a cache, in bytes: four for each pixel, decoded or not, as in AFNetworking. At most
    /// `Int.max`.
    public var memoryCost: Int {
        let (cost, overflows) = header.pixelCount.multipliedReportingOverflow(by: 4)
        return overflows ? .max : cost
    }
}

extension Image: CustomStringConvertible {
    /// The format, the size in pixels and the number of bytes.
    public var description: String { "<Image \(format.rawValue) \(width)x\(height), \(data.count) bytes>" }
}

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

/// A decoder of the pixels of images: ``SystemImageDecoder``, which uses the system's libraries, or a decoder of the
/// caller for other formats.
public protocol ImageDecoder: Sendable {
    /// Decodes an image whose format and size have been checked.
    ///
    /// Called on the session manager's processing queue, for several images concurrently.
    /// - Parameters:
    ///   - data: The whole file.
    ///   - header: The header of the file. Pixels of another size are rejected.
    /// - Returns: The pixels; nil if the decoder does not support the format.
    /// - Throws: `LarkspurError`, which is reported unchanged; or any other error, which becomes the `underlyingError`
    ///   of an error with the code `responseSerializationFailed`.
    func decode(_ data: Data, header: ImageHeader) throws -> ImagePixels?
}
