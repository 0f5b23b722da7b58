/// The format and the size of an image file. They are read without decoding the image.
///
/// The formats are those that AFNetworking accepts, and WebP and AVIF. The size has to be known before an
/// ``ImageDecoder`` allocates the pixels. This includes decoders of the program, for formats that Larkspur does not
/// decode. The headers are read by hand, because a library for each format would have to be installed.
public struct ImageHeader: Sendable, Hashable {
    /// The format, which the first bytes determine.
    public let format: ImageFormat
    /// The width in pixels, at least 1.
    public let width: Int
    /// The height in pixels, at least 1.
    public let height: Int

    init(format: ImageFormat, width: Int, height: Int) {
        self.format = format
        self.width = width
        self.height = height
    }

    /// The number of pixels, at most `Int.max`.
    public var pixelCount: Int {
        let (count, overflows) = width.multipliedReportingOverflow(by: height)
        return overflows ? .max : count
    }

    /// The reason why a file is not a usable image.
    ///
    /// It is a struct rather than an enum, so that a new reason breaks no `switch` of a program. Give every `switch` a
    /// `default`.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        private enum Kind: Sendable, Hashable {
            case unknownFormat
            case truncated(ImageFormat)
            case malformed(ImageFormat)
        }

        private let kind: Kind

        /// The first bytes match no known format.
        public static let unknownFormat = Self(kind: .unknownFormat)

        /// Creates the failure of a file that ends before the end of the image.
        /// - Parameter format: The format, which the first bytes determine.
        public static func truncated(_ format: ImageFormat) -> Self { Self(kind: .truncated(format)) }

        /// Creates the failure of a file that contradicts its format.
        /// - Parameter format: The format, which the first bytes determine.
        public static func malformed(_ format: ImageFormat) -> Self { Self(kind: .malformed(format)) }

        /// The reason in English, without a full stop.
        public var description: String {
            switch kind {
            case .unknownFormat: "The content is no image of a known format"
            case .truncated(let format): "The content ends before the \(format.rawValue) image does"
            case .malformed(let format): "The content is not a valid \(format.rawValue) image"
            }
        }
    }

    /// Reads the header of an image file, and checks that the file is complete.
    /// The structure of the file is followed to its end, so that a truncated file is detected. The compressed data is
    /// not examined. The time is proportional to the length of the file.
    /// - Parameter data: The whole file.
    /// - Throws: ``Failure``, if the file is not a complete image of a known format.
    public init(_ data: Data) throws(Failure) {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try Self.read(ImageBytes(bytes)) }
        }
        self = try result.get()
    }

    static func read(_ bytes: ImageBytes) throws(Failure) -> ImageHeader {
        guard let format = ImageFormat.recognize(bytes) else { throw .unknownFormat }
        let size: ImageSize
        do throws(ImageDefect) {
            size =
                switch format.kind {
                case .png: try PNGFile.size(bytes)
                case .jpeg: try JPEGFile.size(bytes)
                case .gif: try GIFFile.size(bytes)
                case .bmp: try BMPFile.size(bytes)
                case .ico: try ICOFile.size(bytes)
                case .tiff: try TIFFFile.size(bytes)
                case .webp: try WebPFile.size(bytes)
                case .avif: try AVIFFile.size(bytes)
                }
        } catch {
            throw error == .truncated ? .truncated(format) : .malformed(format)
        }
        guard size.width > 0, size.height > 0, let width = Int(exactly: size.width),
            let height = Int(exactly: size.height)
        else { throw .malformed(format) }
        return ImageHeader(format: format, width: width, height: height)
    }
}
