import LarkspurImages
import Testing

@testable import ImageGallery

/// An image of each format, with its size.
struct ImageFixture: Sendable, CustomTestStringConvertible {
    let name: String
    let format: ImageFormat
    let width: Int
    let height: Int
    let data: Data

    var testDescription: String { name }

    init(_ name: String, _ format: ImageFormat, _ width: Int, _ height: Int, _ data: Data) {
        self.name = name
        self.format = format
        self.width = width
        self.height = height
        self.data = data
    }

    static let png = ImageFixture("PNG", .png, 7, 5, SampleImages.gradientPNG(width: 7, height: 5))
    static let jpeg = ImageFixture("JPEG", .jpeg, 24, 16, SampleImages.jpeg)
    static let gif = ImageFixture("GIF", .gif, 9, 4, SampleImages.stripedGIF(width: 9, height: 4))
    static let webp = ImageFixture("lossless WebP", .webp, 1, 1, SampleImages.webp)

    /// Its brightness has eight samples where its colours have one (4:1:0); grey.
    static let coarseJPEG = ImageFixture("JPEG in 4:1:0", .jpeg, 32, 16, greyJPEG(32, 16, samples: [0x42, 0x11, 0x11]))
    static let cmykJPEG = ImageFixture(
        "JPEG in CMYK",
        .jpeg,
        8,
        8,
        greyJPEG(8, 8, samples: [0x11, 0x11, 0x11, 0x11], isCMYK: true)
    )

    static let all: [ImageFixture] = [
        png, jpeg, gif, webp,
        ImageFixture("BMP", .bmp, 6, 4, SampleImages.checkedBMP(width: 6, height: 4)),
        ImageFixture("ICO", .ico, 20, 10, icon),
        ImageFixture("TIFF, least significant byte first", .tiff, 3, 2, tiff(isBigEndian: false)),
        ImageFixture("TIFF, most significant byte first", .tiff, 3, 2, tiff(isBigEndian: true)),
        ImageFixture("lossy WebP", .webp, 300, 200, riff(chunk("VP8 ", vp8(300, 200)))),
        ImageFixture(
            "extended WebP",
            .webp,
            300,
            200,
            riff(chunk("VP8X", little(0, 4) + little(299, 3) + little(199, 3)) + chunk("VP8 ", vp8(300, 200)))
        ),
        ImageFixture(
            "animated WebP",
            .webp,
            70_000,
            2,
            riff(chunk("VP8X", little(2, 4) + little(69_999, 3) + little(1, 3)) + chunk("ANMF", Data(count: 17)))
        ),
        ImageFixture("AVIF", .avif, 640, 480, avif(640, 480)),
    ]

    // MARK: Formats

    /// A JPEG of one block of coded data, in which nothing differs from the middle of its range.
    /// - Parameter samples: How finely each component is sampled, in the form of a frame's header.
    private static func greyJPEG(_ width: Int, _ height: Int, samples: [UInt8], isCMYK: Bool = false) -> Data {
        func segment(_ marker: UInt8, _ content: Data) -> Data {
            Data([0xFF, marker]) + little(content.count + 2, 2).reversed() + content
        }
        let size = Data(little(height, 2).reversed()) + little(width, 2).reversed()
        let components = samples.enumerated().reduce(Data()) { $0 + [UInt8($1.offset + 1), $1.element, 0] }
        let scans = samples.indices.reduce(Data()) { $0 + [UInt8($1 + 1), 0] }
        // One code, of one bit, for no difference and for the end of a block: two bits a block.
        let codes = Data([1] + [UInt8](repeating: 0, count: 16))
        let bits = samples.reduce(0) { $0 + Int($1 >> 4) * Int($1 & 15) } * 2
        var content = Data(count: (bits + 7) / 8)
        content[content.endIndex - 1] = UInt8(0xFF >> (8 - (content.count * 8 - bits)))
        let adobe = isCMYK ? segment(0xEE, Data("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]) : Data()
        return Data([0xFF, 0xD8]) + adobe + segment(0xDB, Data([0]) + Data(repeating: 1, count: 64))
            + segment(0xC0, Data([8]) + size + [UInt8(samples.count)] + components)
            + segment(0xC4, Data([0]) + codes + [0x10] + codes)
            + segment(0xDA, Data([UInt8(samples.count)]) + scans + [0, 63, 0]) + content + [0xFF, 0xD9]
    }

    /// A PNG of 20 by 10 pixels, and a bitmap of 8 by 8 with its mask.
    private static var icon: Data {
        let picture = SampleImages.gradientPNG(width: 20, height: 10)
        let bitmap = little(40, 4) + little(8, 4) + little(16, 4) + little(1, 2) + little(32, 2) + Data(count: 24 + 288)
        var icon = little(0, 2) + little(1, 2) + little(2, 2)
        icon += Data([20, 10, 0, 0, 1, 0, 32, 0]) + little(picture.count, 4) + little(38, 4)
        icon += Data([8, 8, 0, 0, 1, 0, 32, 0]) + little(bitmap.count, 4) + little(38 + picture.count, 4)
        return icon + picture + bitmap
    }

    private static func tiff(isBigEndian: Bool) -> Data {
        func number(_ value: Int, _ size: Int) -> Data {
            isBigEndian ? Data(little(value, size).reversed()) : little(value, size)
        }
        func entry(_ tag: Int, _ values: [Int], offset: Int? = nil) -> Data {
            var content = values.reduce(Data()) { $0 + number($1, 2) }
            if let offset { content = number(offset, 4) } else { content += Data(count: 4 - content.count) }
            return number(tag, 2) + number(3, 2) + number(values.count, 4) + content
        }
        var file = Data((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4) + number(4, 2)
        // Two strips of three bytes, then the three numbers that do not fit into their entry.
        file += entry(256, [3]) + entry(257, [2]) + entry(273, [62, 65]) + entry(279, [3, 3]) + number(0, 4)
        return file + Data(count: 6)
    }

    private static func vp8(_ width: Int, _ height: Int) -> Data {
        Data([0x10, 0, 0, 0x9D, 0x01, 0x2A]) + little(width, 2) + little(height, 2) + Data(count: 10)
    }

    private static func riff(_ chunks: Data) -> Data {
        Data("RIFF".utf8) + little(chunks.count + 4, 4) + Data("WEBP".utf8) + chunks
    }

    private static func chunk(_ type: String, _ content: Data) -> Data {
        Data(type.utf8) + little(content.count, 4) + content + Data(count: content.count % 2)
    }

    static func avif(_ width: Int, _ height: Int) -> Data {
        let extent = box("ispe", Data(count: 4) + SampleImages.big(width) + SampleImages.big(height))
        let properties = box("iprp", box("ipco", box("ispe", Data(count: 12)) + extent))
        return box("ftyp", Data("avif".utf8) + Data(count: 4)) + box("meta", Data(count: 4) + properties)
            + box("mdat", Data(count: 5))
    }

    private static func box(_ type: String, _ content: Data) -> Data {
        SampleImages.big(content.count + 8) + Data(type.utf8) + content
    }

    private static func little(_ value: Int, _ size: Int) -> Data { SampleImages.little(value, size) }
}
