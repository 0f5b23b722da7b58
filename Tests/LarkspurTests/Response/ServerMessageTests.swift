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
    func onlyJSONIsSearched(type: String?) throws {
        #expect(try words(#"{"message": "a"}"#, type) == nil)
    }

    @Test func longWordsAreCutAndLongContentIsNotSearched() throws {
        let long = String(repeating: "x", count: 10_000)
        #expect(try words(#"{"message": "\#(long)"}"#)?.count == 161)
        #expect(try words(#"{"message": "a", "rest": "\#(String(repeating: long, count: 7))"}"#) == nil)
    }
}
