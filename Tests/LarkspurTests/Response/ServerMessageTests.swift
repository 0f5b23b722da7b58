import Testing

@testable import Larkspur

struct ServerMessageTests {
    private func words(_ text: String, _ type: String? = "application/json") throws -> String? {
        try ServerMessage.find(in: Data(text), of: httpResponse(422, type))
    }

    @Test(arguments: [
        (#"{"detail": "a", "message": "b", "title": "c"}"#, "a"), (#"{"message": "a\r\nb "}"#, "a  b"),
        (#"{"error": "a."}"#, "a"), (#"{"error": {"code": 7, "message": "a"}}"#, "a"),
        (#"{"error": "invalid_grant", "error_description": "a"}"#, "a"), (#"{"errors": ["a", "b"]}"#, "a"),
        (#"{"errors": [{"code": 1}, {"detail": "a"}]}"#, "a"),
        (#"{"errors": {"name": ["is too long"], "age": ["is missing"]}}"#, "age is missing"),
        (#"{"message": " ", "title": "a"}"#, "a"), (#"{"message": null, "title": "a"}"#, "a"),
    ])
    func theWordsAreFoundWhereAPIsPutThem(content: String, expected: String) throws {
        #expect(try words(content) == expected)
        #expect(try words(content, "Application/Problem+JSON; charset=utf-8") == expected)
    }

    @Test(arguments: [
        "", "{", "[]", "7", #"["a"]"#, #""a""#, #"{"password": "a"}"#, #"{"message": 7}"#, #"{"message": ""}"#,
        #"{"message": "..."}"#, #"{"error": {"error": {"error": {"error": {"error": "a"}}}}}"#,
    ])
    func otherContentHasNone(content: String) throws {
        #expect(try words(content) == nil)
    }

    @Test(arguments: [nil, "text/html", "text/plain", "application/xml", "json"])
    func onlyJSONIsReadAsJSON(type: String?) throws {
        #expect(try words(#"{"message": "a"}"#, type) == nil)
    }

    @Test func longWordsAreCutAndLongContentIsNotSearched() throws {
        let long = String(repeating: "x", count: 10_000)
        #expect(try words(#"{"message": "\#(long)"}"#)?.count == 161)
        #expect(try words(#"{"message": "a", "rest": "\#(String(repeating: long, count: 7))"}"#) == nil)
    }

    @Test(
        "The message of XML is the text of the most informative element",
        arguments: [
            ("<Error><Code>NoSuchKey</Code><Message>There is no key.</Message></Error>", "There is no key"),
            ("<Error><Code>NoSuchKey</Code><Message/></Error>", "NoSuchKey"),
            ("<Error><Code>NoSuchKey</Code><Message> \n</Message></Error>", "NoSuchKey"),
            (
                #"<?xml version="1.0"?><d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns"><s:exception>A</s:exception>"#
                    + "<s:message lang='en>'>File not found</s:message></d:error>", "File not found"
            ),
            ("<problem xmlns='urn:ietf:rfc:7807'><title>b</title><detail>a</detail></problem>", "a"),
            ("<e><message><![CDATA[a <b> &amp; ]]>c</message></e>", "a <b> &amp; c"),
            ("<e><message>a &lt;b&gt; &quot;&apos;&amp;amp;</message></e>", "a <b> \"'&amp;"),
            ("<!-- <message>b</message> --><e><message>a<!-- > --><?x y?>c</message></e>", "ac"),
            ("<e><message><message>a</message></message></e>", "a"),
            ("<e><message><b>b</b></message><message>a</message></e>", "a"),
            ("<e><MESSAGE\t>a\u{1B}[31m\nb</message\n></e>", "a [31m b"),
        ]
    )
    func wordsOfXML(content: String, expected: String) throws {
        #expect(try words(content, "application/xml") == expected)
        #expect(try words(content, "text/xml; charset=utf-8") == expected)
        #expect(try words(content, "Application/Problem+XML") == expected)
        #expect(try words(content, "application/xhtml+xml") == nil)
        #expect(try words(content, "text/html") == nil)
    }

    @Test(
        "Other XML has no message, and only the five predefined entities are decoded",
        arguments: [
            ("", nil), ("<", nil), ("<message", nil), ("<message>", nil), ("<message>a", nil), ("<message>a<", nil),
            ("<message>a</", nil), ("<message>a</code>", nil), ("<message>a</messages>", nil),
            ("<messages>a</messages>", nil), ("<message a='>a</message>", nil), ("<message><![CDATA[a</message>", nil),
            ("<message><!--a</message>", nil), ("<![CDATA[<message>a</message>", nil), ("<password>a</password>", nil),
            ("<a message='b'>c</a>", nil), ("{\"message\": \"a\"}", nil), ("<message:>a</message:>", "a"),
            (
                "<!DOCTYPE e [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><e><message>&x; &#65;&lt</message></e>",
                "&x; &#65;&lt"
            ),
        ] as [(String, String?)]
    )
    func hostileXML(content: String, expected: String?) throws {
        #expect(try words(content, "application/xml") == expected)
    }

    @Test("Invalid UTF-8 has no message, long messages are cut, and the time is proportional to the length")
    func boundsOfXML() throws {
        let response = try httpResponse(403, "application/xml")
        #expect(
            ServerMessage.find(
                in: Data("<message>a\u{E9}</message>".unicodeScalars.map { UInt8($0.value) }),
                of: response
            ) == nil
        )
        let long = String(repeating: "x", count: 10_000)
        #expect(try words("<message>\(long)</message>", "text/xml")?.count == 161)
        #expect(try words("<message>a</message>" + String(repeating: long, count: 7), "text/xml") == nil)
        for part in ["<", "<message>", "<message><![CDATA[", "<!--", "&", "<message>&amp;<b/>", "<message a='"] {
            #expect(try words(String(repeating: part, count: 65_536 / part.utf8.count), "text/xml") == nil)
        }
    }
}
