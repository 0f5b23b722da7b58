#if canImport(FoundationNetworking)
import TestSupport
import Testing

@testable import LarkspurTransport

/// Files of the cache with a head of 512 KiB: the cost of writing and reading grows with the length.
@Suite("Costs of cache files", .enabled(if: Growth.isMeasured), .serialized, .timeLimit(.minutes(5)))
struct CacheFileCostTests {
    struct Shape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let entry: @Sendable (Int) -> CacheEntry
    }

    private static func long(_ unit: String, _ size: Int) -> String {
        String(repeating: unit, count: size / unit.utf8.count)
    }

    private static func fields(_ size: Int, _ name: (Int) -> String) -> [String: String] {
        Dictionary(uniqueKeysWithValues: (0..<size / 24).map { (name($0), "v") })
    }

    static let shapes = [
        Shape(testDescription: "many fields") { .made(fields($0) { "X-\($0)" }) },
        Shape(testDescription: "many fields beyond ASCII") { .made(fields($0) { "\u{E9}\($0)" }) },
        Shape(testDescription: "long fields") { .made([long("n", $0 / 2): long("\u{301}", $0 / 2)]) },
        Shape(testDescription: "a long URL") { .made(url: "http://a.test/" + long("a", $0)) },
        Shape(testDescription: "a long host") { .made(url: "http://" + long("a.", $0)) },
        Shape(testDescription: "names that it varies by") { size in
            .made(varying: (0..<size / 24).map { .init(name: "n\($0)", value: $0 % 2 == 0 ? nil : "v") })
        },
        Shape(testDescription: "a long credential") { .made(authorization: long("a", $0)) },
        Shape(testDescription: "long content") { .made(content: long("a", $0)) },
    ]

    @Test("An intact file is encoded and decoded in linear time", arguments: shapes)
    func whole(shape: Shape) {
        #expect(Growth.factor(of: shape.entry) { _ = CacheFile.encode($0) } < Growth.linear)
        #expect(Growth.factor(of: shape.entry) { _ = CacheFile.name(of: $0) } < Growth.linear)
        let growth = Growth.factor(of: { CacheFile.encode(shape.entry($0)) }) { file in
            #expect(CacheFile.decode(file) != nil)
        }
        #expect(growth < Growth.linear)
    }

    @Test("A damaged head is rejected in linear time", arguments: [0, 1, 2, 0x20, 0xFF])
    func damaged(byte: UInt8) {
        let heads = { (size: Int) -> Data in
            var writer = ByteWriter()
            writer.write("http://a.test/")
            writer.write(200)
            writer.write("HTTP/1.1")
            writer.write(Date())
            writer.write(Date())
            writer.write(String?.none)
            // As many as there may be, each of nothing.
            writer.write(UInt64(size))
            return writer.data + Data(repeating: byte, count: size)
        }
        #expect(Growth.factor(of: heads) { _ = CacheEntry(encodedHead: $0, content: Data()) } < Growth.linear)
    }

    @Test("A file name is parsed in linear time", arguments: ["a", "-", "\u{301}", ".entry"])
    func name(unit: String) {
        #expect(Growth.factor(of: { Self.long(unit, $0) }) { _ = CacheFile.sum(ofName: $0) } < Growth.linear)
    }
}
#endif
