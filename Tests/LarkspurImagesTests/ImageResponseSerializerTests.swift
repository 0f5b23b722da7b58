import Testing

@testable import ImageGallery
@testable import LarkspurImages

@Suite("Images of responses")
struct ImageResponseSerializerTests {
    /// Fills an image with one byte, or refuses it.
    private struct StubDecoder: ImageDecoder {
        var failure: LarkspurError?
        var pixels: ImagePixels?

        func decode(_ data: Data, header: ImageHeader) throws -> ImagePixels? {
            if let failure { throw failure }
            return pixels
                ?? ImagePixels(
                    width: header.width,
                    height: header.height,
                    bytes: Data(repeating: 9, count: header.pixelCount * 4)
                )
        }
    }

    private func image(
        _ data: Data,
        _ type: String? = nil,
        _ serializer: ImageResponseSerializer = .image
    ) throws -> Image {
        try serializer.serialize(data, response: httpResponse(200, type))
    }

    private func failure(
        _ data: Data,
        _ type: String? = nil,
        _ serializer: ImageResponseSerializer = .image
    ) throws -> LarkspurError {
        try larkspurError { _ = try image(data, type, serializer) }
    }

    @Test("An image has its bytes, its format and its size", arguments: ImageFixture.all)
    func whole(_ fixture: ImageFixture) throws {
        let image = try image(fixture.data, fixture.format.contentTypes.first)
        #expect(image.data == fixture.data)
        #expect(image.format == fixture.format)
        #expect(image.width == fixture.width && image.height == fixture.height)
        #expect(image.memoryCost == fixture.width * fixture.height * 4)
    }

    @Test(
        "AFNetworking's content types, WebP and AVIF are acceptable",
        arguments: [
            "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp",
            "image/x-bmp", "image/x-xbitmap", "image/x-win-bitmap", "image/webp", "image/avif",
        ]
    )
    func acceptable(_ type: String) throws {
        try ImageResponseSerializer().validation.validate(httpResponse(200, type), data: Data([1]))
    }

    @Test(
        "Content types other than images are not acceptable",
        arguments: ["text/html", "image/svg+xml", "application/octet-stream"]
    )
    func unacceptable(_ type: String) throws {
        let error = try larkspurError {
            try ImageResponseSerializer().validation.validate(httpResponse(200, type), data: Data([1]))
        }
        #expect(error.code == .unacceptableContentType)
    }

    @Test("The bytes must have the format of the content type, unless that check is off")
    func mismatch() throws {
        let error = try failure(ImageFixture.png.data, "image/jpeg")
        #expect(error.code == .responseSerializationFailed)
        #expect(error.message == "The content is png where the response says image/jpeg")
        let tolerant = ImageResponseSerializer(requiresMatchingType: false)
        #expect(try image(ImageFixture.png.data, "image/jpeg", tolerant).format == .png)
        #expect(try image(ImageFixture.png.data, "application/octet-stream").format == .png)
        #expect(try image(ImageFixture.png.data, nil).format == .png)
    }

    @Test("Invalid or incomplete images are errors that name the fault")
    func broken() throws {
        #expect(try failure(Data("<html>".utf8)).message == "The content is no image of a known format")
        #expect(
            try failure(ImageFixture.gif.data.dropLast()).message == "The content ends before the gif image does"
        )
        var png = ImageFixture.png.data
        png[15] = 0
        #expect(try failure(png).message == "The content is not a valid png image")
        #expect(try failure(Data()).code == .emptyResponse)
    }

    @Test("An image with more pixels than the limit is refused before the decoding")
    func limit() throws {
        var serializer = ImageResponseSerializer(
            maximumPixelCount: 35,
            decoder: StubDecoder(failure: LarkspurError(.unsupported, "It was decoded"))
        )
        #expect(try failure(ImageFixture.png.data, nil, serializer).message == "It was decoded")
        serializer.maximumPixelCount = 34
        #expect(
            try failure(ImageFixture.png.data, nil, serializer).message
                == "The image has 7 x 5 pixels, more than the 34 that are allowed"
        )
        // A few hundred bytes that would be 1.6 TB of pixels.
        var bomb = ImageFixture.png.data
        bomb.replaceSubrange(16..<24, with: SampleImages.big(632_455) + SampleImages.big(632_455))
        #expect(try failure(bomb).code == .responseSerializationFailed)
    }

    @Test("The decoder provides the pixels if decoding is on")
    func pixels() throws {
        var serializer = ImageResponseSerializer(decoder: StubDecoder())
        let pixels = try #require(try image(ImageFixture.gif.data, nil, serializer).pixels)
        #expect(pixels.bytes == Data(repeating: 9, count: 9 * 4 * 4))
        #expect(pixels[8, 3].map { [$0.red, $0.green, $0.blue, $0.alpha] } == [9, 9, 9, 9])
        #expect(pixels[9, 0] == nil && pixels[0, 4] == nil && pixels[-1, 0] == nil)
        serializer.decodesPixels = false
        #expect(try image(ImageFixture.gif.data, nil, serializer).pixels == nil)
    }

    @Test("A decoder that fails, or decodes another size, is an error")
    func failingDecoder() throws {
        let failing = ImageResponseSerializer(decoder: StubDecoder(failure: LarkspurError(.unsupported, "No")))
        #expect(try failure(ImageFixture.png.data, nil, failing).message == "No")
        let other = StubDecoder(pixels: ImagePixels(width: 1, height: 1, bytes: Data(count: 4)))
        #expect(
            try failure(ImageFixture.png.data, nil, ImageResponseSerializer(decoder: other)).message
                == "The decoded image has another size than its header says"
        )
    }

    @Test("Each pixel has four bytes")
    func pixelBytes() {
        #expect(ImagePixels(width: 2, height: 2, bytes: Data(count: 15)) == nil)
        #expect(ImagePixels(width: 0, height: 2, bytes: Data()) == nil)
        #expect(ImagePixels(width: .max, height: .max, bytes: Data()) == nil)
        #expect(ImagePixels(width: 2, height: 2, bytes: Data(count: 16)) != nil)
    }

    @Test("Changing a copy of a serializer does not change the original")
    func copy() {
        let original = ImageResponseSerializer()
        var copy = original
        copy.decodesPixels = false
        copy.maximumPixelCount = 1
        copy.acceptableStatusCodes = [404]
        #expect(original.decodesPixels && original.maximumPixelCount == 100_000_000)
        #expect(original.acceptableContentTypes == .images && original.acceptableStatusCodes == .successful)
        #expect(copy.acceptableContentTypes == original.acceptableContentTypes)
    }

    @Test(
        "The system's library decodes a PNG to its pixels",
        .enabled(if: SystemImageDecoder.canDecode(.png), "There is no libpng.")
    )
    func systemPNG() throws {
        let data = SampleImages.gradientPNG(width: 7, height: 5, blue: 77, alpha: 128)
        let pixels = try #require(try image(data, "image/png").pixels)
        for (x, y) in [(0, 0), (6, 0), (0, 4), (3, 2)] {
            let expected = [SampleImages.shade(x, of: 7), SampleImages.shade(y, of: 5), 77, 128]
            #expect(pixels[x, y].map { [$0.red, $0.green, $0.blue, $0.alpha] } == expected)
        }
        var corrupt = data
        corrupt[50] ^= 0xFF
        #expect(try failure(corrupt).message.hasPrefix("The png image could not be decoded: "))
    }

    @Test(
        "The system's library decodes a JPEG with any subsampling to its pixels",
        .enabled(if: SystemImageDecoder.canDecode(.jpeg), "There is no libjpeg-turbo."),
        arguments: [(ImageFixture.jpeg, [230, 80, 40, 255]), (.coarseJPEG, [128, 128, 128, 255])]
    )
    func systemJPEG(_ fixture: ImageFixture, _ color: [Int]) throws {
        let pixels = try #require(try image(fixture.data, "image/jpeg").pixels)
        for (x, y) in [(0, 0), (fixture.width - 1, fixture.height - 1)] {
            let pixel = try #require(pixels[x, y])
            let found = [pixel.red, pixel.green, pixel.blue, pixel.alpha].map(Int.init)
            #expect(zip(found, color).allSatisfy { abs($0 - $1) <= 6 }, "\(found)")
        }
    }

    @Test(
        "A JPEG in CMYK is not decoded, and an image that the system's library refuses is an error",
        .enabled(if: SystemImageDecoder.canDecode(.jpeg), "There is no libjpeg-turbo.")
    )
    func refusedJPEG() throws {
        #expect(try image(ImageFixture.cmykJPEG.data, "image/jpeg").pixels == nil)
        // With a comment in place of its quantization table, it is a whole file that cannot be decoded.
        var corrupt = ImageFixture.coarseJPEG.data
        let table = try #require(corrupt.firstRange(of: Data([0xFF, 0xDB])))
        corrupt[table.lowerBound + 1] = 0xFE
        #expect(try failure(corrupt).message.hasPrefix("The jpeg image could not be decoded: "))
    }

    @Test(
        "If the library finds another size than the header has, the image is not decoded",
        arguments: [ImageFixture.png, .jpeg].filter { SystemImageDecoder.canDecode($0.format) }
    )
    func otherSize(_ fixture: ImageFixture) throws {
        for (width, height) in [(fixture.width + 1, fixture.height), (fixture.width, fixture.height - 1)] {
            let header = ImageHeader(format: fixture.format, width: width, height: height)
            let error = try larkspurError { _ = try SystemImageDecoder().decode(fixture.data, header: header) }
            #expect(error.message.contains("another size"))
        }
    }

    @Test("Formats that AFNetworking does not inflate are not decoded", arguments: ImageFixture.all)
    func undecoded(_ fixture: ImageFixture) throws {
        let isDecoded = try image(fixture.data).pixels != nil
        #expect(isDecoded == SystemImageDecoder.canDecode(fixture.format))
        if fixture.format != .png && fixture.format != .jpeg { #expect(!isDecoded) }
    }
}
