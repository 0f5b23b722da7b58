import Foundation
import Testing

@testable import Larkspur

@Suite("The Content-Disposition of a part")
struct ContentDispositionTests {
    @Test(
        "Only quotation marks, CR, LF and NUL are percent-encoded",
        arguments: [
            ("plain", "plain"),
            ("a\"b", "a%22b"),
            ("a\r\nb", "a%0D%0Ab"),
            ("\r\n\r\n--boundary", "%0D%0A%0D%0A--boundary"),
            ("a\u{0}b", "a%00b"),
            ("100%22", "100%22"),
            ("back\\slash", "back\\slash"),
            ("semi;colon='x'", "semi;colon='x'"),
            ("Grüße 👋🏽 名前", "Grüße 👋🏽 名前"),
            ("e\u{301}\"", "e\u{301}%22"),
            ("", ""),
        ]
    )
    func escaping(name: String, expected: String) {
        #expect(Array(ContentDisposition.escaped(name).utf8) == Array(expected.utf8))
        let field = ContentDisposition.field(name: name, fileName: name)
        #expect(field.value == "form-data; name=\"\(expected)\"; filename=\"\(expected)\"")
        #expect(ContentDisposition.field(name: name).value == "form-data; name=\"\(expected)\"")
        #expect(throws: Never.self) { try field.validate() }
    }

    @Test(
        "Line breaks in a control's name become CR LF, and those in a file name stay",
        arguments: [
            ("a\rb", "a%0D%0Ab", "a%0Db"),
            ("a\nb", "a%0D%0Ab", "a%0Ab"),
            ("\n\r\r\n", "%0D%0A%0D%0A%0D%0A", "%0A%0D%0D%0A"),
        ]
    )
    func lineBreaks(name: String, control: String, file: String) {
        let field = ContentDisposition.field(name: name, fileName: name)
        #expect(field.value == "form-data; name=\"\(control)\"; filename=\"\(file)\"")
    }
}
