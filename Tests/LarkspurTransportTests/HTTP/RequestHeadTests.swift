#if canImport(FoundationNetworking)

import Foundation
import Testing

@testable import LarkspurTransport

@Suite struct RequestHeadTests {
    private func head(
        _ method: String = "GET",
        fields: [String: String]? = nil,
        additional: [String: String] = [:],
        body: RequestHead.BodyLength = .none,
        cookie: String? = nil,
        authorization: String? = nil
    ) throws -> RequestHead {
        var request = URLRequest(url: try #require(URL(string: "http://a.example/b#c")))
        request.httpMethod = method
        request.allHTTPHeaderFields = fields
        var remembered: RememberedLines?
        return try RequestHead(
            request,
            additionalFields: additional,
            body: body,
            cookie: cookie,
            authorization: authorization,
            remembered: &remembered
        )
    }

    /// The lines but for the defaults that every request gets.
    private func lines(_ head: RequestHead) -> Set<String> {
        Set(head.lines).subtracting(RequestLines.defaults)
    }

    @Test("A plain request has the fields that URLSession sends, and no Connection field")
    func plain() throws {
        let head = try head()
        #expect(head.method == "GET")
        #expect(head.url == "http://a.example/b")
        #expect(head.body == .none)
        #expect(!head.setsAcceptEncoding)
        #expect(head.lines.first == "Accept: */*")
        let name = ProcessInfo.processInfo.processName
        #expect(head.lines.contains { $0.hasPrefix("User-Agent: \(name) (unknown version) curl/") })
        let language = try #require(NSLocale.current.languageCode)
        #expect(head.lines.contains("Accept-Language: \(language)"))
        #expect(head.lines.count == 3)
        #expect(try self.head("HEAD").lines == head.lines)
    }

    @Test("The request's fields override the configuration's, and both override the defaults, whatever their case")
    func precedence() throws {
        let head = try head(
            fields: ["x-own": "1", "ACCEPT": "a/b"],
            additional: ["X-Own": "2", "user-agent": "me", "Accept-language": "fr", "X-More": "3", "accept": "c/d"]
        )
        #expect(Set(head.lines) == ["x-own: 1", "ACCEPT: a/b", "user-agent: me", "Accept-language: fr", "X-More: 3"])
    }

    @Test("An empty field is passed to libcurl in libcurl's notation", arguments: ["", " ", "\t "])
    func emptyField(value: String) throws {
        #expect(lines(try head(fields: ["X-Own": value])) == ["X-Own;"])
    }

    @Test("The caller's Accept-Encoding is sent", arguments: ["Accept-Encoding", "accept-encoding"])
    func acceptEncoding(name: String) throws {
        #expect(try head(fields: [name: "br"]).setsAcceptEncoding)
        #expect(try head(additional: [name: "br"]).setsAcceptEncoding)
        #expect(try !head(fields: ["Accept": "a/b"]).setsAcceptEncoding)
    }

    @Test("The caller's cookies override the jar's, and credentials for a challenge override the caller's")
    func cookieAndAuthorization() throws {
        #expect(lines(try head(cookie: "a=b", authorization: "Basic x")) == ["Cookie: a=b", "Authorization: Basic x"])
        let own = ["cookie": "own=1", "authorization": "own"]
        #expect(
            lines(try head(fields: own, cookie: "a=b", authorization: "Basic x")) == [
                "cookie: own=1", "Authorization: Basic x",
            ]
        )
        #expect(lines(try head(additional: own)) == ["cookie: own=1", "authorization: own"])
    }

    @Test(
        "Content-Type is sent only if the method is POST or the caller sets it, and Expect is not sent",
        arguments: [
            ("POST", .known(3), ["Content-Type: application/x-www-form-urlencoded", "Expect:"]),
            ("POST", .unknown, ["Content-Type: application/x-www-form-urlencoded", "Expect:"]),
            ("POST", .none, ["Content-Length: 0"]),
            ("POST", .known(0), ["Content-Length: 0"]),
            ("PATCH", .known(0), ["Content-Length: 0"]), ("PUT", .known(0), ["Content-Length: 0"]),
            ("DELETE", .known(0), []),
            ("PUT", .known(3), ["Content-Type:", "Expect:"]), ("PUT", .none, ["Content-Length: 0"]),
            ("PATCH", .none, ["Content-Length: 0"]), ("DELETE", .none, []),
            ("DELETE", .known(3), ["Content-Type:", "Expect:"]),
            ("GET", .known(3), ["Content-Type:", "Expect:"]), ("GET", .known(0), []), ("HEAD", .none, []),
        ] as [(String, RequestHead.BodyLength, [String])]
    )
    func content(method: String, body: RequestHead.BodyLength, expected: [String]) throws {
        #expect(lines(try head(method, body: body)) == Set(expected))
    }

    @Test("The caller's own Content-Type and Expect fields are sent")
    func ownContentFields() throws {
        let fields = ["content-type": "a/b", "expect": "100-continue"]
        #expect(
            lines(try head("POST", fields: fields, body: .known(3))) == ["content-type: a/b", "expect: 100-continue"]
        )
    }

    @Test(
        "The caller's framing fields are ignored, except the length of a stream",
        arguments: [
            (.known(3), "7", .known(3)), (.unknown, "7", .known(7)), (.unknown, "x", .unknown),
            (.unknown, "-7", .unknown),
            (.unknown, "99999999999999999999", .unknown), (.none, "7", .none),
        ] as [(RequestHead.BodyLength, String, RequestHead.BodyLength)]
    )
    func transferFields(body: RequestHead.BodyLength, stated: String, resolved: RequestHead.BodyLength) throws {
        let head = try head(
            "OPTIONS",
            fields: ["content-length": stated, "Transfer-Encoding": "chunked", "Content-Type": "a/b"],
            body: body
        )
        #expect(head.body == resolved)
        #expect(lines(head).subtracting(["Expect:"]) == ["Content-Type: a/b"])
    }

    @Test(
        "A method that is not a token is refused",
        arguments: ["GET / HTTP/1.1\r\nX: y", "A B", "", "G\u{E4}T", "A\u{0}", "A:"]
    )
    func invalidMethods(method: String) {
        #expect(throws: RequestHead.Failure.invalidMethod) { try head(method) }
    }

    @Test("An uncommon method is sent unchanged", arguments: ["PROPFIND", "M-SEARCH", "x"])
    func otherMethods(method: String) throws {
        #expect(try head(method).method == method)
    }

    @Test("A field name that is not a token is refused", arguments: ["", "A B", "A:", "A\r\nB", "\u{E4}", "A\u{0}"])
    func invalidNames(name: String) {
        #expect(throws: RequestHead.Failure.invalidFieldName(name)) { try head(fields: [name: "v"]) }
        #expect(throws: RequestHead.Failure.invalidFieldName(name)) { try head(additional: [name: "v"]) }
    }

    @Test(
        "A field value with a line break is refused",
        arguments: ["a\r\nX: secret", "a\nsecret", "a\rsecret", "\u{0}secret", "secret\r\n folded"]
    )
    func invalidValues(value: String) {
        let failure = RequestHead.Failure.invalidFieldValue(name: "X-Own")
        #expect(throws: failure) { try head(fields: ["X-Own": value]) }
        #expect(throws: failure) { try head(additional: ["X-Own": value]) }
        #expect(throws: RequestHead.Failure.invalidFieldValue(name: "Cookie")) { try head(cookie: value) }
        #expect(throws: RequestHead.Failure.invalidFieldValue(name: "Authorization")) { try head(authorization: value) }
        #expect(failure.sentence.contains("X-Own"))
        #expect(!failure.sentence.contains("secret"))
    }

    @Test("A field value without line breaks may be any text")
    func unusualValues() throws {
        #expect(lines(try head(fields: ["X-Own": "gr\u{FC}n \u{1F600}\t:;"])) == ["X-Own: gr\u{FC}n \u{1F600}\t:;"])
    }

    @Test("A request without an http or https URL is refused with Foundation's codes")
    func urls() throws {
        var request = URLRequest(url: try #require(URL(string: "ftp://a/")))
        func failure() -> RequestHead.Failure? {
            #expect(throws: RequestHead.Failure.self) {
                var remembered: RememberedLines?
                _ = try RequestHead(
                    request,
                    additionalFields: [:],
                    body: .none,
                    cookie: nil,
                    authorization: nil,
                    remembered: &remembered
                )
            }
        }
        #expect(failure()?.urlError(for: nil).code == .unsupportedURL)
        request.url = URL(string: "http:///x")
        #expect(failure()?.urlError(for: nil).code == .badURL)
        request.url = nil
        #expect(failure() == .missingURL)
        #expect(failure()?.urlError(for: nil).code == .unsupportedURL)
        #expect(
            RequestHead.Failure.missingURL.urlError(for: nil).localizedDescription
                == RequestHead.Failure.missingURL.sentence
        )
    }
}

#endif
