import Testing

@testable import Larkspur

struct PropertyListResponseSerializerTests {
    static let hostile: [Data] = [
        Data("<plist>") + nested("<array>", "</array>", 100_000) + Data("</plist>"),
        nested("(", ")", 100_000),
        Data("<plist><dict><key>a"),
        Data([0, 0, 0]),
        Data("<plist></plist>"),
        Data("<plist><integer>99999999999999999999999999999999</integer></plist>"),
        Data("<?xml version=\"1.0\" encoding=\"nonsense\"?><plist><string>x</string></plist>"),
        Data(#"{"foo":"bar"}"#),
        Data("{}"),
        Data("{foo=bar;}"),
        Data("Not found"),
        Data("word"),
    ]

    private let serializer = PropertyListResponseSerializer()

    private func list(_ format: PropertyListSerialization.PropertyListFormat) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: ["foo": "bar"], format: format, options: 0)
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func propertyListsAreParsed(format: PropertyListSerialization.PropertyListFormat) throws {
        let result = try ResponsePipeline.run(
            serializer,
            request: nil,
            response: httpResponse(200, "application/x-plist"),
            data: list(format)
        )
        #expect(try result.get() as? [String: String] == ["foo": "bar"])
    }

    @Test func otherTypesAreNotAcceptable() throws {
        let error = try larkspurError {
            try serializer.validation.validate(httpResponse(200, "application/xml"), data: Data("x"))
        }
        #expect(error.code == .unacceptableContentType)
    }

    @Test func noContentIsNilWithoutAnError() throws {
        let result = try ResponsePipeline.run(serializer, request: nil, response: httpResponse(204), data: Data())
        #expect(try result.get() == nil)
    }

    @Test(arguments: hostile + BinaryPropertyListTests.hostile)
    func whatIsNoPropertyListIsAnError(data: Data) throws {
        let error = try larkspurError { _ = try serializer.serialize(data, response: nil) }
        #expect(error.code == .responseSerializationFailed)
        #expect(error.message.hasPrefix("The content is not a valid property list"))
        #expect(error.message.count < 250)
    }

    @Test func theOpenStepFormatHasToBeAskedFor() throws {
        var serializer = serializer
        serializer.acceptableFormats = [.openStep]
        #expect(try serializer.serialize(Data("{foo=bar;}"), response: nil) as? [String: String] == ["foo": "bar"])
        #expect(throws: LarkspurError.self) { _ = try serializer.serialize(list(.xml), response: nil) }
    }

    @Test func aChangedCopyLeavesTheOriginalAlone() {
        var copy = PropertyListResponseSerializer(readOptions: .mutableContainers)
        let original = copy
        copy.readOptions = []
        copy.acceptableFormats = []
        copy.acceptableContentTypes = nil
        copy.acceptableStatusCodes = [404]
        #expect(original.readOptions == .mutableContainers)
        #expect(original.acceptableFormats == [.xml, .binary])
        #expect(original.acceptableContentTypes == ["application/x-plist"])
        #expect(original.acceptableStatusCodes == .successful)
    }
}
