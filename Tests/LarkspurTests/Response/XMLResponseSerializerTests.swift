import LarkspurTesting
import Testing

@testable import Larkspur
@testable import LarkspurXML

/// Documents that end the process, or read its files, where FoundationXML on Linux is let at them.
enum HostileXML {
    static let malformed: [Data] = [
        Data("<foo"), Data("<foo>"), Data("<a><b></a>"), Data("<a/><b/>"), Data("<a/>x"), Data(" "), Data("    "),
        Data("hello"), Data([0]), Data(count: 100), Data("<foo>a\0b</foo>"), Data("<!-- x -->"),
        Data("<!DOCTYPE html>"), Data("<l>&undefined;</l>"), Data("<a b='1' b='2'/>"), Data([0x3C, 0xFF]),
        Data("<?xml version=\"1.0\" encoding=\"nonsense\"?><a/>"),
        Data("<a>") + Data([0xFF]) + Data("</a>"),
        Data((0..<2_000).map { UInt8(truncatingIfNeeded: $0 &* 7_919) }),
        nested("<a>", "</a>", 100_000), nested("<a>", "", 100_000), laughs,
        Data("<a>\(String(repeating: "x", count: 11_000_000))</a>"),
    ]

    static let laughs: Data = {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
        let entities = zip(names, names.dropFirst()).map { name, next in
            "<!ENTITY \(next) \"\(String(repeating: "&\(name);", count: 10))\">"
        }
        return Data("<!DOCTYPE l [<!ENTITY a \"aaaaaaaaaa\">\(entities.joined())]><l>&i;</l>")
    }()

    /// Well-formed and larger than what libxml2 takes at once.
    static let large = Data(
        "<a>" + String(repeating: "<b c='d'>\(String(repeating: "text ", count: 9))</b>", count: 200_000) + "</a>"
    )

    static let crashing: [Data] = [
        Data("<?x?><a/>"), Data("<a><?x?></a>"), Data("<?xml version='1.0'?><?x?><a/>"),
        Data("<!DOCTYPE l [<!ATTLIST l a CDATA #REQUIRED>]><l/>"),
        Data("<!DOCTYPE l [<!NOTATION n SYSTEM 'q'>]><l/>"),
        Data("<!DOCTYPE l [<!ENTITY u SYSTEM 'f' NDATA n>]><l/>"),
    ]

    static func inUTF16(_ data: Data) throws -> Data {
        try #require(String(decoding: data, as: UTF8.self).data(using: .utf16LittleEndian))
    }
}

private final class ElementCollector: NSObject, XMLParserDelegate {
    var elements: [String] = []
    var text = ""

    func parser(
        _ parser: XMLParser,
        didStartElement elementName: String,
        namespaceURI: String?,
        qualifiedName qName: String?,
        attributes attributeDict: [String: String]
    ) {
        elements.append(elementName)
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
}

struct XMLParserResponseSerializerTests {
    private let serializer = XMLParserResponseSerializer()

    @Test(arguments: ["application/xml", "text/xml"])
    func xmlTypesAreAcceptable(type: String) throws {
        try serializer.validation.validate(httpResponse(200, type), data: Data("<foo/>"))
    }

    @Test func aNonStandardTypeIsNotAcceptable() throws {
        let error = try larkspurError {
            try serializer.validation.validate(httpResponse(200, "nonstandard/xml"), data: Data("<foo/>"))
        }
        #expect(error.code == .unacceptableContentType)
    }

    @Test func validXMLBecomesAParserThatParses() throws {
        let parser = try #require(try serializer.serialize(Data("<foo>bar<baz/></foo>"), response: nil))
        let recorder = ElementCollector()
        parser.delegate = recorder
        #expect(parser.parse())
        #expect(recorder.elements == ["foo", "baz"])
        #expect(recorder.text == "bar")
    }

    @Test func aLargeDocumentIsParsed() throws {
        let parser = try #require(try serializer.serialize(HostileXML.large, response: nil))
        let recorder = ElementCollector()
        parser.delegate = recorder
        #expect(parser.parse())
        #expect(recorder.elements.count == 200_001)
    }

    @Test func noContentIsNil() throws {
        #expect(try serializer.serialize(Data(), response: nil) == nil)
    }

    @Test(arguments: HostileXML.crashing)
    func whatWouldCrashTheParserIsRefused(data: Data) throws {
        #expect(throws: LarkspurError.self) { _ = try serializer.serialize(data, response: nil) }
        let wide = try HostileXML.inUTF16(data)
        #expect(throws: LarkspurError.self) { _ = try serializer.serialize(wide, response: nil) }
        let marked = Data([0xFF, 0xFE]) + wide
        #expect(throws: LarkspurError.self) { _ = try serializer.serialize(marked, response: nil) }
    }

    /// The parser goes on after an error, so that what stands behind one matters.
    @Test(arguments: [
        "<a><?php\u{16}f><?p?></a>", "<a>?></a<?<?phpf?>", "<a><b>e</b<?><?php?> f?></a>", "<a><?x?<?y?></a>",
    ])
    func whatWouldCrashTheParserBehindAnErrorIsRefused(text: String) {
        #expect(throws: LarkspurError.self) { _ = try serializer.serialize(Data(text), response: nil) }
    }

    @Test(arguments: [
        Data("<?xml version='1.0' encoding='utf-7'?><a/>"), Data("<?xml encoding=\"nonsense\"?><a/>"), Data("Lo§"),
        Data("<a") + Data([0xD4]) + Data("b/>"), Data("hello"), Data([0x3C, 0xD8, 0x00, 0xD8]),
    ])
    func whatCannotBeDecodedIsRefused(data: Data) {
        #expect(throws: LarkspurError.self) { _ = try serializer.serialize(data, response: nil) }
    }

    @Test(
        arguments: [
            ("Shift_JIS", [0x82, 0xA0], "あ"), ("ISO-8859-1", [0xE4], "ä"), ("windows-1251", [0xE0], "а"),
            ("utf-16", [0xC3, 0xA4], "ä"), ("UTF-8", [0xC3, 0xA4], "ä"),
        ] as [(String, [UInt8], String)]
    )
    func aDocumentInAnotherEncodingIsTranscoded(name: String, bytes: [UInt8], expected: String) throws {
        let data = Data("<?xml version='1.0' encoding='\(name)'?>\n<a>") + Data(bytes) + Data("</a>")
        let parser = try #require(try serializer.serialize(data, response: nil))
        let recorder = ElementCollector()
        parser.delegate = recorder
        #expect(parser.parse())
        #expect(parser.parserError == nil)
        #expect(recorder.text == expected)
    }

    @Test(arguments: [
        "<?xml encoding='us-ascii'?><?xml version='1.0' encoding='utf-7'?>",
        "<?xml version='1.0' encoding='utf-8' encoding='utf-7'?>",
        "<?xml version=\"encoding='utf-8'\" encoding='utf-7'?>",
    ])
    func aSecondDeclarationDoesNotChangeTheEncoding(declaration: String) throws {
        let parser = try serializer.serialize(Data(declaration + "<a>+ADw-?x?+AD4-</a>"), response: nil)
        let recorder = ElementCollector()
        parser?.delegate = recorder
        _ = parser?.parse()
    }

    @Test(arguments: [
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><a/>", "<?xml version='1.0' encoding='Shift_JIS'?><a/>",
        "<?xml version='1.0' encoding='utf-16'?><a/>", "<?xml-stylesheet href='x'?><a/>", "<a><?php echo ?></a>",
        "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'x.dtd'><a/>", "\u{FEFF}<a/>", "\n <a/>",
        "<a>&lt;!ATTLIST NDATA</a>",
    ])
    func ordinaryDocumentsAreNotRefused(text: String) throws {
        #expect(try serializer.serialize(Data(text), response: nil) != nil)
        #expect(try serializer.serialize(HostileXML.inUTF16(Data(text)), response: nil) != nil)
    }

    @Test(arguments: HostileXML.malformed + [nested("<?", "", 200_000)])
    func hostileContentDoesNotEndTheProcess(data: Data) throws {
        let recorder = ElementCollector()
        let parser = try? serializer.serialize(data, response: nil)
        parser?.delegate = recorder
        _ = parser?.parse()
    }

    @Test func externalEntitiesAreNotLoaded() throws {
        try withSecretFile { url in
            let text = "<!DOCTYPE l [<!ENTITY a SYSTEM \"\(url)\">]><l>&a;</l>"
            let parser = try #require(try serializer.serialize(Data(text), response: nil))
            let recorder = ElementCollector()
            parser.delegate = recorder
            _ = parser.parse()
            #expect(!recorder.text.contains("secret"))
            #expect(recorder.elements == ["l"])
        }
    }

    @Test func aChangedCopyLeavesTheOriginalAlone() {
        var copy = serializer
        copy.acceptableContentTypes?.insert("image/svg+xml")
        copy.acceptableStatusCodes = nil
        #expect(serializer.acceptableContentTypes == ["application/xml", "text/xml"])
        #expect(serializer.acceptableStatusCodes == .successful)
        #expect(copy.acceptableContentTypes?.count == 3)
    }
}

struct XMLDocumentResponseSerializerTests {
    private let serializer = XMLDocumentResponseSerializer()

    @Test(arguments: ["application/xml", "text/xml"])
    func xmlTypesAreAcceptable(type: String) throws {
        try serializer.validation.validate(httpResponse(200, type), data: Data("<foo/>"))
    }

    @Test func aNonStandardTypeIsNotAcceptable() throws {
        let error = try larkspurError {
            try serializer.validation.validate(httpResponse(200, "nonstandard/xml"), data: Data("<foo/>"))
        }
        #expect(error.code == .unacceptableContentType)
    }

    @Test func validXMLBecomesADocument() throws {
        let document = try #require(try serializer.serialize(Data("<foo><bar>ä</bar></foo>"), response: nil))
        #expect(document.rootElement()?.name == "foo")
        #expect(document.rootElement()?.elements(forName: "bar").first?.stringValue == "ä")
    }

    @Test func noContentIsNil() throws {
        #expect(try serializer.serialize(Data(), response: nil) == nil)
    }

    @Test(arguments: HostileXML.malformed)
    func malformedXMLIsAnError(data: Data) throws {
        let error = try larkspurError { _ = try serializer.serialize(data, response: nil) }
        #expect(error.code == .responseSerializationFailed)
        #expect(error.message.hasPrefix("The content is not well-formed XML"))
        #expect(error.message.count < 250)
    }

    /// If libxml2 were to refuse it, this would take a minute.
    @Test(arguments: [
        "<a>" + String(repeating: "<!--", count: 1 << 18), "<a><!--" + String(repeating: "-", count: 1 << 20),
    ])
    func aCommentOfHyphensIsRefusedAtOnce(text: String) throws {
        for data in [Data(text), try HostileXML.inUTF16(Data(text))] {
            let error = try larkspurError { _ = try serializer.serialize(data, response: nil) }
            #expect(error.message.hasSuffix("a comment has many pairs of hyphens"))
            let parsing = XMLParserResponseSerializer()
            #expect(throws: LarkspurError.self) { _ = try parsing.serialize(data, response: nil) }
        }
    }

    @Test(arguments: [
        "<!--\(String(repeating: "- ", count: 1 << 16))-->", String(repeating: "<!---->", count: 1 << 16),
        "<![CDATA[<!--\(String(repeating: "-", count: 1 << 16))]]>",
        "<?x <!--\(String(repeating: "-", count: 1 << 16))?>",
    ])
    func hyphensThatMayBeThereAreNotRefused(text: String) throws {
        #expect(try serializer.serialize(Data("<a>\(text)</a>"), response: nil)?.rootElement() != nil)
    }

    @Test func aLargeDocumentIsADocument() throws {
        let document = try #require(try serializer.serialize(HostileXML.large, response: nil))
        #expect(document.rootElement()?.childCount == 200_000)
    }

    @Test func theErrorSaysWhere() throws {
        let error = try larkspurError { _ = try serializer.serialize(Data("<foo>\n<bar></foo>"), response: nil) }
        #expect(error.message.contains("line 2"))
        #expect(error.underlyingError != nil)
    }

    @Test(arguments: HostileXML.crashing)
    func whatCrashesTheParserIsADocument(data: Data) throws {
        #expect(try serializer.serialize(data, response: nil)?.rootElement() != nil)
    }

    @Test(arguments: [
        "<!DOCTYPE l [<!ENTITY a SYSTEM \"URL\">]><l>&a;</l>",
        "<!DOCTYPE l [<!ENTITY a PUBLIC \"x\" \"URL\">]><l>&a;</l>",
        "<!DOCTYPE l [<!ENTITY % q \"<!ENTITY a SYSTEM 'URL'>\"> %q;]><l>&a;</l>",
    ])
    func externalEntitiesAreNotLoadedUnlessAskedFor(template: String) throws {
        try withSecretFile { url in
            let data = Data(template.replacingOccurrences(of: "URL", with: url.absoluteString))
            let document = try #require(try serializer.serialize(data, response: nil))
            #expect(!document.xmlString.contains("secret"))
            #expect(document.rootElement()?.stringValue == "")
            let trusting = XMLDocumentResponseSerializer(options: .nodeLoadExternalEntitiesAlways)
            #expect(try trusting.serialize(data, response: nil)?.rootElement()?.stringValue == "secret")
        }
    }

    @Test func externalParameterEntitiesAreNotLoaded() throws {
        try withSecretFile("<!ENTITY leak 'secret'>") { url in
            let data = Data("<!DOCTYPE l [<!ENTITY % p SYSTEM \"\(url)\"> %p;]><l/>")
            let document = try #require(try serializer.serialize(data, response: nil))
            #expect(!document.xmlString.contains("leak"))
        }
    }

    @Test func internalEntitiesAreText() throws {
        let data = Data("<!DOCTYPE l [<!ENTITY a \"v\">]><l q='&a;'>&a;x&lt;&#65;</l>")
        let root = try #require(try serializer.serialize(data, response: nil)?.rootElement())
        #expect(root.stringValue == "vx<A")
        #expect(root.attribute(forName: "q")?.stringValue == "v")
    }

    @Test func theOptionsArePassedOn() throws {
        let validating = XMLDocumentResponseSerializer(options: .documentValidate)
        let error = try larkspurError { _ = try validating.serialize(Data("<a/>"), response: nil) }
        #expect(error.message.hasPrefix("The content is not a valid XML document"))
        #expect(try serializer.serialize(Data("<a/>"), response: nil) != nil)
    }

    @Test func aChangedCopyLeavesTheOriginalAlone() {
        let original = XMLDocumentResponseSerializer.xmlDocument(options: .nodePreserveWhitespace)
        var copy = original
        copy.options = []
        copy.acceptableContentTypes = nil
        copy.acceptableStatusCodes = [404]
        #expect(original.options == .nodePreserveWhitespace)
        #expect(original.acceptableContentTypes == .xml)
        #expect(original.acceptableStatusCodes == .successful)
    }
}

private func withSecretFile(_ text: String = "secret", _ body: (URL) throws -> Void) throws {
    let url = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("larkspur-\(UUID()).txt")
    try Data(text).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try body(url)
}
