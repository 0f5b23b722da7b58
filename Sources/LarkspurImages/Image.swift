/// An image as it was received, with what its file says of itself, and its pixels where they were decoded.
public struct Image: Sendable, Hashable {
    /// The file's bytes, as they were received.
    public let data: Data
    /// Format and size.
    public let header: ImageHeader
    /// The decoded pixels; nil where nobody has decoded them. See ``ImageResponseSerializer/decodesPixels``.
    public let pixels: ImagePixels?

    /// Makes an image of a whole file.
    /// - Parameters:
    ///   - data: The file's bytes.
    ///   - pixels: The decoded pixels. Default: none.
    /// - Throws: ``ImageHeader/Failure`` where it is no image of a known format, or not whole.
    public init(_ data: Data, pixels: ImagePixels? = nil) throws(ImageHeader.Failure) {
        self.init(data: data, header: try ImageHeader(data), pixels: pixels)
    }

    init(data: Data, header: ImageHeader, pixels: ImagePixels?) {
        self.data = data
        self.header = header
        self.pixels = pixels
    }

    /// The format, by the first bytes.
    public var format: ImageFormat { header.format }
    /// The width in pixels.
    public var width: Int { header.width }
    /// The height in pixels.
    public var height: Int { header.height }

    /// The cost of the image in a cache, in bytes: four for each pixel, decoded or not, as in AFNetworking; `Int.max`
    /// where that is more.
    public var memoryCost: Int {
        let (cost, overflows) = header.pixelCount.multipliedReportingOverflow(by: 4)
        return overflows ? .max : cost
    }
}

extension Image: CustomStringConvertible {
    /// Format, size in pixels and number of bytes.
    public var description: String { "<Image \(format.rawValue) \(width)x\(height), \(data.count) bytes>" }
}
