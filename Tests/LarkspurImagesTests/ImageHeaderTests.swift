import Testing

@testable import ImageGallery
@testable import LarkspurImages

@Suite("Headers of images")
struct ImageHeaderTests {
    private func failure(_ data: Data) throws -> ImageHeader.Failure {
        try #require(throws: ImageHeader.Failure.self) { try ImageHeader(data) }
    }

    @Test("The format and the size are read without decoding", arguments: ImageFixture.all)
    func sizes(_ fixture: ImageFixture) throws {
        let header = try ImageHeader(fixture.data)
        #expect(header.format == fixture.format)
        #expect(ImageFormat(fixture.data) == fixture.format)
        #expect(header.width == fixture.width && header.height == fixture.height)
        // A slice, whose indices do not begin with 0.
        #expect(try ImageHeader((Data(count: 3) + fixture.data).dropFirst(3)) == header)
    }

    @Test("A truncated file is detected at every position", arguments: ImageFixture.all)
    func truncation(_ fixture: ImageFixture) throws {
        for length in 0..<fixture.data.count {
            let failure = try failure(fixture.data.prefix(length))
            // Before the format is recognized nobody can know.
            if length >= 12 { #expect(failure == .truncated(fixture.format), "\(length)") }
        }
    }

    @Test("Bytes after the image have no effect", arguments: [ImageFixture.png, .jpeg, .gif, .webp])
    func trailing(_ fixture: ImageFixture) throws {
        let header = try ImageHeader(fixture.data + Data("more".utf8))
        #expect(header.width == fixture.width && header.height == fixture.height)
    }

    @Test("No changed byte ends the process or leads to an invalid size", arguments: ImageFixture.all)
    func changes(_ fixture: ImageFixture) {
        for index in fixture.data.indices {
            for value in [0x00, 0x01, 0x7F, 0x80, 0xFF, fixture.data[index] ^ 0x10] as [UInt8] {
                var data = fixture.data
                data[index] = value
                check(data)
                if index + 4 <= data.count {
                    data.replaceSubrange(index..<index + 4, with: Data(repeating: value, count: 4))
                    check(data)
                }
            }
        }
    }

    @Test("No random bytes after the start of a format end the process", arguments: ImageFixture.all)
    func noise(_ fixture: ImageFixture) {
        var state: UInt64 = 88_172_645_463_325_252
        for _ in 0..<2_000 {
            var data = fixture.data
            for _ in 0..<8 {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                let index = data.startIndex + Int(truncatingIfNeeded: state >> 40) % data.count
                data[index] = UInt8(truncatingIfNeeded: state)
            }
            check(data)
        }
    }

    private func check(_ data: Data) {
        if let header = try? ImageHeader(data) {
            #expect(header.width > 0 && header.height > 0 && header.pixelCount > 0)
        }
    }

    @Test(
        "Bytes of an unknown format are not an image",
        arguments: ["", "B", "GIF88a", "<html>", "\u{89}PNG", "RIFF0000WAVE", "%PDF-1.7"]
    )
    func unknown(_ text: String) throws {
        #expect(try failure(Data(text.utf8)) == .unknownFormat)
        #expect(ImageFormat(Data(text.utf8)) == nil)
    }

    @Test("A width or a height of zero is malformed")
    func zero() throws {
        var png = ImageFixture.png.data
        png.replaceSubrange(16..<20, with: Data(count: 4))
        #expect(try failure(png) == .malformed(.png))
    }

    @Test("A PNG without content is malformed")
    func noContent() throws {
        let png = ImageFixture.png.data
        // The signature, IHDR and IEND.
        #expect(try failure(png.prefix(33) + png.suffix(12)) == .malformed(.png))
    }

    @Test("A JPEG with two frames is malformed, because decoders differ in their choice")
    func twoFrames() throws {
        let jpeg = ImageFixture.jpeg.data
        let start = try #require(jpeg.firstRange(of: Data([0xFF, 0xC2]))).lowerBound
        let frame = jpeg[start..<start + 19]
        #expect(try failure(jpeg[..<start] + frame + jpeg[start...]) == .malformed(.jpeg))
    }

    @Test("An extended WebP whose picture differs from its canvas is malformed")
    func canvas() throws {
        let extended = try #require(ImageFixture.all.first { $0.name == "extended WebP" })
        var data = extended.data
        data[24] = 1
        #expect(try failure(data) == .malformed(.webp))
    }

    @Test("The size of an icon is that of the picture in it")
    func pictureOfIcon() throws {
        let icon = try #require(ImageFixture.all.first { $0.format == .ico })
        var data = icon.data
        // The width of the PNG within.
        data.replaceSubrange(38 + 16..<38 + 20, with: SampleImages.big(100_000))
        #expect(try ImageHeader(data).width == 100_000)
    }

    @Test("The number of pixels does not overflow")
    func pixelCount() {
        #expect(ImageHeader(format: .avif, width: .max, height: 2).pixelCount == .max)
        #expect(ImageHeader(format: .avif, width: 3, height: 2).pixelCount == 6)
    }

    @Test("A format has its name, and a switch over formats needs a default case", arguments: ImageFormat.allCases)
    func names(_ format: ImageFormat) {
        let isPNG =
            switch format {
            case .png: true
            default: false
            }

        #expect(isPNG == (format.rawValue == "png"))
        #expect(ImageFormat(rawValue: format.rawValue) == format)
        #expect("\(format)" == format.rawValue)
        #expect(ImageFormat(rawValue: "PNG") == nil)
        #expect(Set(ImageFormat.allCases).count == 8)
    }

    @Test("A failure can be matched with its format, and describes the fault")
    func failures() {
        let failure = ImageHeader.Failure.truncated(.gif)
        let isTruncatedGIF =
            switch failure {
            case .truncated(.gif): true
            default: false
            }

        #expect(isTruncatedGIF && failure != .truncated(.png) && failure != .malformed(.gif))
        #expect("\(failure)" == "The content ends before the gif image does")
    }

    @Test(
        "Media types correspond to formats",
        arguments: [
            ("image/png", .png), ("image/jpeg", .jpeg), ("IMAGE/GIF; a=b", .gif), ("image/ico", .ico),
            ("image/x-icon", .ico), ("image/bmp", .bmp), ("image/x-bmp", .bmp), ("image/x-xbitmap", .bmp),
            ("image/x-win-bitmap", .bmp), ("image/tiff", .tiff), ("image/webp", .webp), ("image/avif", .avif),
            ("image/*", nil), ("application/octet-stream", nil),
        ] as [(String, ImageFormat?)]
    )
    func types(_ type: String, _ format: ImageFormat?) {
        #expect(ImageFormat(contentType: type) == format)
    }
}
