import Testing

@testable import Larkspur

struct MediaRangeTests {
    @Test(arguments: [
        ("application/json", "application/json", true),
        ("application/json", "Application/JSON; charset=utf-8", true),
        ("APPLICATION/JSON ; q=1", "application/json", true),
        ("application/json", "application/jsonp", false),
        ("application/json", "text/json", false),
        ("text/*", "text/html", true),
        ("text/*", "texts/html", false),
        ("text/*", "text", false),
        ("*/*", "anything/else", true),
        ("*/*", "no-slash", true),
        ("*/json", "text/json", true),
        ("application/*+json", "application/problem+json", true),
        ("application/*+json", "application/hal+JSON;x=y", true),
        ("application/*+json", "application/json", false),
        ("application/*+json", "application/+json", false),
        ("application/*+json", "text/problem+json", false),
        ("application/*+json", "application/problem+xml", false),
        ("text/html", "", false),
        ("text/*", "text/\u{301}a", true),
        ("application/*+json", "application/\u{FE0F}a+json", true),
        ("json", "json", true),
    ])
    func aRangeMatchesItsTypes(range: String, contentType: String, isMatch: Bool) {
        #expect(MediaRange(range).matches(contentType) == isMatch)
    }

    @Test func rangesThatDifferInCaseOrParametersAreEqual() {
        #expect(("Text/HTML; q=0.5" as MediaRange) == "text/html")
        #expect(("Text/HTML" as MediaRange).description == "text/html")
    }

    @Test(arguments: [
        ("text/html; charset=utf-8", "utf-8"),
        ("text/html;charset=\"utf-8\"", "utf-8"),
        ("text/html; CharSet = x", "x"),
        ("text/html; foo=\"a;charset=b\"; charset=c", "c"),
        ("text/html; foo=\"a\\\";charset=b\"; charset=c", "c"),
        ("text/html; flag; charset=c", "c"),
        ("text/html; charset=a; charset=b", "a"),
        ("text/html; charset=\"unterminated", "unterminated"),
        ("text/html; charset=\"escape\\", "escape\\"),
        ("text/html; charset=", ""),
        ("text/html; foo=\"\u{301}\"; charset=c", "c"),
        ("text/html", nil),
        ("text/html;;;", nil),
    ])
    func theCharsetIsReadTolerantly(fieldValue: String, charset: String?) throws {
        let type = try #require(MediaType(fieldValue))
        #expect(type.essence == "text/html")
        #expect(type["charset"] == charset)
    }

    @Test(arguments: ["", " ", ";", "; charset=utf-8"])
    func aFieldWithoutATypeNamesNone(fieldValue: String) {
        #expect(MediaType(fieldValue) == nil)
    }

    @Test func aResponseOfAnotherKindNamesItsTypeItself() throws {
        let url = try #require(URL(string: "file:///x"))
        let response = URLResponse(
            url: url,
            mimeType: "text/plain",
            expectedContentLength: 1,
            textEncodingName: "utf-8"
        )
        #expect(MediaType(of: response)?.essence == "text/plain")
        #expect(MediaType(of: response)?["charset"] == "utf-8")
        #expect(MediaType(of: nil) == nil)
        #expect(try MediaType(of: httpResponse()) == nil)
    }
}
