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
