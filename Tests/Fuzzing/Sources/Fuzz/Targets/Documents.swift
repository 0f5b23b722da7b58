import Foundation
import FoundationNetworking
import HTTPSyntax

@testable import Larkspur
@testable import LarkspurTesting
@testable import LarkspurTransport
@testable import LarkspurXML

/// The readers of documents and forms.
extension FuzzTarget {
    // MARK: Documents

    private final class Delegate: NSObject, XMLParserDelegate {
        var count = 0

        func parser(
            _ parser: XMLParser,
            didStartElement elementName: String,
            namespaceURI: String?,
            qualifiedName qName: String?,
            attributes attributeDict: [String: String] = [:]
        ) {
            count += 1 + attributeDict.count
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { count += string.utf8.count }

        func parser(_ parser: XMLParser, foundComment comment: String) { count += comment.utf8.count }

        func parser(_ parser: XMLParser, foundCDATA CDATABlock: Data) { count += CDATABlock.count }

        func parser(_ parser: XMLParser, foundProcessingInstructionWithTarget target: String, data: String?) {
            count += target.utf8.count
        }
    }

    static let xmlParser = FuzzTarget(unmeasured: "xml-parser") { bytes in
        let data = Data(bytes)
        guard let parser = try? XMLParserResponseSerializer().serialize(data, response: nil) else { return }
        let delegate = Delegate()
        parser.delegate = delegate
        _ = parser.parse()
        _ = (parser.lineNumber, parser.columnNumber, parser.parserError)
    }

    static let xmlDocument = FuzzTarget(unmeasured: "xml-document") { bytes in
        guard let document = try? XMLDocumentResponseSerializer().serialize(Data(bytes), response: nil) else { return }
        require(document.rootElement() != nil, "a document has an element")
        _ = document.xmlString
        _ = document.rootElement()?.children?.count
    }

    /// A value of a property list of any shape.
    private indirect enum Node: Decodable {
        case dictionary([String: Node])
        case array([Node])
        case leaf

        init(from decoder: any Decoder) throws {
            if let values = try? [String: Node](from: decoder) {
                self = .dictionary(values)
            } else if let values = try? [Node](from: decoder) {
                self = .array(values)
            } else {
                self = .leaf
            }
        }
    }

    static let propertyLists = FuzzTarget(unmeasured: "property-lists") { bytes in
        let data = Data(bytes)
        if let object = try? PropertyListResponseSerializer().serialize(data, response: nil) {
            _ = PropertyListSerialization.propertyList(object, isValidFor: .binary)
        }
        if let data = try? PropertyListContent.decodable(data) {
            _ = try? PropertyListDecoder().decode(Dated.self, from: data)
        }
        if let list = BinaryPropertyList(data) {
            var references = 0
            _ = list.isTractable(reading: &references)
            require(references <= data.count * 2 + 16, "no more references are read than there is room for")
        }
    }

    /// A value with members of several types, as programs decode it.
    private struct Dated: Decodable {
        var date: Date?
        var data: Data?
        var names: [String]?
        var numbers: [String: Double]?
    }

    static let jsonContent = FuzzTarget(
        "json-content",
        measured: { _ = try? JSONResponseSerializer().serialize(Data($0), response: nil) },
        { bytes in
            let data = Data(bytes)
            let serializer = JSONResponseSerializer(removesKeysWithNullValues: true)
            _ = try? serializer.serialize(data, response: nil)
            guard let value = try? DecodableResponseSerializer(JSONValue.self).serialize(data, response: nil) else {
                return
            }
            if let written = try? JSONEncoder().encode(value) {
                require(JSONValue(json: written) == value || !isExact(value), "a value is read as it was written")
            }
            _ = "\(value)".utf8.count
        }
    )

    /// Whether no number of a value has a fraction or an exponent, which Foundation may write in another form.
    private static func isExact(_ value: JSONValue) -> Bool {
        switch value {
        case .number: false
        case .array(let values): values.allSatisfy(isExact)
        case .object(let members): members.values.allSatisfy(isExact)
        default: true
        }
    }

    private static let charsetNames = [
        "utf-8", "utf-16", "utf-16be", "utf-16le", "utf-32", "iso-8859-1", "iso-8859-15", "windows-1252", "shift_jis",
        "euc-jp", "iso-2022-jp", "gb18030", "big5", "euc-kr", "koi8-r", "windows-1251", "us-ascii", "macintosh",
    ]

    static let charsets = FuzzTarget(unmeasured: "charsets") { bytes in
        guard let first = bytes.first else { return }
        let data = Data(bytes.dropFirst())
        let name = charsetNames[Int(first) % charsetNames.count]
        if let charset = Charset(named: name), let text = charset.decode(data) {
            require(text.utf8.count <= data.count * 6 + 6, "text is not much longer than its bytes")
            if charset.encoding == .utf8 { require(Data(text.utf8).count >= data.count - 3, "UTF-8 stays") }
        }
        _ = Charset(markedIn: data)?.decode(data)
        _ = try? StringResponseSerializer().serialize(data, response: nil)
    }

    static let serverMessages = FuzzTarget(unmeasured: "server-messages") { bytes in
        for type in ["application/problem+json", "application/xml"] {
            guard let url = URL(string: "http://a.example/"),
                let response = EngineResponse.make(
                    url: url,
                    status: 400,
                    version: "HTTP/1.1",
                    fields: ["Content-Type": type]
                ), let message = ServerMessage.find(in: Data(bytes), of: response)
            else { continue }
            require(!message.isEmpty && !message.contains("\n"), "a message is a line")
            require(message.utf8.count < 2000, "a message is short")
        }
    }

    // MARK: Multipart

    static let multipart = FuzzTarget("multipart", measured: { _ = Multipart(Data($0), boundary: "b") }) {
        bytes in
        let data = Data(bytes)
        guard let parts = Multipart(data, boundary: "b")?.parts else { return }
        require(parts.reduce(0) { $0 + $1.data.count } <= data.count, "parts are not longer than the content")
        for part in parts { _ = (part.name, part.fileName) }
    }

    static let multipartForms = FuzzTarget("multipart-forms", measured: nil) { bytes in
        var choices = Choices(bytes)
        guard let boundary = try? MultipartBoundary("fuzz-boundary-of-this-form") else { return }
        var form = MultipartFormData(boundary: boundary)
        var expected: [(name: String, fileName: String?, data: Data)] = []
        while !choices.isAtEnd, expected.count < 8 {
            let name = choices.text()
            let content = Data(choices.bytes())
            let fileName = choices.flag() ? choices.text() : nil
            guard content.range(of: Data("fuzz-boundary".utf8)) == nil else { return }
            if let fileName {
                guard
                    (try? form.append(data: content, name: name, fileName: fileName, contentType: "text/plain")) != nil
                else { continue }
            } else {
                form.append(data: content, name: name)
            }
            expected.append((name, fileName, content))
        }
        guard let data = try? form.data() else { return require(false, "a form can be written") }
        require(data.count, equals: Int(form.contentLength), "the length is known before")
        guard !expected.isEmpty else { return }
        guard let parts = Multipart(data, boundary: "fuzz-boundary-of-this-form")?.parts else {
            return require(false, "a form can be read")
        }
        require(parts.count, equals: expected.count, "each part is read")
        for (part, expected) in zip(parts, expected) {
            require(part.data, equals: expected.data, "the content of a part")
            // The whole field is compared, because readers treat backslashes in it in different ways.
            var field = "form-data; name=\"\(formName(expected.name, isFile: false))\""
            if let fileName = expected.fileName { field += "; filename=\"\(formName(fileName, isFile: true))\"" }
            require(part.headers["Content-Disposition"], equals: field, "the names of a part")
        }
    }

    /// Returns a name as browsers write it: quotes and line breaks are percent-encoded.
    private static func formName(_ name: String, isFile: Bool) -> String {
        var bytes: [UInt8] = []
        var previous: UInt8?
        for byte in name.utf8 {
            switch byte {
            case .carriageReturn, .lineFeed:
                if isFile {
                    bytes += (byte == .lineFeed ? "%0A" : "%0D").utf8
                } else if byte != .lineFeed || previous != .carriageReturn {
                    bytes += "%0D%0A".utf8
                }
            case UInt8(ascii: "\""): bytes += "%22".utf8
            default: bytes.append(byte)
            }
            previous = byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
