import HTTPSyntax
import Foundation
import Testing

@testable import LarkspurTesting

@Suite struct CodingTests {
    @Test("The checksums equal those of gzip and zlib")
    func checksums() {
        #expect(CodingChecksum.crc32(Data("123456789".utf8)) == 0xCBF4_3926)
        #expect(CodingChecksum.crc32(Data()) == 0)
        #expect(CodingChecksum.adler32(Data("Wikipedia".utf8)) == 0x11E6_0398)
        #expect(CodingChecksum.adler32(Data()) == 1)
    }

    @Test("Stored blocks contain the data in chunks of limited size", arguments: [0, 1, 65_535, 65_536, 200_000])
    func storedBlocks(count: Int) {
        let data = Data((0..<count).lazy.map { UInt8(truncatingIfNeeded: $0 &* 31) })
        var rest = [UInt8](Deflate.storedBlocks(data))[...]
        var decoded = Data()
        var isLast = false
        while !isLast, rest.count >= 5 {
            let header = Array(rest.prefix(5))
            isLast = header[0] == 1
            let length = Int(header[1]) | Int(header[2]) << 8
            #expect(length == ~(Int(header[3]) | Int(header[4]) << 8) & 0xFFFF)
            decoded += rest.dropFirst(5).prefix(length)
            rest = rest.dropFirst(5 + length)
        }
        #expect(isLast && rest.isEmpty)
        #expect(decoded == data)
    }

    @Test("A gzip stream ends with the checksum and the length, and a zlib stream with its checksum")
    func trailers() {
        let data = Data("123456789".utf8)
        #expect(LoopbackServer.ContentCoding.gzip.encode(data).suffix(8) == Data([0x26, 0x39, 0xF4, 0xCB, 9, 0, 0, 0]))
        #expect(LoopbackServer.ContentCoding.gzip.encode(data).prefix(3) == Data([0x1F, 0x8B, 8]))
        let zlib = [UInt8](LoopbackServer.ContentCoding.deflate.encode(data))
        #expect((Int(zlib[0]) << 8 | Int(zlib[1])).isMultiple(of: 31))
        #expect(zlib.suffix(4) == [0x09, 0x1E, 0x01, 0xDE])
    }

    @Test(
        "Percent escapes are decoded, and invalid escapes stay",
        arguments: [
            ("a%20b", "a b"), ("%e2%82%AC", "€"), ("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("%E9", "é"),
            ("a+b", "a+b"),
            ("%2", "%2"), ("%41", "A"),
        ]
    )
    func percent(escaped: String, text: String) {
        #expect(escaped.percentDecoded() == text)
    }

    @Test("A form keeps the order of its items, and its empty and missing values")
    func form() {
        let items = FormDecoding.items(of: "a=1&b&&c=&a=x+y%3D=z")
        #expect(items.map(\.name) == ["a", "b", "c", "a"])
        #expect(items.map(\.value) == ["1", nil, "", "x y==z"])
        let accents = FormDecoding.items(of: "\u{301}a=\u{301}1&\u{FE0F}b=2")
        #expect(accents.map(\.name) == ["\u{301}a", "\u{FE0F}b"])
        #expect(accents.map(\.value) == ["\u{301}1", "2"])
    }

    @Test("Quoted parameters may contain the separator")
    func parameters() {
        let parameters = FieldParameters(#"form-data; Name="a;\"b\"" ; filename=c.txt; name=second; flag"#)
        #expect(parameters.leading == "form-data")
        #expect(parameters.values == ["name": #"a;"b""#, "filename": "c.txt"])
    }

    @Test("An accent after a separator or a quote belongs to the text after it")
    func accents() {
        let text = "attachment; filename=\"\u{301}a.txt\"; size=3;\u{FE0F}x=\u{301}y; z=\"\\\u{301}\""
        let parameters = FieldParameters(text)
        #expect(parameters.leading == "attachment")
        let values: [TextKey: String] = [
            "filename": "\u{301}a.txt", "size": "3", "\u{FE0F}x": "\u{301}y", "z": "\u{301}",
        ]
        #expect(parameters.values == values)
        #expect(FieldParameters("a;\u{301}b").leading == "a")
        #expect("\"\u{301}a\"".unquoted == "\u{301}a")
    }

    @Test("Each part of a multipart body has its headers")
    func multipart() throws {
        let text =
            "preamble\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n2\r\n"
            + "--b \r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.bin\"\r\nContent-Type: x/y\r\n\r\n\r\n"
            + "--b\r\n\r\nbare\r\n--b--\r\nepilogue"
        let parts = try #require(Multipart(Data(text.utf8), boundary: "b")).parts
        #expect(parts.map { String(decoding: $0.data, as: UTF8.self) } == ["1\r\n2", "", "bare"])
        #expect(parts.map(\.name) == ["a", "f", nil])
        #expect(parts.map(\.fileName) == [nil, "x.bin", nil])
        #expect(parts[1].headers["content-type"] == "x/y")
        let accent = try #require(Multipart(Data("--b\r\nA:\u{301}x\r\n\r\n1\r\n--b--".utf8), boundary: "b")).parts
        #expect(accent.first?.headers["A"] == "\u{301}x")
    }

    @Test(
        "A multipart body that breaks the format has no parts",
        arguments: [
            "", "--b", "--b\r\n", "--b\r\n\r\nx", "--b\r\n--b--", "--b\r\nno colon\r\n\r\nx\r\n--b--",
            "--bx\r\n\r\ny\r\n--b--",
            "--b\r\nA: b\r\n--b--",
        ]
    )
    func brokenMultipart(text: String) {
        #expect(Multipart(Data(text.utf8), boundary: "b") == nil)
    }

    @Test(
        "Dates are written in the format that HTTP prefers",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"), (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
        ] as [(TimeInterval, String)]
    )
    func dates(seconds: TimeInterval, text: String) {
        #expect(HTTPDate.string(from: Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test(
        "A pattern is matched segment by segment",
        arguments: [
            ("/a", "/a", [:]), ("/a", "/a/", nil), ("/a", "/b", nil), ("/a b", "/a%20b", [:]),
            ("/a/{x}/c", "/a/1%2F2/c", ["x": "1/2"]), ("/a/{x}", "/a/", nil), ("/a/{x}", "/a", nil),
            ("/a/*", "/a/b/c", ["*": "b/c"]), ("/a/*", "/a", ["*": ""]), ("/a/*", "/b", nil),
            ("*", "x:443", ["*": "x:443"]),
            ("/{x}/{y}", "/1/2", ["x": "1", "y": "2"]), ("/{\u{301}x}", "/1", ["\u{301}x": "1"]),
        ] as [(String, String, [String: String]?)]
    )
    func patterns(pattern: String, path: String, parameters: [String: String]?) {
        #expect(PathPattern(pattern).match(path.split(separator: "/", omittingEmptySubsequences: false)) == parameters)
    }

    @Test("Fields are found in any spelling, and keep their original spelling")
    func fields() {
        var fields: LoopbackServer.Fields = ["X-A": "1", "B": "2", "x-a": "3"]
        #expect(fields["x-A"] == "1, 3")
        #expect(fields.values(for: "X-a") == ["1", "3"])
        #expect(fields["C"] == nil)
        let list: LoopbackServer.Fields = ["Connection": "a, close,\u{301}b"]
        #expect(list.contains(token: "close", in: "Connection"))
        fields["X-A"] = "4"
        #expect(fields == ["X-A": "4", "B": "2"])
        fields["B"] = nil
        fields.append("B", "5")
        #expect(fields.description == "X-A: 4\nB: 5")
    }
}
