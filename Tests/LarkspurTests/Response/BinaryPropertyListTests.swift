import Testing

@testable import Larkspur

struct BinaryPropertyListTests {
    static let hostile: [Data] = [
        deep(100_000), deep(512), document([[0]]), document([[1], [0]]), bomb(200), bomb(40),
        Data("bplist00"), Data("bplist"), Data("bplist00") + Data(repeating: 0xFF, count: 64),
        Data("bplist00") + Data(repeating: 0, count: 64), document([[5]]), document([[1], []]).dropLast(),
        containing([0xC0]), containing([0x00]), containing([0x0C]), containing([0xB0]),
        document([[1], []], top: 2), document([[1], []], table: 1_000_000),
    ]

    /// A binary property list of nothing but arrays: each is the list of the objects in it.
    static func document(_ arrays: [[Int]], top: Int = 0, table: Int? = nil) -> Data {
        var data = Data("bplist00")
        var offsets: [Int] = []
        func append(_ value: Int, _ length: Int) {
            for shift in (0..<length).reversed() { data.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
        }
        for references in arrays {
            offsets.append(data.count)
            data.append(0xA0 | UInt8(references.count))
            for reference in references { append(reference, 4) }
        }
        let start = data.count
        for offset in offsets { append(offset, 4) }
        data.append(contentsOf: [0, 0, 0, 0, 0, 0, 4, 4])
        for value in [arrays.count, top, table ?? start] { append(value, 8) }
        return data
    }

    /// A binary property list of one object, given as its bytes.
    private static func containing(_ object: [UInt8]) -> Data {
        var data = Data("bplist00") + Data(object) + Data([8, 0, 0, 0, 0, 0, 0, 1, 1])
        for value in [1, 0, UInt8(8 + object.count)] { data.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, value]) }
        return data
    }

    private static func deep(_ depth: Int) -> Data { document((0..<depth).map { [$0 + 1] } + [[]]) }

    /// Each array holds the next one twice, so that the whole is 2^depth arrays.
    private static func bomb(_ depth: Int) -> Data { document((0..<depth).map { [$0 + 1, $0 + 1] } + [[]]) }

    private func isTractable(_ data: Data) -> Bool { BinaryPropertyList(data)?.isTractable == true }

    @Test(arguments: hostile)
    func whatCannotBeExpandedIsRefused(data: Data) {
        #expect(!isTractable(data))
    }

    @Test func whatAWriterWritesIsTractable() throws {
        let rows = (0..<2_000).map { ["id": $0, "name": "row", "tags": ["a", "b"]] as [String: Any] }
        let data = try PropertyListSerialization.data(
            fromPropertyList: ["rows": rows, "blob": Data(count: 5_000), "text": String(repeating: "x", count: 99)],
            format: .binary,
            options: 0
        )
        #expect(isTractable(data))
        #expect(isTractable(Data("prefix") + data) == false)
        #expect(isTractable((Data("prefix") + data).dropFirst(6)))
    }

    @Test func sharedAndDeepListsWithinTheLimitsAreTractable() {
        #expect(isTractable(Self.bomb(10)))
        #expect(isTractable(Self.containing([0x09])))
        #expect(isTractable(Self.deep(500)))
        #expect(isTractable(Self.document([[1, 1, 2], [2], []])))
        #expect(isTractable(Self.document([[], [0]], top: 1)))
    }

    @Test func aSliceOfAnotherBufferIsRead() throws {
        let data = (Data("junk") + Self.document([[1], []])).dropFirst(4)
        let object = try PropertyListResponseSerializer().serialize(data, response: nil)
        #expect((object as? [Any])?.count == 1)
    }
}
