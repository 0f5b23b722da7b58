import Testing

@testable import Larkspur

struct StringResponseSerializerTests {
    private func text(_ bytes: [UInt8], _ type: String? = nil, _ serializer: StringResponseSerializer = .string) throws
        -> String
    {
        try serializer.serialize(Data(bytes), response: httpResponse(200, type))
    }

    @Test func textIsUTF8WithoutACharset() throws {
        #expect(try text([0xC3, 0xA4], "application/json") == "ä")
        #expect(try text([0xC3, 0xA4]) == "ä")
    }

    @Test func textThatIsNotUTF8IsLatin1WithoutACharset() throws {
        #expect(try text([0xE4], "text/plain") == "ä")
        #expect(try text([0xE4]) == "ä")
        #expect(try StringResponseSerializer().serialize(Data([0xE4]), response: nil) == "ä")
    }

    @Test func theCharsetOfTheResponseIsUsed() throws {
        #expect(try text([0xC3, 0xA4], "text/plain; charset=UTF-8") == "ä")
        #expect(try text([0xC3, 0xA4], "text/plain; charset=\"utf-8\"") == "ä")
        #expect(try text([0xC3, 0xA4], "text/plain; charset='utf-8'") == "ä")
        #expect(try text([0xC3, 0xA4], "text/plain; charset=") == "ä")
    }

    @Test func anExplicitEncodingWinsOverTheCharset() throws {
        #expect(
            try text([0xC3, 0xA4], "text/plain; charset=utf-8", StringResponseSerializer(encoding: .isoLatin1)) == "Ã¤"
        )
    }

    @Test func theFallbackCanBeChosen() throws {
        let serializer = StringResponseSerializer(fallbackEncoding: .utf8)
        #expect(try text([0xC3, 0xA4], nil, serializer) == "ä")
        #expect(try text([0xE4], "text/plain; charset=iso-8859-1", serializer) == "ä")
    }

    @Test func aByteOrderMarkDecidesWhereThereIsNoCharsetAndIsNoText() throws {
        #expect(try text([0xEF, 0xBB, 0xBF, 0xC3, 0xA4]) == "ä")
        #expect(try text([0xFF, 0xFE, 0xE4, 0x00]) == "ä")
        #expect(try text([0xFE, 0xFF, 0x00, 0xE4]) == "ä")
        #expect(try text([0xEF, 0xBB, 0xBF, 0x61], "text/plain; charset=utf-8") == "a")
        #expect(try text([0xFF, 0xFE, 0x61, 0x00], "text/plain; charset=utf-16le") == "a")
    }

    @Test func aResponseWithoutContentIsTheEmptyString() throws {
        #expect(try text([], "text/plain; charset=unheard-of") == "")
        for status in [204, 205] {
            let response = try httpResponse(status, "text/plain; charset=utf-8")
            #expect(try StringResponseSerializer().serialize(Data([0xFF]), response: response) == "")
        }
    }

    @Test func anUnknownCharsetIsAnErrorThatNamesIt() throws {
        let error = try larkspurError { _ = try text([0x61], "text/plain; charset=unheard-of") }
        #expect(error.code == .responseSerializationFailed)
        #expect(error.message.contains("unheard-of"))
    }

    @Test func undecodableTextIsAnErrorThatNamesTheCharset() throws {
        let named = try larkspurError { _ = try text([0xFF], "text/plain; charset=utf-8") }
        #expect(named.code == .responseSerializationFailed)
        #expect(named.message.contains("utf-8"))
        let explicit = try larkspurError { _ = try text([0xFF], nil, StringResponseSerializer(encoding: .ascii)) }
        #expect(explicit.message.contains("us-ascii"))
    }

    @Test(
        arguments: [
            ("utf-8", [0xC3, 0xA4], "ä"), ("utf-16", [0x00, 0xE4], "ä"), ("utf-16", [0xFF, 0xFE, 0xE4, 0x00], "ä"),
            ("utf-16be", [0x00, 0xE4], "ä"), ("utf-16le", [0xE4, 0x00], "ä"),
            ("utf-32", [0xFF, 0xFE, 0, 0, 0xE4, 0, 0, 0], "ä"), ("utf-32be", [0, 0, 0, 0xE4], "ä"),
            ("utf-32le", [0xE4, 0, 0, 0], "ä"), ("us-ascii", [0x61], "a"), ("iso-8859-1", [0xE4], "ä"),
            ("iso-8859-2", [0xB1], "ą"), ("iso-8859-5", [0xD0], "а"), ("iso-8859-7", [0xE1], "α"),
            ("iso-8859-9", [0xFD], "ı"), ("iso-8859-13", [0xA1], "”"), ("iso-8859-15", [0xA4], "€"),
            ("iso-8859-16", [0xA1], "Ą"), ("windows-1250", [0xB9], "ą"), ("windows-1251", [0xE0], "а"),
            ("windows-1252", [0x80], "€"), ("windows-1253", [0xE1], "α"), ("windows-1254", [0xFD], "ı"),
            ("windows-1255", [0xE0], "א"), ("windows-1257", [0xE0], "ą"), ("koi8-r", [0xC1], "а"),
            ("koi8-u", [0xA4], "є"), ("shift_jis", [0x82, 0xA0, 0xB1], "あｱ"), ("windows-31j", [0x82, 0xA0], "あ"),
            ("euc-jp", [0x61, 0xA4, 0xA2, 0x8E, 0xB1, 0xB4, 0xC1], "aあｱ漢"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42], "あ"),
            ("gb2312", [0xC4, 0xE3, 0xBA, 0xC3], "你好"), ("gbk", [0x81, 0x40], "丂"),
            ("gb18030", [0x81, 0x30, 0x84, 0x36], "¥"), ("big5", [0xA7, 0x41], "你"), ("euc-kr", [0xB0, 0xA1], "가"),
        ] as [(String, [UInt8], String)]
    )
    func aCharsetOfItsNameIsDecoded(name: String, bytes: [UInt8], expected: String) throws {
        #expect(try text(bytes, "text/plain; charset=\(name)") == expected)
        #expect(try text(bytes, "text/plain; charset=\(name.uppercased())") == expected)
    }

    @Test(
        arguments: [
            ("utf-16", [0x00, 0x61, 0x00]), ("utf-16le", [0x61, 0x00, 0x61]), ("utf-16", [0xD8, 0x00]),
            ("utf-32le", [0x61, 0, 0, 0, 1]), ("utf-32le", [0xFF, 0xFF, 0xFF, 0xFF]), ("us-ascii", [0xE4]),
            ("shift_jis", [0x82]), ("euc-jp", [0xA4]), ("euc-jp", [0x8E, 0x20]), ("euc-jp", [0x8F, 0xA1, 0xA1]),
            ("gb18030", [0xC4]), ("macintosh", [0x8A]), ("utf-7", [0x61]), ("ibm866", [0xA0]),
        ] as [(String, [UInt8])]
    )
    func whatIsTruncatedOrCannotBeDecodedIsAnError(name: String, bytes: [UInt8]) {
        #expect(throws: LarkspurError.self) { _ = try text(bytes, "text/plain; charset=\(name)") }
    }

    @Test func everyRowOfJapaneseEUCIsThatOfShiftJIS() throws {
        // Both stand for the same 94 × 94 table; a cell that one has and the other lacks would show a fault in the
        // arithmetic.
        let charset = try #require(Charset(named: "euc-jp"))
        let jis = try #require(Charset(named: "iso-2022-jp"))
        var compared = 0
        for row in UInt8(0x21)...0x7E {
            for cell in UInt8(0x21)...0x7E {
                guard let expected = jis.decode(Data([0x1B, 0x24, 0x42, row, cell, 0x1B, 0x28, 0x42])) else { continue }
                // Foundation's two tables differ in the wave dash and some other signs of row 1 and 2.
                guard row >= 0x23, let character = charset.decode(Data([row | 0x80, cell | 0x80])) else { continue }
                compared += 1
                #expect(character == expected, "row \(row), cell \(cell)")
            }
        }
        #expect(compared > 6_000)
    }

    @Test func everyNameOfTheTableCanBeLookedUp() {
        for name in ["latin1", "cp1252", "sjis", "x-gbk", "unicode", "l9", "iso8859-3", "cp1258"] {
            #expect(Charset(named: name) != nil, "\(name)")
        }
    }

    @Test func aChangedCopyLeavesTheOriginalAlone() {
        let original = StringResponseSerializer()
        var copy = original
        copy.encoding = .utf8
        copy.fallbackEncoding = .ascii
        #expect(original.encoding == nil)
        #expect(original.fallbackEncoding == .isoLatin1)
        #expect(original.acceptableContentTypes == nil)
    }
}
