import LarkspurImages
import LarkspurTesting

/// Images that are created here, or are small enough to be part of the source code.
enum SampleImages {
    /// Creates a PNG whose pixels depend on their positions: red increases to the right, green downwards. Blue and
    /// alpha are constant.
    static func gradientPNG(width: Int, height: Int, blue: UInt8 = 128, alpha: UInt8 = 255) -> Data {
        var rows = Data()
        for y in 0..<height {
            // The filter type of the row: none.
            rows.append(0)
            for x in 0..<width { rows.append(contentsOf: [shade(x, of: width), shade(y, of: height), blue, alpha]) }
        }
        let header = big(width) + big(height) + Data([8, 6, 0, 0, 0])
        return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + chunk("IHDR", header)
            + chunk("IDAT", LoopbackServer.ContentCoding.deflate.encode(rows)) + chunk("IEND", Data())
    }

    /// Returns the gradient's value at a position, from 0 to 255.
    static func shade(_ place: Int, of size: Int) -> UInt8 { UInt8(clamping: place * 255 / max(1, size - 1)) }

    /// Creates a GIF with stripes of four colours. All its codes have 8 bits, because the table is cleared before they
    /// would need more.
    static func stripedGIF(width: Int, height: Int) -> Data {
        var codes = Data()
        for pixel in 0..<width * height {
            if pixel % 120 == 0 { codes.append(0x80) }
            codes.append(UInt8(pixel % width / 4 % 4))
        }
        codes.append(0x81)
        var gif = Data("GIF89a".utf8) + little(width, 2) + little(height, 2) + Data([0x81, 0, 0])
        gif += [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255]
        gif += [0x2C, 0, 0, 0, 0] + little(width, 2) + little(height, 2) + [0, 7]
        while !codes.isEmpty {
            let block = codes.prefix(255)
            codes = codes.dropFirst(block.count)
            gif += [UInt8(block.count)] + block
        }
        return gif + [0, 0x3B]
    }

    /// Creates a Windows bitmap of 24 bits with black and white checks.
    static func checkedBMP(width: Int, height: Int) -> Data {
        let row = (width * 3 + 3) / 4 * 4
        var bmp = Data("BM".utf8) + little(54 + row * height, 4) + little(0, 4) + little(54, 4)
        bmp += little(40, 4) + little(width, 4) + little(height, 4) + little(1, 2) + little(24, 2)
        bmp += Data(count: 24)
        for y in 0..<height {
            for x in 0..<width { bmp += Data(repeating: (x / 5 + y / 5) % 2 == 0 ? 0 : 255, count: 3) }
            bmp += Data(count: row - width * 3)
        }
        return bmp
    }

    /// A progressive JPEG of 24 by 16 pixels, of one colour: red 230, green 80, blue 40.
    static let jpeg = data(
        """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7
        gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8
        fHx8fHx8fHz/wgARCAAQABgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAL/xAAVAQEBAAAAAAAAAAAAAAAAAAAABP/a
        AAwDAQACEAMQAAABkTXgf//EABQQAQAAAAAAAAAAAAAAAAAAACD/2gAIAQEAAQUCX//EABQRAQAAAAAAAAAAAAAAAAAAABD/2gAI
        AQMBAT8BP//EABQRAQAAAAAAAAAAAAAAAAAAABD/2gAIAQIBAT8BP//EABQQAQAAAAAAAAAAAAAAAAAAACD/2gAIAQEABj8CX//E
        ABQQAQAAAAAAAAAAAAAAAAAAACD/2gAIAQEAAT8hX//aAAwDAQACAAMAAAAQ++//xAAUEQEAAAAAAAAAAAAAAAAAAAAQ/9oACAED
        AQE/ED//xAAUEQEAAAAAAAAAAAAAAAAAAAAQ/9oACAECAQE/ED//xAAUEAEAAAAAAAAAAAAAAAAAAAAg/9oACAEBAAE/EF//2Q==
        """
    )

    /// A lossless WebP of 1 by 1 pixel.
    static let webp = data("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")

    // MARK: Bytes

    static func data(_ base64: String) -> Data {
        Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data()
    }

    private static func chunk(_ type: String, _ content: Data) -> Data {
        let body = Data(type.utf8) + content
        // gzip ends with the checksum that PNG also uses, in the opposite byte order, and with a length.
        let checksum = LoopbackServer.ContentCoding.gzip.encode(body).suffix(8).prefix(4)
        return big(content.count) + body + checksum.reversed()
    }

    static func big(_ value: Int) -> Data { Data(little(value, 4).reversed()) }

    static func little(_ value: Int, _ size: Int) -> Data {
        Data((0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }
}
