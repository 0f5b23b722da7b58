import LarkspurCredentials
import LarkspurTestSupport
import Testing

@Suite("Reasons of authorization servers")
struct OAuth2FailureTests {
    private func failure(_ members: [String: String], hiding secrets: [String] = []) -> OAuth2Failure? {
        OAuth2Failure({ members[$0] }, statusCode: 400, hiding: secrets)
    }

    @Test("A reason has a code, and texts in one short line")
    func texts() throws {
        #expect(failure([:]) == nil && failure(["error": " "]) == nil)
        let long = String(repeating: "a", count: 200)
        let reason = try #require(failure(["error": "e\u{1B}", "error_description": "a\nb\(long)"]))
        #expect(reason.code == "e" && reason.explanation?.unicodeScalars.count == 161)
        #expect(reason.explanation?.hasPrefix("a b") == true && reason.page == nil)
        #expect("\(reason)".hasPrefix("status 400, e: a b") && reason.localizedDescription == "\(reason)")
    }

    @Test("Only a link of the web is a page", arguments: ["", "a", "javascript:alert(1)", "file:///a", "https://"])
    func pages(_ link: String) { #expect(failure(["error": "e", "error_uri": link])?.page == nil) }

    @Test("Secrets are replaced before the text is cut, also when they are escaped, and in links")
    func secrets() throws {
        let secret = "pass/word&1"
        let members = [
            "error": "e", "error_description": String(repeating: "-", count: 155) + secret,
            "error_uri": "https://id.test/?q=pass/word%261",
        ]
        let reason = try #require(failure(members, hiding: [secret, "abc", ""]))
        #expect(reason.explanation?.hasSuffix("-redac…") == true)
        #expect(reason.page?.absoluteString == "https://id.test/?q=redacted")
        #expect(failure(["error": "abc"], hiding: ["abc"])?.code == "abc")
    }
}
