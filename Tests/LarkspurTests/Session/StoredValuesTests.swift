import Testing

@testable import Larkspur

/// The texts are what version 1.0.0 writes. They never change: later versions of 1 have to read them.
@Suite("Values that a program stores")
struct StoredValuesTests {
    private func check<Value: Codable & Equatable>(_ text: String, _ value: Value) throws {
        #expect(try JSONDecoder().decode(Value.self, from: Data(text.utf8)) == value)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(try String(decoding: encoder.encode(value), as: UTF8.self) == text)
    }

    @Test("A stored security policy is read")
    func securityPolicy() throws {
        var policy = SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [Data([1, 2, 3])])
        policy.validatesDomainName = false
        try check(
            #"{"allowsInvalidCertificates":false,"pinnedCertificates":["AQID"],"pinningMode":"publicKey","#
                + #""validatesDomainName":false}"#,
            policy
        )
    }

    @Test("A stored credential of OAuth 2 is read")
    func credential() throws {
        let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
        try check(
            #"{"accessToken":"a1","expirationDate":800000000,"refreshToken":"r1"}"#,
            OAuth2Credential(accessToken: "a1", refreshToken: "r1", expirationDate: date)
        )
        try check(#"{"accessToken":"a1"}"#, OAuth2Credential(accessToken: "a1"))
    }

    @Test("The stored state of an upload is read")
    func upload() throws {
        let url = try #require(URL(string: "https://example.com/uploads/1"))
        try check(
            #"{"length":10,"modification":"1.5","offset":4,"url":"https://example.com/uploads/1"}"#,
            UploadResumption(url: url, length: 10, offset: 4, modification: "1.5")
        )
        try check(
            #"{"length":10,"offset":4,"url":"https://example.com/uploads/1"}"#,
            UploadResumption(url: url, length: 10, offset: 4, modification: nil)
        )
    }
}
