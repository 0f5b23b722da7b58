import TestSupport
import Testing

@testable import LarkspurImages

/// The reader of image files with 512 KiB of the worst of each format: the cost grows with the length.
@Suite("Costs of image files", .enabled(if: Growth.isMeasured), .serialized, .timeLimit(.minutes(5)))
struct ImageCostTests {
    @Test(
        "Image files are read in linear time",
        arguments: [
            ("GIF", Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0], [0x21, 0xFE, 0x00]),
            ("GIF with an extension", Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x21, 0xFE], [0x01, 0x00]),
            ("JPEG with segments", [0xFF, 0xD8], [0xFF, 0xE1, 0x00, 0x02]),
            ("JPEG with fill bytes", [0xFF, 0xD8], [0xFF]),
            ("JPEG with scans", [0xFF, 0xD8], [0xFF, 0xDA, 0x00, 0x02]),
            (
                "PNG",
                [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
                    + [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 0, 0, 0, 0],
                [0, 0, 0, 0, 0x74, 0x45, 0x58, 0x74, 0, 0, 0, 0]
            ),
            (
                "AVIF", [0, 0, 0, 20] + Array("ftypavif".utf8) + [0, 0, 0, 0] + Array("avif".utf8),
                [0, 0, 0, 8] + Array("free".utf8)
            ),
            ("ICO", [0, 0, 1, 0, 0xFF, 0xFF], [16, 16, 0, 0, 1, 0, 32, 0, 40, 0, 0, 0, 0xF6, 0xFF, 0x0F, 0]),
        ] as [(String, [UInt8], [UInt8])]
    )
    func files(_ row: (name: String, start: [UInt8], unit: [UInt8])) {
        let files = { (size: Int) in
            Data(row.start + Array(repeatElement(row.unit, count: size / row.unit.count).joined()))
        }
        #expect(Growth.factor(of: files) { _ = try? ImageHeader($0) } < Growth.linear)
    }

    @Test("Cancelling all callers that wait for one image takes linear time", arguments: [false, true])
    func cancellation(isReversed: Bool) throws {
        let request = URLRequest(url: try #require(URL(string: "http://a.test/image.png")))
        let identifiers = { (count: Int) in (0..<count).map { _ in UUID() } }
        let growth = Growth.factor(of: identifiers, upTo: 1 << 15) { identifiers in
            var queue = ImageDownloadQueue<Int>(prioritization: .firstInFirstOut, maximumActiveDownloads: 1)
            for id in identifiers { _ = queue.add(request, id: id, waiter: 0) }
            for id in isReversed ? identifiers.reversed() : identifiers { #expect(queue.cancel(id) != nil) }
        }
        #expect(growth < Growth.linear)
    }
}
