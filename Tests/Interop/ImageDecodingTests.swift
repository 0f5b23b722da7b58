#if canImport(FoundationNetworking)
import LarkspurImages
import Testing

@testable import ImageGallery

/// The system's libraries of images, which Tests/Interop/servers.sh installs.
@Suite("Decoding with the system's libraries", .needsServers)
struct ImageDecodingTests {
    private func pixels(_ data: Data) throws -> ImagePixels? {
        try ImageResponseSerializer().serialize(data, response: nil).pixels
    }

    private func components(_ pixels: ImagePixels, _ x: Int, _ y: Int) -> [UInt8] {
        pixels[x, y].map { [$0.red, $0.green, $0.blue, $0.alpha] } ?? []
    }

    @Test("Libraries for PNG and JPEG are available")
    func libraries() {
        #expect(ImageFormat.allCases.filter(SystemImageDecoder.canDecode) == [.png, .jpeg])
    }

    @Test("A PNG is decoded to its exact pixels, without an effect of its alpha on the colours")
    func png() throws {
        let data = SampleImages.gradientPNG(width: 20, height: 10, blue: 7, alpha: 64)
        let pixels = try #require(try pixels(data))
        for y in 0..<10 {
            for x in 0..<20 {
                #expect(
                    components(pixels, x, y) == [SampleImages.shade(x, of: 20), SampleImages.shade(y, of: 10), 7, 64]
                )
            }
        }
    }

    @Test("A JPEG is decoded to approximately its colour")
    func jpeg() throws {
        let pixels = try #require(try pixels(SampleImages.jpeg))
        #expect(pixels.bytes.count == 24 * 16 * 4)
        for (x, y) in [(0, 0), (23, 0), (0, 15), (23, 15), (12, 8)] {
            for (actual, expected) in zip(components(pixels, x, y), [230, 80, 40, 255]) {
                #expect(abs(Int(actual) - expected) < 8)
            }
        }
    }

    @Test("A JPEG in CMYK is not decoded")
    func cmyk() throws {
        let image = try ImageResponseSerializer().serialize(Self.cmyk, response: nil)
        #expect(image.width == 8 && image.height == 8)
        #expect(image.pixels == nil)
    }

    @Test("An image that a library refuses is an error")
    func refused() throws {
        // The first segment of tables is another one, which no decoder skips.
        var jpeg = SampleImages.jpeg
        let table = try #require(jpeg.firstRange(of: Data([0xFF, 0xDB]))).lowerBound
        jpeg[table + 4] = 0xFF
        var png = SampleImages.gradientPNG(width: 20, height: 10)
        png[60] ^= 0xFF
        for data in [jpeg, png] {
            let error = try #require(throws: LarkspurError.self) { try pixels(data) }
            #expect(error.code == .responseSerializationFailed)
            #expect(error.message.contains("image could not be decoded: "))
        }
    }

    @Test("Changed bytes lead to pixels or an error, and do not end the process")
    func changes() {
        for original in [SampleImages.jpeg, SampleImages.gradientPNG(width: 20, height: 10), Self.cmyk] {
            for index in original.indices {
                var data = original
                data[index] ^= 0x55
                if let pixels = try? pixels(data) { #expect(pixels.bytes.count == pixels.width * pixels.height * 4) }
            }
        }
    }

    private static let cmyk = SampleImages.data(
        """
        /9j/7gAOQWRvYmUAZAAAAAAC/9sAQwAUDg8SDw0UEhASFxUUGB4yIR4cHB49LC4kMklATEtHQEZFUFpzYlBVbVZFRmSIZW13e4GC
        gU5gjZeMfZZzfoF8/9sAQwEVFxceGh47ISE7fFNGU3x8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8
        fHx8fHx8/8IAFAgACAAIBAEiAAIRAQMRAQQiAP/EABUAAQEAAAAAAAAAAAAAAAAAAAAF/8QAFQEBAQAAAAAAAAAAAAAAAAAAAQL/
        2gAOBAEAAhADEAQAAAABrCWKP//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAQUCf//EABQRAQAAAAAAAAAAAAAAAAAAAAD/
        2gAIAQIBAQUCf//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQMBAQUCf//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQQAAQUC
        f//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEABj8Cf//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQIBBj8Cf//EABQRAQAA
        AAAAAAAAAAAAAAAAAAD/2gAIAQMBBj8Cf//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQQABj8Cf//EABQQAQAAAAAAAAAAAAAA
        AAAAAAD/2gAIAQEAAT8hf//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQIBAT8hf//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAI
        AQMBAT8hf//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQQAAT8hf//aAA4EAQACAAMABAAAABAL/wD/xAAUEAEAAAAAAAAAAAAA
        AAAAAAAA/9oACAEBAAE/EH//xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oACAECAQE/EH//xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oA
        CAEDAQE/EH//xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oACAEEAAE/EH//2Q==
        """
    )
}
#endif
