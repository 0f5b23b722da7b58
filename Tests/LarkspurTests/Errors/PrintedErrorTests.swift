import Testing

@testable import Larkspur

@Suite("Printed errors")
struct PrintedErrorTests {
    private static let secrets = ["hunter2", "cookie-secret", "token-secret", "content-secret"]

    private func makeError() throws -> LarkspurError {
        let url = try #require(URL(string: "https://ada:hunter2@example.org/a"))
        let fields = [
            "Set-Cookie": "sid=cookie-secret", "X-Auth-Token": "token-secret", "Content-Type": "text/plain",
        ]
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: fields)
        )
        let info: [String: Any] = [
            NSURLErrorFailingURLErrorKey: url, "NSErrorFailingURLStringKey": url.absoluteString, "response": response,
        ]
        let cause = NSError(
            domain: "outer",
            code: 1,
            userInfo: [NSUnderlyingErrorKey: URLError(.timedOut, userInfo: info)]
        )
        let inner = LarkspurError(.timedOut, "inner", underlyingError: cause, request: URLRequest(url: url))
        var error = LarkspurError(.unacceptableStatusCode, "outer", underlyingError: inner)
        error.response = response
        error.request = URLRequest(url: url)
        error.responseData = Data("content-secret".utf8)
        return error
    }

    private func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    @Test("A printed error contains no password, cookie, token or content")
    func printing() throws {
        let error = try makeError()
        let bridged = error as NSError
        var texts = ["\(error)", String(reflecting: error), "\(bridged)", String(reflecting: bridged), dumped(error)]
        texts += [dumped(bridged), "\(bridged.userInfo)", dumped(bridged.userInfo), error.localizedDescription]
        texts += [dumped(Mirror(reflecting: error).children.map { $0 })]
        for underlying in [error, try #require(error.underlyingError as? LarkspurError)] {
            let info = (underlying as NSError).userInfo
            texts += ["\(info)", dumped(info)]
            let cause = try #require(info[NSUnderlyingErrorKey] as? any Error)
            texts += ["\(cause)", "\(cause as NSError)", dumped(cause), "\((cause as NSError).userInfo)"]
        }
        for text in texts {
            for secret in Self.secrets { #expect(!text.contains(secret), "\(text)") }
        }
        #expect("\(bridged)".contains("404"))
        #expect("\(bridged)".contains("Set-Cookie"))
    }

    @Test(
        "A URL in the user information has no secret in any part, as a text or as a URL",
        arguments: [
            "https://example.org/token=hunter2", "https://example.org/a,token=hunter2/b",
            "https://example.org/a;token=hunter2", "https://example.org/?token=hunter2",
            "https://example.org/#token=hunter2", "https://ada:hunter2@example.org/", "//ada:hunter2@example.org/",
            "https://example.org/https%3A%2F%2Fada%3Ahunter2%40other.org",
        ]
    )
    func partsOfURLs(text: String) throws {
        let url = try #require(URL(string: text))
        let cause = NSError(domain: "outer", code: 1, userInfo: ["text": "\(text)", "url": url])
        let info = (LarkspurError(.timedOut, "outer", underlyingError: cause) as NSError).userInfo
        #expect(!"\(info)".contains("hunter2"), "\(info)")
    }

    @Test("Values that are printed without secrets keep the secrets for the program")
    func reading() throws {
        let error = try makeError()
        let info = (error as NSError).userInfo
        let response = try #require(info[LarkspurError.responseUserInfoKey] as? HTTPURLResponse)
        #expect(response.value(forHTTPHeaderField: "Set-Cookie") == "sid=cookie-secret")
        #expect(response.statusCode == 404)
        #expect(response.url == error.response?.url)
        #expect(response.mimeType == "text/plain")
        #expect((error.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Auth-Token") == "token-secret")
    }

    @Test("An underlying error without secrets keeps its type")
    func sameError() throws {
        let cause = DecodingError.valueNotFound(Int.self, .init(codingPath: [], debugDescription: "none"))
        let error = LarkspurError(.responseSerializationFailed, "outer", underlyingError: cause) as NSError
        #expect(error.userInfo[NSUnderlyingErrorKey] is DecodingError)
        let url = try #require(URL(string: "https://ada:hunter2@example.org/a"))
        let plain = URLError(.badURL, userInfo: [NSURLErrorFailingURLErrorKey: url])
        let bridged = LarkspurError(.invalidURL, "outer", underlyingError: plain) as NSError
        let shown = try #require(bridged.userInfo[NSUnderlyingErrorKey] as? URLError)
        #expect(shown.code == .badURL)
        #expect(shown.failingURL?.absoluteString == "https://redacted:redacted@example.org/a")
    }
}
