#if canImport(FoundationNetworking)

import Foundation
import Testing

@testable import LarkspurTransport

@Suite struct ResponseHeadTests {
    @Test("Repeated fields are joined with a comma under the first spelling")
    func repeatedFields() throws {
        let head = try #require(
            try ResponseHead.reading(["Vary: a", "vary: b", "x-A: 1", "X-a: 2", "Foo-bar: 1", "FOO-BAR: 2"])
        )
        #expect(head.fields == ["Vary": "a, b", "x-A": "1, 2", "Foo-Bar": "1, 2"])
    }

    @Test(
        "A field is found whatever the case of its name",
        arguments: ["content-type", "Content-Type", "CONTENT-TYPE", "x-Own", "X-OWN", "foo-bar", "etag", "ETag"]
    )
    func lookUp(name: String) throws {
        let head = try #require(try ResponseHead.reading(["Content-Type: v", "x-own: v", "Foo-Bar: v", "ETag: v"]))
        #expect(head[name] == "v")
        #expect(head[name + "s"] == nil)
        #expect(head[""] == nil)
    }

    @Test(
        "A connection ends after a response with the option close, and after HTTP/1.0 without keep-alive",
        arguments: [
            ([], "HTTP/1.1", false), (["Connection: keep-alive"], "HTTP/1.1", false),
            (["Connection: close"], "HTTP/1.1", true), (["connection: keep-alive, Close"], "HTTP/1.1", true),
            (["Connection: keep-alive", "Connection: close"], "HTTP/1.1", true),
            (["Connection: \tclose\t,a"], "HTTP/1.1", true), (["Connection: closed, notclose"], "HTTP/1.1", false),
            (["Connection: close x"], "HTTP/1.1", false), (["Connection: ,,"], "HTTP/1.1", false),
            (["Proxy-Connection: x, close"], "HTTP/1.1", true), (["X: close"], "HTTP/1.1", false),
            ([], "HTTP/1.0", true), (["Connection: a, Keep-Alive"], "HTTP/1.0", false),
            (["Connection: keep-alive, close"], "HTTP/1.0", true), ([], "HTTP/2", false),
        ] as [([String], String, Bool)]
    )
    func closesConnection(_ fields: [String], _ version: String, _ closes: Bool) throws {
        #expect(try #require(try ResponseHead.reading(fields, version: version)).closesConnection == closes)
    }

    @Test("Challenges are available separately, and joined as a field")
    func challenges() throws {
        let head = try #require(
            try ResponseHead.reading(
                [
                    "WWW-Authenticate: Digest realm=\"a, b\"", "www-authenticate: Basic realm=\"c\"",
                    "Proxy-Authenticate: X",
                    "proxy-authenticate: Y",
                ],
                status: 401
            )
        )
        #expect(head.challenges == ["Digest realm=\"a, b\"", "Basic realm=\"c\""])
        #expect(head.proxyChallenges == ["X", "Y"])
        #expect(head["WWW-Authenticate"] == "Digest realm=\"a, b\", Basic realm=\"c\"")
        #expect(head["Proxy-Authenticate"] == "X, Y")
    }

    @Test("Of several locations, the first is used")
    func location() throws {
        #expect(try ResponseHead.reading(["Location: /a", "Location: /b"])?.location == "/a")
        #expect(try ResponseHead.reading([])?.location == nil)
    }

    @Test("A repeated length is read as one number")
    func repeatedLength() throws {
        let head = try #require(try ResponseHead.reading(["Content-Length: 5", "Content-Length: 5"]))
        #expect(head.fields == ["Content-Length": "5"])
        #expect(try ResponseHead.reading([])?.contentLength == nil)
    }

    @Test("Foundation separates joined cookies, including those with commas in dates")
    func joinedCookies() throws {
        let cookies = [
            "a=1; Expires=Wed, 09 Jun 2049 10:18:14 GMT; Path=/", "b=2; Secure",
            "c=x,y; Path=/; expires=Thu, 10-Jun-2049 10:18:14 GMT",
            "d=",
        ]
        let head = try #require(try ResponseHead.reading(cookies.map { "Set-Cookie: " + $0 }))
        #expect(head.setCookies == cookies)
        let url = try #require(URL(string: "https://example.com/"))
        let read = HTTPCookie.cookies(withResponseHeaderFields: head.fields, for: url)
        #expect(read.map(\.name) == ["a", "b", "c", "d"])
        #expect(read.map(\.value) == ["1", "2", "x,y", ""])
        #expect(read.map { $0.expiresDate != nil } == [true, false, true, false])
    }

    @Test(
        "A cookie that would trap Foundation's parser is left out, and the others are not",
        arguments: [
            "\u{1F600}x3=a", "a=b; \u{1F600}x3=a", "e\u{301}x3=a", "a\u{1F600}", "a=b; Path\u{1F600}",
            "[x]=1; \u{1F600}=2",
        ]
    )
    func trappingCookies(cookie: String) throws {
        let head = try #require(
            try ResponseHead.reading(
                ["good=1", cookie, "[y]=2", "value=\u{1F600}=e\u{301}; Path=/"].map { "Set-Cookie: " + $0 }
            )
        )
        #expect(head.setCookies.count == 4)
        #expect(head["Set-Cookie"]?.contains(cookie) == false)
        let url = try #require(URL(string: "https://example.com/"))
        let names = HTTPCookie.cookies(withResponseHeaderFields: head.fields, for: url).map(\.name)
        #expect(names.contains("good"))
        #expect(names.contains("value"))
    }

    @Test("Without a cookie that Foundation can read, there is no Set-Cookie field")
    func onlyTrappingCookies() throws {
        #expect(try ResponseHead.reading(["Set-Cookie: \u{1F600}=a"])?.fields == [:])
    }

    @Test("A response object has the values of the head")
    func response() throws {
        let url = try #require(URL(string: "http://example.com/a"))
        let head = try #require(
            try ResponseHead.reading(
                ["Content-Type: Text/HTML; charset=UTF-8", "Content-Length: 5", "x-own: 1"],
                status: 404
            )
        )
        let response = try #require(head.makeResponse(url: url))
        #expect(response.url == url)
        #expect(response.statusCode == 404)
        #expect(response.mimeType == "text/html")
        #expect(response.textEncodingName == "utf-8")
        #expect(response.expectedContentLength == 5)
        #expect(response.allHeaderFields as? [String: String] == head.fields)
    }

    @Test("Field names are spelled as in HTTPURLResponse")
    func spelling() throws {
        let names = [
            "content-md5", "etag", "p3p", "a_b-c", "foo.bar", "x3y-zz", "a'b", "a+b*c!d", "1abc", "a1b2", "dnt",
            "~tilde-x", "a--b",
            "a`b", "a|b^c&d%e#f$g", "'a", "^a-^b", "x-a", "X-b", "x", "NEL", "sec-ch-ua", "www-authenticate", "Te",
            "access-control-allow-credentials", "Proxy-authenticate", "cf-ray", "CF-Cache-STATUS",
        ]
        let head = try #require(try ResponseHead.reading(names.map { $0 + ": v" }))
        let url = try #require(URL(string: "http://example.com/"))
        let response = try #require(head.makeResponse(url: url))
        #expect(response.allHeaderFields as? [String: String] == head.fields)
    }
}

#endif
