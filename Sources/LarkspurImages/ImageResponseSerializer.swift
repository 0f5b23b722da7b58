/// A serializer that converts the content into an ``Image``. It checks that the content is a complete image of the
/// response's type, reads its size, and decodes PNG and JPEG.
///
/// Format and size are read without decoding. An image with more pixels than ``maximumPixelCount`` is rejected before
/// it is decoded, so that a few bytes cannot make a process allocate gigabytes. The serializer runs on the session
/// manager's processing queue.
public struct ImageResponseSerializer: ResponseSerializer {
    /// The rules by which responses are acceptable. Default: status 200 to 299; the types that AFNetworking accepts,
    /// `image/webp` and `image/avif`.
    public var validation: ResponseValidation
    /// The maximum number of pixels of an image. A larger image is an error. A decoded pixel takes four bytes. Default:
    /// 100 million.
    public var maximumPixelCount: Int
    /// Whether the content must have the format of the response's content type. Content types that do not belong to
    /// exactly one format are not compared. Default: true.
    public var requiresMatchingType: Bool
    /// Whether ``decoder`` decodes the pixels. Without them ``Image/pixels`` is nil. Default: true.
    public var decodesPixels: Bool
    /// The decoder of the pixels. Default: ``SystemImageDecoder``, for PNG and JPEG.
    public var decoder: any ImageDecoder

    /// Creates a serializer.
    /// - Parameters:
    ///   - maximumPixelCount: The maximum number of pixels of an image. Default: 100 million.
    ///   - requiresMatchingType: Whether the content must have the format of the content type. Default: true.
    ///   - decodesPixels: Whether the decoder decodes the pixels. Default: true.
    ///   - decoder: The decoder of the pixels. Default: ``SystemImageDecoder``.
    ///   - validation: The rules by which responses are acceptable. Default: status 200 to 299; the types that
    ///     AFNetworking accepts, `image/webp` and `image/avif`.
    public init(
        maximumPixelCount: Int = 100_000_000,
        requiresMatchingType: Bool = true,
        decodesPixels: Bool = true,
        decoder: any ImageDecoder = SystemImageDecoder(),
        validation: ResponseValidation = ResponseValidation(acceptableContentTypes: .images)
    ) {
        self.validation = validation
        self.maximumPixelCount = maximumPixelCount
        self.requiresMatchingType = requiresMatchingType
        self.decodesPixels = decodesPixels
        self.decoder = decoder
    }

    /// Converts the content into an image.
    /// - Throws: `LarkspurError` with the code `emptyResponse` if there is no content; with
    ///   `responseSerializationFailed` if the content is not an image, does not have the response's type, is truncated,
    ///   is too large, or cannot be decoded.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending Image {
        if data.isEmpty {
            throw LarkspurError(.emptyResponse, "The response has no content where an image is expected")
        }
        let header = try header(of: data, response)
        guard header.pixelCount <= maximumPixelCount else {
            throw Self.failure(
                "The image has \(header.width) x \(header.height) pixels, more than the \(maximumPixelCount) that are allowed"
            )
        }
        return Image(data: data, header: header, pixels: decodesPixels ? try pixels(of: data, header) : nil)
    }

    private func header(of data: Data, _ response: URLResponse?) throws(LarkspurError) -> ImageHeader {
        if requiresMatchingType, let type = MediaType(of: response)?.essence,
            let expected = ImageFormat(contentType: type), let actual = ImageFormat(data), actual != expected
        {
            throw Self.failure("The content is \(actual.rawValue) where the response says \(type.excerpt)")
        }
        do throws(ImageHeader.Failure) {
            return try ImageHeader(data)
        } catch {
            throw Self.failure(error.description)
        }
    }

    private func pixels(of data: Data, _ header: ImageHeader) throws(LarkspurError) -> ImagePixels? {
        let pixels: ImagePixels?
        do {
            pixels = try decoder.decode(data, header: header)
        } catch let error as LarkspurError {
            throw error
        } catch {
            throw SerializationFailure.error("The \(header.format.rawValue) image could not be decoded", error)
        }
        guard let pixels else { return nil }
        guard pixels.width == header.width, pixels.height == header.height else {
            throw Self.failure("The decoded image has another size than its header says")
        }
        return pixels
    }

    private static func failure(_ message: String) -> LarkspurError {
        LarkspurError(.responseSerializationFailed, message)
    }
}

extension ResponseSerializer where Self == ImageResponseSerializer {
    /// A serializer that converts the content into an ``Image``.
    public static var image: ImageResponseSerializer { ImageResponseSerializer() }
}
