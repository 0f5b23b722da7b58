import HTTPSyntax
import Testing

@Suite("Data URLs")
struct DataURLTests {
    @Test(
        "The media type and the content are read as in the Fetch standard",
        arguments: [
            ("data:,X", "text/plain;charset=US-ASCII", "X"), ("DATA:,", "text/plain;charset=US-ASCII", ""),
            ("data:text/html,<p>#x,y", "text/html", "<p>"), ("data:Image/GIF;Q=a,%C3%A4", "image/gif;q=a", "\u{E4}"),
            ("data:a,b,c", "text/plain;charset=US-ASCII", "b,c"), ("data://a/,b", "text/plain;charset=US-ASCII", "b"),
            ("data:;charset=utf-8,x", "text/plain;charset=utf-8", "x"), ("data:;,x", "text/plain", "x"),
            ("data:a/b;c;d=;e=f;E=g;=h;i j=k,x", "a/b;e=f", "x"),
            ("data:a/b;c=\"d\\\"e\"f;g=h,x", "a/b;c=d\"e;g=h", "x"),
            ("data:a/b;c=\"d,x", "a/b;c=d", "x"), ("data:a%2Fb,x", "text/plain;charset=US-ASCII", "x"),
            ("data:%20a/b%20;%20c=d,x", "a/b;c=d", "x"), ("data:a/b;c=%22d%22,x", "a/b;c=d", "x"),
            ("data:a/b;c=%2C,x", "a/b;c=%2C", "x"), ("data:a/b c,x", "text/plain;charset=US-ASCII", "x"),
            ("data:,a%20b%2", "text/plain;charset=US-ASCII", "a b%2"),
            ("data:;base64,YQ==", "text/plain;charset=US-ASCII", "a"), ("data:a/b;BASE64,YQ", "a/b", "a"),
            ("data:a/b; base64 ,Y%20Q", "a/b", "a"), ("data:a/b;base64;c=d,YQ", "a/b;c=d", "YQ"),
            ("data:a/b;base64;base64,YQ", "a/b", "a"), ("data:base64,YQ", "text/plain;charset=US-ASCII", "YQ"),
            ("data:a/b;xbase64,YQ", "a/b", "YQ"), ("data:%3Bbase64,YQ", "text/plain;charset=US-ASCII", "YQ"),
            ("data:;base64,", "text/plain;charset=US-ASCII", ""),
        ]
    )
    func reading(text: String, type: String, content: String) throws {
        let url = try DataURL(text)
        let parameters = url.parameters.map { ";\($0.name)=\($0.value)" }.joined()
        #expect(url.essence + parameters == type)
        #expect(String(decoding: url.content, as: UTF8.self) == content)
    }

    @Test(
        "A data URL without a comma or with malformed base64 is refused",
        arguments: [
            ("data:", DataURL.Defect.noComma), ("data:text/plain", .noComma), ("data:x#,", .noComma),
            ("data:;base64,%%%", .malformedBase64), ("data:;base64,%25%25%25", .malformedBase64),
            ("data:;base64,A", .malformedBase64), ("data:;base64,YQ=", .malformedBase64),
            ("data:;base64,YQ===", .malformedBase64), ("data:;base64,YW_-", .malformedBase64),
            ("data:;base64,Y=Q=", .malformedBase64), ("data:;base64,YQ%00", .malformedBase64),
        ]
    )
    func malformed(text: String, defect: DataURL.Defect) {
        #expect(throws: defect) { try DataURL(text) }
    }

    @Test(
        "Base64 may contain white space and omit its padding",
        arguments: [
            ("", []), (" Y\tW\nJ\rj\u{C} ", [97, 98, 99]), ("YWI", [97, 98]), ("YR==", [97]),
            ("+/+/", [251, 255, 191]),
            ("YQ = =", [97]), ("YWJj", [97, 98, 99]),
        ] as [(String, [UInt8])]
    )
    func base64(text: String, bytes: [UInt8]) {
        #expect(DataURL.forgivingBase64(Array(text.utf8)) == bytes)
    }
}
