import Testing

@testable import Larkspur

@Suite("The cache of resolved URLs")
struct URLMemoTests {
    @Test("A reference is resolved once until another one follows, and a failure is not stored")
    func resolutions() throws {
        let memo = URLMemo()
        var resolved: [String] = []
        func url(_ reference: String) throws -> URL {
            try memo.url(of: reference) { () throws(LarkspurError) in
                resolved.append(reference)
                return try reference.requestURL(relativeTo: URL(string: "http://a.test/"))
            }
        }
        #expect(try url("x").absoluteString == "http://a.test/x")
        #expect(try url("x").absoluteString == "http://a.test/x")
        #expect(memo.last?.absoluteString == "http://a.test/x")
        #expect(resolved == ["x"])
        for _ in 0..<2 { #expect(throws: LarkspurError.self) { try url("http://a b/") } }
        #expect(try url("x").absoluteString == "http://a.test/x")
        #expect(resolved == ["x", "http://a b/", "http://a b/"])
        // The same text for Unicode, and other bytes.
        #expect(try url("\u{E9}").absoluteString == "http://a.test/%C3%A9")
        #expect(try url("e\u{301}").absoluteString == "http://a.test/e%CC%81")
    }
}
