import Testing

@testable import Larkspur

@Suite struct HTTPRequestSerializerTests {
    private let url: URL
    private var serializer = RequestBuilder(.form)

    init() throws {
        url = try #require(URL(string: "http://example.com"))
    }

    @Test func postSendsItsParametersAsAForm() throws {
        let request = try serializer.makeRequest(.post, url: url, parameters: .dictionary(["key": "value"]))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.httpBody == Data("key=value".utf8))
    }

    @Test func postWithoutParametersHasAnEmptyBodyThatIsThere() throws {
        let request = try serializer.makeRequest(.post, url: url)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.httpBody == Data())
    }

    @Test func encodableParametersBecomeAForm() throws {
        struct Login: Encodable { var user = "a b", remember = true }
        let request = try serializer.makeRequest(.put, url: url, parameters: .encodable(Login()))
        #expect(request.httpBody == Data("remember=1&user=a%20b".utf8))
    }

    @Test func aContentTypeThatIsSetStays() throws {
        var serializer = serializer
        serializer.headers["content-type"] = "application/x-www-form-urlencoded; charset=utf-8"
        let request = try serializer.makeRequest(.post, url: url, parameters: .dictionary(["a": 1]))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded; charset=utf-8")
    }

    @Test func theCustomQueryMakesTheBodyVerbatim() throws {
        var serializer = serializer
        serializer.customQuery = { _, _ in "käse #1" }
        serializer.stringEncoding = .isoLatin1
        let request = try serializer.makeRequest(.post, url: url, parameters: .dictionary([:]))
        #expect(request.httpBody == Data([0x6B, 0xE4, 0x73, 0x65, 0x20, 0x23, 0x31]))
    }

    @Test func aBodyThatTheEncodingCannotHoldIsAnError() {
        var serializer = serializer
        serializer.customQuery = { _, _ in "käse" }
        serializer.stringEncoding = .ascii
        let error = #expect(throws: LarkspurError.self) {
            try serializer.makeRequest(.post, url: url, parameters: .dictionary([:]))
        }
        #expect(error?.code == .parameterEncodingFailed)
    }

    @Test func aBodyThatTheRequestBringsStaysWithoutParameters() throws {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data("own".utf8)
        let result = try serializer.serialize(request, parameters: nil)
        #expect(result.httpBody == Data("own".utf8))
        #expect(result.value(forHTTPHeaderField: "Content-Type") == nil)
        let replaced = try serializer.serialize(request, parameters: .dictionary(["a": 1]))
        #expect(replaced.httpBody == Data("a=1".utf8))
    }

    @Test func parametersThatHaveNoFormAreAnErrorWithTheRequest() {
        let error = #expect(throws: LarkspurError.self) {
            try serializer.makeRequest(.post, url: url, parameters: .dictionary(["a": Double.nan]))
        }
        #expect(error?.code == .parameterEncodingFailed)
        #expect(error?.request?.httpMethod == "POST")
        #expect(error?.failingURL == url)
    }
}
