#if canImport(Darwin)
internal import CoreGraphics
internal import ImageIO
#else
internal import CImages
#endif

/// A decoder that decodes PNG and JPEG with the system's libraries, if they are installed. As in AFNetworking it does
/// not decode other formats.
///
/// On Linux the libraries are libpng 1.6 (`libpng16.so.16`) and libjpeg-turbo (`libturbojpeg.so.0`). They are loaded on
/// first use. If a library is missing, images of its format are not decoded; this is not an error. JPEGs in CMYK are
/// not decoded either. On Apple platforms ImageIO decodes the images.
public struct SystemImageDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// Returns whether the system has a library for a format.
    /// - Parameter format: The format.
    public static func canDecode(_ format: ImageFormat) -> Bool {
        #if canImport(Darwin)
        format == .png || format == .jpeg
        #else
        kind(of: format).map(images_are_available) ?? false
        #endif
    }

    /// Decodes a PNG or a JPEG.
    /// - Returns: The pixels; nil for another format, for colours that the library does not convert, and if the library
    ///   is missing.
    /// - Throws: `LarkspurError` with the code `responseSerializationFailed`, if the library rejects the image.
    public func decode(_ data: Data, header: ImageHeader) throws(LarkspurError) -> ImagePixels? {
        guard Self.canDecode(header.format), let width = UInt32(exactly: header.width),
            let height = UInt32(exactly: header.height)
        else { return nil }
        return try Self.decode(data, header.format, width: width, height: height)
    }

    private static func failure(_ format: ImageFormat, _ reason: String) -> LarkspurError {
        LarkspurError(
            .responseSerializationFailed,
            "The \(format.rawValue) image could not be decoded: \(reason.excerpt)"
        )
    }

    #if canImport(Darwin)
    private static func decode(
        _ data: Data,
        _ format: ImageFormat,
        width: UInt32,
        height: UInt32
    ) throws(LarkspurError) -> ImagePixels? {
        guard let source = CGImageSourceCreateWithData(data as CFData, nil),
            let image = CGImageSourceCreateImageAtIndex(source, 0, nil)
        else { throw failure(format, "it is malformed") }
        guard image.width == Int(width), image.height == Int(height) else {
            throw failure(format, "it has another size than its header says")
        }
        guard image.colorSpace?.model != .cmyk, let space = CGColorSpace(name: CGColorSpace.sRGB) else { return nil }
        let (count, overflows) = (Int(width) * Int(height)).multipliedReportingOverflow(by: 4)
        if overflows { return nil }
        var bytes = Data(count: count)
        let isDrawn = bytes.withUnsafeMutableBytes { bytes in
            let context = CGContext(
                data: bytes.baseAddress,
                width: Int(width),
                height: Int(height),
                bitsPerComponent: 8,
                bytesPerRow: Int(width) * 4,
                space: space,
                bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue
            )
            guard let context else { return false }
            context.draw(image, in: CGRect(x: 0, y: 0, width: Int(width), height: Int(height)))
            divideByAlpha(bytes)
            return true
        }
        return isDrawn ? ImagePixels(width: Int(width), height: Int(height), bytes: bytes) : nil
    }

    /// Divides the colours by their alpha. Core Graphics only draws into bitmaps whose colours are multiplied by alpha.
    private static func divideByAlpha(_ bytes: UnsafeMutableRawBufferPointer) {
        for pixel in stride(from: 0, to: bytes.count - 3, by: 4) {
            let alpha = Int(bytes[pixel + 3])
            guard alpha > 0, alpha < 255 else { continue }
            for channel in pixel..<pixel + 3 {
                bytes[channel] = UInt8(min(255, (Int(bytes[channel]) * 255 + alpha / 2) / alpha))
            }
        }
    }
    #else
    private static func decode(
        _ data: Data,
        _ format: ImageFormat,
        width: UInt32,
        height: UInt32
    ) throws(LarkspurError) -> ImagePixels? {
        guard let kind = kind(of: format) else { return nil }
        var message = [CChar](repeating: 0, count: Int(image_message_size))
        var pixels: UnsafeMutablePointer<UInt8>?
        let status = data.withUnsafeBytes { bytes in
            guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return image_malformed }
            return message.withUnsafeMutableBufferPointer { message in
                guard let text = message.baseAddress else { return image_no_memory }
                // If the library reads another size than the header has, the file is refused, so that no more memory is
                // allocated than allowed.
                return image_decode(kind, start, bytes.count, width, height, &pixels, text)
            }
        }
        switch status {
        case image_decoded:
            guard let pixels else { return nil }
            let count = Int(width) * Int(height) * 4
            return ImagePixels(
                width: Int(width),
                height: Int(height),
                bytes: Data(bytesNoCopy: pixels, count: count, deallocator: .free)
            )
        case image_unsupported:
            return nil
        case image_no_memory:
            throw failure(format, "there is not enough memory for it")
        default:
            let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw failure(format, text.isEmpty ? "it is malformed" : String(decoding: text, as: UTF8.self))
        }
    }

    private static func kind(of format: ImageFormat) -> image_kind? {
        switch format {
        case .png: image_png
        case .jpeg: image_jpeg
        default: nil
        }
    }
    #endif
}
