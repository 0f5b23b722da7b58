import Testing

@testable import Larkspur

struct JSONResponseSerializerTests {
    private let serializer = JSONResponseSerializer()

    @Test(arguments: ["application/json", "text/json", "text/javascript", "application/json; charset=utf-8"])
    func jsonTypesAreAcceptable(type: String) throws {
        try serializer.validation.validate(httpResponse(200, type), data: Data("{}"))
    }

    @Test func aNonStandardTypeIsNotAcceptable() throws {
        let error = try larkspurError {
            try serializer.validation.validate(httpResponse(200, "nonstandard/json"), data: Data("{}"))
        }
        #expect(error.code == .unacceptableContentType)
    }

    @Test func anObjectBecomesADictionary() throws {
        let object = try serializer.serialize(Data(#"{"key":"value"}"#), response: nil)
        #expect((object as? [String: String]) == ["key": "value"])
    }

    @Test(
        "Both serializers name content that is not UTF-8",
        arguments: [
            ([0x22, 0xFF, 0x22], 1), ([0x7B, 0x22, 0xC3, 0xA9, 0xE9, 0x22, 0x3A, 0x31, 0x7D], 4), ([0xE9], 0),
        ]
            as [([UInt8], Int)]
    )
    func notUTF8(bytes: [UInt8], offset: Int) throws {
        let expected = "The content is not valid JSON: the byte at offset \(offset) is not UTF-8"
        let object = try larkspurError { _ = try serializer.serialize(Data(bytes), response: nil) }
        let decoded = try larkspurError {
            _ = try DecodableResponseSerializer<[String: Int]>().serialize(Data(bytes), response: nil)
        }
        #expect(object.code == .responseSerializationFailed && object.message.hasPrefix(expected))
        #expect(decoded.code == .responseSerializationFailed && decoded.message.hasPrefix(expected))
    }

    @Test func invalidJSONIsAnErrorThatSaysSo() throws {
        let error = try larkspurError { _ = try serializer.serialize(Data("{invalid}"), response: nil) }
        #expect(error.code == .responseSerializationFailed)
        #expect(error.message.hasPrefix("The content is not valid JSON: "))
        #expect(error.underlyingError != nil)
    }

    @Test(arguments: ["", " "])
    func noContentAndASingleSpaceAreNilWithoutAnError(text: String) throws {
        #expect(try serializer.serialize(Data(text), response: nil) == nil)
    }

    @Test func aWrongTypeWithoutContentIsNilWithoutAnError() throws {
        let result = try ResponsePipeline.run(
            serializer,
            request: nil,
            response: httpResponse(200, "text/html"),
            data: Data()
        )
        #expect(try result.get() == nil)
    }

    @Test func moreBlankThanOneSpaceIsAnError() {
        #expect(throws: LarkspurError.self) { _ = try serializer.serialize(Data("  \n"), response: nil) }
    }

    @Test func nullsAreRemovedAtEveryDepth() throws {
        var serializer = serializer
        serializer.removesKeysWithNullValues = true
        let text = #"{"key":"value","none":null,"list":[{"a":null,"b":1}],"nulls":[null],"in":{"x":null}}"#
        let object = try #require(try serializer.serialize(Data(text), response: nil) as? [String: Any])
        #expect(Set(object.keys) == ["key", "list", "nulls", "in"])
        let element = try #require((object["list"] as? [[String: Any]])?.first)
        #expect(Array(element.keys) == ["b"])
        #expect((object["nulls"] as? [Any])?.isEmpty == true)
        #expect((object["in"] as? [String: Any])?.isEmpty == true)
    }

    @Test func nullsStayByDefault() throws {
        let object = try serializer.serialize(Data("[null]"), response: nil)
        #expect((object as? [Any])?.first is NSNull)
    }

    @Test func aMutableObjectStaysMutableWithoutItsNulls() throws {
        let serializer = JSONResponseSerializer(readingOptions: .mutableContainers, removesKeysWithNullValues: true)
        let object = try #require(
            try serializer.serialize(Data(#"{"a":[1,null],"b":null}"#), response: nil) as? NSMutableDictionary
        )
        #expect(object.count == 1)
        #expect((object["a"] as? [Any])?.count == 1)
        let list = try serializer.serialize(Data(#"[null,{"x":null}]"#), response: nil)
        #expect((list as? NSMutableArray)?.count == 1)
    }

    @Test func fragmentsNeedTheirOption() throws {
        #expect(throws: LarkspurError.self) { _ = try serializer.serialize(Data("1"), response: nil) }
        let lenient = JSONResponseSerializer(readingOptions: .fragmentsAllowed, removesKeysWithNullValues: true)
        #expect(try lenient.serialize(Data("1"), response: nil) as? Int == 1)
        #expect(try lenient.serialize(Data("null"), response: nil) is NSNull)
    }

    @Test func aChangedCopyLeavesTheOriginalAlone() {
        var copy = JSONResponseSerializer(readingOptions: .mutableLeaves, removesKeysWithNullValues: true)
        let original = copy
        copy.readingOptions = []
        copy.removesKeysWithNullValues = false
        copy.acceptableContentTypes?.insert("text/html")
        copy.acceptableStatusCodes = nil
        #expect(original.readingOptions == .mutableLeaves)
        #expect(original.removesKeysWithNullValues)
        #expect(original.acceptableContentTypes == .json)
        #expect(original.acceptableStatusCodes == .successful)
        #expect(copy.acceptableContentTypes?.count == 4)
    }

    @Test(arguments: [
        nested("[", "]", 100_000), nested(#"{"a":"#, "}", 100_000), nested("[", "", 100_000),
        Data([0]), Data([0, 0, 0, 0]), Data([0xEF, 0xBB, 0xBF]), Data([0xFF, 0xFE, 0x22]),
        Data([0x5B, 0x22, 0xFF, 0xFE, 0x22, 0x5D]), Data("[1e400]"), Data(#"["\ud800"]"#), Data(#"["\u12"#),
        Data("[" + String(repeating: "9", count: 100_000) + "]"),
    ])
    func hostileContentIsAnErrorOfBoundedLength(data: Data) throws {
        let error = try larkspurError { _ = try serializer.serialize(data, response: nil) }
        #expect(error.code == .responseSerializationFailed)
        #expect(error.message.count < 250)
    }
}
