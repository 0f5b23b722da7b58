import Foundation
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur
@testable import LarkspurXML

/// Each reader of content, and each writer of what a caller may have from others, with 512 KiB of its worst: the cost
/// grows with the length.
@Suite("Costs of reading and writing content", .enabled(if: Growth.isMeasured), .serialized, .timeLimit(.minutes(5)))
struct ContentCostTests {
    @Test(
        "A binary property list whose containers share bytes is refused after a limited number of references",
        arguments: [4, 64]
    )
    func sharedContainers(count: Int) throws {
        let data = Self.shared(count: 1 << 16, objects: 1 << 14)
        let list = try #require(BinaryPropertyList(data))
        var references = 0
        #expect(!list.isTractable(reading: &references))
        #expect(references <= data.count)
        // As many objects as the list has are its own elements.
        let honest = BinaryPropertyListTests.document((0..<count).map { $0 == 0 ? Array(1..<min(15, count)) : [] })
        #expect(BinaryPropertyList(honest)?.isTractable == true)
    }

    /// A property list whose objects all are the same array of many references, each to another one.
    private static func shared(count: Int, objects: Int) -> Data {
        var data = Data("bplist00".utf8)
        data.append(contentsOf: [0xAF, 0x12])
        append(count, 4, to: &data)
        for index in 0..<count { append(index % objects, 2, to: &data) }
        let table = data.count
        for _ in 0..<objects { append(8, 4, to: &data) }
        data.append(contentsOf: [0, 0, 0, 0, 0, 0, 4, 2])
        for value in [objects, 0, table] { append(value, 8, to: &data) }
        return data
    }

    private static func append(_ value: Int, _ length: Int, to data: inout Data) {
        for shift in (0..<length).reversed() { data.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
    }

    @Test("Binary property lists are read in linear time", arguments: [1, 14])
    func propertyList(width: Int) {
        let lists = { (size: Int) in
            let count = size / 16
            return BinaryPropertyListTests.document(
                (0..<count).map { index in (0..<width).map { min(count - 1, index * width + 1 + $0) } }
            )
        }
        #expect(Growth.factor(of: lists) { _ = BinaryPropertyList($0)?.isTractable } < Growth.linear)
    }

    @Test(
        "XML is read in linear time",
        arguments: [
            "<a>", "<", "<?", "<? ", "<!", "<!DOCTYPE", "<?a b", "&", "&amp;", "<a/>", " ", "x", "]]>", "<!--",
            "<![CDATA[",
            "<?xml ", "encoding=", "\u{301}",
        ],
        ["", "<r>", "<?xml version=\"1.0\" encoding=\"utf-8\"", "<?xml "]
    )
    func xml(unit: String, start: String) {
        let documents = { (size: Int) in
            Data((start + String(repeating: unit, count: size / unit.utf8.count)).utf8)
        }
        #expect(Growth.factor(of: documents) { _ = try? XMLContent.parserInput($0) } < Growth.linear)
    }

    /// libxml2 itself copies the beginning of a comment for each pair of hyphens in it.
    @Test(
        "Comments in XML are refused in linear time, as libxml2 refuses them",
        arguments: [
            ("<r>", "<!--", ""), ("<r>", "<!--x", ""), ("<r><!--", "-", ""), ("<r><!--", "-", "--></r>"),
            ("<!DOCTYPE r [<!--", "--", ""), ("<!--", "-- ", "--><r/>"), ("<r><![CDATA[", "]]><!--", ""),
            ("<r><!--", "- ", "--></r>"), ("<r>", "<!---->", "</r>"),
        ],
        [String.Encoding.utf8, .utf16]
    )
    func comments(_ shape: (start: String, unit: String, end: String), encoding: String.Encoding) {
        let documents = { (size: Int) -> Data in
            let text = shape.start + String(repeating: shape.unit, count: size / shape.unit.utf8.count) + shape.end
            return text.data(using: encoding) ?? Data()
        }
        let document = XMLDocumentResponseSerializer()
        #expect(Growth.factor(of: documents) { _ = try? document.serialize($0, response: nil) } < Growth.linear)
        let parser = XMLParserResponseSerializer()
        #expect(
            Growth.factor(of: documents) { _ = try? parser.serialize($0, response: nil)?.parse() } < Growth.linear
        )
    }

    @Test(
        "JSON is read in linear time",
        arguments: ["[", "{\"a\":", "[null,", "\"", "\\", "1", " ", "[1],", "{\"\":null},"]
    )
    func json(unit: String) {
        let serializer = JSONResponseSerializer(removesKeysWithNullValues: true)
        let documents = { (size: Int) in
            Data(("[" + String(repeating: unit, count: size / unit.utf8.count) + "1]").utf8)
        }
        #expect(Growth.factor(of: documents) { _ = try? serializer.serialize($0, response: nil) } < Growth.linear)
        let decoding = DecodableResponseSerializer([Int?].self)
        #expect(Growth.factor(of: documents) { _ = try? decoding.serialize($0, response: nil) } < Growth.linear)
    }

    @Test(
        "Names in forms are written in linear time",
        arguments: ["\"", "\r", "\n", "\r\n", "\u{0}", "a", "\u{1F600}", "\u{301}"]
    )
    func names(unit: String) {
        let names = { (size: Int) in String(repeating: unit, count: size / unit.utf8.count) }
        #expect(Growth.factor(of: names) { _ = ContentDisposition.field(name: $0, fileName: $0) } < Growth.linear)
    }

    @Test("Queries are written in linear time", arguments: [" ", "a", "\u{1F600}", "["])
    func query(unit: String) {
        let encoder = QueryEncoder()
        let long = { (size: Int) in Parameters.dictionary(["a": String(repeating: unit, count: size / unit.utf8.count)])
        }
        #expect(Growth.factor(of: long) { _ = try? encoder.encode($0) } < Growth.linear)
        let list = { (size: Int) in Parameters.dictionary(["a": Array(repeating: unit, count: size / 16)]) }
        #expect(Growth.factor(of: list) { _ = try? encoder.encode($0) } < Growth.linear)
        let keys = { (size: Int) in
            Parameters.dictionary(Dictionary(uniqueKeysWithValues: (0..<size / 16).map { (unit + String($0), unit) }))
        }
        #expect(Growth.factor(of: keys) { _ = try? encoder.encode($0) } < Growth.linear)
    }

    @Test(
        "Event streams in chunks of any length are read in linear time",
        arguments: ["\n", "\r", "\r\n", "data\n", "data: x\n\n", "id: x\n", ": x\n", "x", "\u{1F600}", "\u{0}"],
        [1, 100, 1 << 20]
    )
    func eventStream(unit: String, length: Int) {
        let streams = { (size: Int) in
            Array(("data: x\n" + String(repeating: unit, count: size / unit.utf8.count)).utf8)
        }
        let work = { (stream: [UInt8]) in
            var parser = EventStreamParser()
            for start in stride(from: 0, to: stream.count, by: length) {
                parser.append(stream[start..<min(start + length, stream.count)])
                while let event = try? parser.next() { _ = event }
            }
        }
        #expect(Growth.factor(of: streams, work) < Growth.linear)
    }

    struct Parser: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let parse: @Sendable ([UInt8]) -> Void

        init(_ description: String, _ parse: @escaping @Sendable ([UInt8]) -> Void) {
            testDescription = description
            self.parse = parse
        }
    }

    static let parsers = [
        Parser("an event stream") { bytes in
            var parser = EventStreamParser()
            for start in stride(from: 0, to: bytes.count, by: 100) {
                parser.append(bytes[start..<min(start + 100, bytes.count)])
                while (try? parser.next()) != nil {}
            }
        },
        Parser("a media type") { _ = MediaType("text/html;" + String(decoding: $0, as: UTF8.self)) },
        Parser("XML") { _ = try? XMLContent.parserInput(Data("<r>".utf8) + Data($0)) },
        Parser("JSON") { _ = try? JSONResponseSerializer().serialize(Data("[".utf8) + Data($0), response: nil) },
        Parser("a property list") { _ = BinaryPropertyList(Data("bplist00".utf8) + Data($0))?.isTractable },
        Parser("the name of a part") { bytes in
            let name = String(decoding: bytes, as: UTF8.self)
            _ = ContentDisposition.field(name: name, fileName: name)
        },
    ]

    @Test("Every class of bytes is read in linear time", arguments: parsers)
    func byteClasses(_ parser: Parser) {
        #expect(ByteInputs.excesses(parser.parse) == [])
    }

    @Test(
        "Callers with distinct priorities enter and leave a waiting line in linear time, in any order",
        .seeded,
        arguments: 0..<4
    )
    func waitingLine(order: Int) {
        let priorities = { (count: Int) -> [Int] in
            var random = SeededGenerator()
            return switch order {
            case 0: Array(0..<count)
            case 1: (0..<count).reversed()
            case 2: (0..<count).shuffled(using: &random)
            default: (0..<count).map { $0 % 100 }
            }
        }
        let growth = Growth.factor(of: priorities, upTo: 1 << 15) { priorities in
            var line = WaitingLine<Int>()
            for (id, priority) in priorities.enumerated() { line.add(id, id, priority: priority) }
            // A third leaves before its turn.
            for id in stride(from: 0, to: priorities.count, by: 3) { _ = line.remove(id) }
            while line.popFirst() != nil {}
        }
        #expect(growth < Growth.linear)
    }

    @Test("Media types are read in linear time", arguments: [";", "; a=b", "; a=\"", "\\", "/", " ", ";charset=utf-8"])
    func mediaType(unit: String) {
        let types = { (size: Int) in "text/html" + String(repeating: unit, count: size / unit.utf8.count) }
        #expect(Growth.factor(of: types) { _ = MediaType($0) } < Growth.linear)
    }
}
