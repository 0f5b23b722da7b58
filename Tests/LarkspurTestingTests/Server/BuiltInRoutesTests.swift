import HTTPSyntax
import Foundation
import Testing

@testable import LarkspurTesting

@Suite struct BuiltInRoutesTests {
    @Test(
        "A route responds with its status, its field and its body",
        arguments: [
            ("GET", "/get?a=1", "", 200, "Content-Type: application/json", #""args":{"a":"1"}"#),
            ("POST", "/get", "", 405, "Allow: GET, HEAD, OPTIONS", ""),
            ("PUT", "/put", "", 200, "Content-Type: application/json", #""json":null"#),
            ("PATCH", "/patch", "", 200, "Content-Type: application/json", #""data":"""#),
            ("DELETE", "/delete", "", 200, "Content-Type: application/json", #""form":{}"#),
            ("GET", "/delete", "", 405, "Allow: DELETE, OPTIONS", ""),
            ("LINK", "/anything/x/y", "", 200, "Content-Type: application/json", #""method":"LINK""#),
            (
                "GET", "/headers", "x-my-name: v\r\n", 200, "Content-Length: 43",
                #"{"headers":{"Host":"test","X-My-Name":"v"}}"#
            ),
            ("GET", "/user-agent", "User-Agent: me\r\n", 200, "Content-Length: 19", #"{"user-agent":"me"}"#),
            ("GET", "/ip", "", 200, "Content-Length: 22", #"{"origin":"127.0.0.1"}"#),
            ("GET", "/status/404", "", 404, "Content-Type: text/html; charset=utf-8", ""),
            ("POST", "/status/204", "", 204, "Content-Type: text/html; charset=utf-8", ""),
            ("GET", "/status/999", "", 999, "Content-Length: 0", ""),
            ("GET", "/status/99", "", 400, "Content-Length: 20", "Invalid value: code\n"),
            ("GET", "/status/1000", "", 400, "Content-Length: 20", "Invalid value: code\n"),
            ("GET", "/status/x", "", 400, "Content-Length: 20", "Invalid value: code\n"),
            ("GET", "/status/302", "", 302, "Location: /redirect/1", ""),
            ("GET", "/status/401", "", 401, #"WWW-Authenticate: Basic realm="Fake Realm""#, ""),
            ("GET", "/status/407", "", 407, #"Proxy-Authenticate: Basic realm="Fake Realm""#, ""),
            ("GET", "/redirect/3", "", 302, "Location: /relative-redirect/2", ""),
            ("GET", "/relative-redirect/1", "", 302, "Location: /get", ""),
            ("GET", "/absolute-redirect/2", "", 302, "Location: http://test/absolute-redirect/1", ""),
            ("GET", "/redirect/0", "", 400, "Content-Length: 17", "Invalid value: n\n"),
            ("PUT", "/redirect-to?url=http%3A%2F%2Fx%2Fy&status_code=308", "", 308, "Location: http://x/y", ""),
            ("GET", "/redirect-to", "", 400, "Content-Length: 19", "Invalid value: url\n"),
            ("POST", "/delay/0.001", "", 200, "Content-Type: application/json", #""url":"http://test/delay/0.001""#),
            ("GET", "/delay/nan", "", 400, "Content-Length: 23", "Invalid value: seconds\n"),
            ("GET", "/delay/-1", "", 400, "Content-Length: 23", "Invalid value: seconds\n"),
            ("GET", "/drip?duration=0.01&numbytes=4&code=206&delay=0.01", "", 206, "Content-Length: 4", "****"),
            ("GET", "/drip?numbytes=0", "", 400, "Content-Length: 24", "Invalid value: numbytes\n"),
            ("GET", "/bytes/-1", "", 400, "Content-Length: 17", "Invalid value: n\n"),
            ("GET", "/bytes/99999999999", "", 400, "Content-Length: 17", "Invalid value: n\n"),
            ("GET", "/range/30", "", 200, #"ETag: "range30""#, "abcdefghijklmnopqrstuvwxyzabcd"),
            ("GET", "/range/30", "Range: bytes=25-27\r\n", 206, "Content-Range: bytes 25-27/30", "zab"),
            ("GET", "/range/30?chunk_size=4&duration=0.01", "Range: bytes=-5\r\n", 206, "Content-Length: 5", "zabcd"),
            ("GET", "/range/30", "Range: bytes=30-\r\n", 416, "Content-Range: bytes */30", ""),
            ("GET", "/stream-bytes/0", "", 200, "Transfer-Encoding: chunked", ""),
            ("GET", "/basic-auth/a/b", "", 401, #"WWW-Authenticate: Basic realm="Fake Realm""#, ""),
            ("GET", "/basic-auth/a/b", "Authorization: Basic YTpi\r\n", 200, "Content-Length: 33", #""user":"a""#),
            ("GET", "/basic-auth/a/c", "Authorization: Basic YTpi\r\n", 401, "Content-Length: 0", ""),
            ("GET", "/hidden-basic-auth/a/b", "", 404, "Content-Length: 0", ""),
            (
                "GET", "/hidden-basic-auth/a/b", "Authorization: basic YTpi\r\n", 200, "Content-Length: 33",
                #""user":"a""#
            ),
            ("GET", "/bearer", "", 401, "WWW-Authenticate: Bearer", ""),
            ("GET", "/bearer", "Authorization: Bearer t\r\n", 200, "Content-Length: 34", #""token":"t""#),
            (
                "GET", "/cookies", "Cookie: a=1; b=\"2\"\r\n", 200, "Content-Length: 29",
                #"{"cookies":{"a":"1","b":"2"}}"#
            ),
            (
                "GET", "/bearer", "Authorization: Bearer \u{301}t\r\n", 200, "Content-Type: application/json",
                "\"token\":\"\u{301}t\""
            ),
            (
                "GET", "/cookies", "Cookie: a=\u{301}1;\u{FE0F}b=2\r\n", 200, "Content-Type: application/json",
                "{\"cookies\":{\"a\":\"\u{301}1\",\"\u{FE0F}b\":\"2\"}}"
            ),
            ("GET", "/get?\u{301}a=1", "", 200, "Content-Type: application/json", "{\"\u{301}a\":\"1\"}"),
            ("GET", "/cookies/set/\u{301}c/3", "", 302, "Location: /cookies", ""),
            ("GET", "/etag/x", "If-None-Match: W/\"x\",\u{301}\r\n", 304, #"ETag: "x""#, ""),
            ("GET", "/cookies/set?a=1&b=2", "", 302, "Set-Cookie: a=1; Path=/", ""),
            ("GET", "/cookies/set/c/3", "", 302, "Set-Cookie: c=3; Path=/", ""),
            ("GET", "/cookies/delete?a", "", 302, "Location: /cookies", ""),
            ("GET", "/etag/x", "", 200, #"ETag: "x""#, #""args":{}"#),
            ("GET", "/etag/x", "If-None-Match: \"y\", W/\"x\"\r\n", 304, #"ETag: "x""#, ""),
            ("GET", "/etag/x", "If-None-Match: *\r\n", 304, #"ETag: "x""#, ""),
            ("GET", "/etag/x", "If-None-Match: \"y\"\r\n", 200, #"ETag: "x""#, #""args":{}"#),
            ("GET", "/etag/x", "If-Match: \"y\"\r\n", 412, #"ETag: "x""#, ""),
            ("GET", "/etag/x", "If-Match: \"x\"\r\n", 200, #"ETag: "x""#, #""args":{}"#),
            ("GET", "/cache", "", 200, "Content-Type: application/json", #""args":{}"#),
            ("GET", "/cache", "If-Modified-Since: x\r\n", 304, "", ""),
            ("GET", "/cache", "If-None-Match: x\r\n", 304, "", ""),
            ("GET", "/cache/60", "", 200, "Cache-Control: public, max-age=60", #""args":{}"#),
            ("GET", "/json", "", 200, "Content-Type: application/json", "slideshow"),
            ("GET", "/xml", "", 200, "Content-Type: application/xml", "<?xml"),
            ("GET", "/html", "", 200, "Content-Type: text/html; charset=utf-8", "<!DOCTYPE html>"),
            ("GET", "/encoding/utf8", "", 200, "Content-Type: text/html; charset=utf-8", "日本語"),
            ("GET", "/gzip", "", 200, "Content-Encoding: gzip", #""gzipped":true"#),
            ("GET", "/deflate", "", 200, "Content-Encoding: deflate", #""deflated":true"#),
            ("GET", "/base64/SGVsbG8_", "", 200, "Content-Length: 6", "Hello?"),
            ("GET", "/base64/!", "", 400, "Content-Length: 21", "Invalid value: value\n"),
            ("GET", "/response-headers?X-A=b&Content-Type=text/x", "", 200, "Content-Type: text/x", #""X-A":"b""#),
            ("POST", "/response-headers?X-A=b%0D%0AX-C:d", "", 200, "X-A: b  X-C:d", ""),
            (
                "GET", "/nothing", "", 404, "Content-Type: application/problem+json",
                "There is no route for GET /nothing: the test has set none"
            ),
            ("GET", "/fault/nothing", "", 404, "", "There is no route for GET /fault/nothing"),
        ]
    )
    func table(method: String, target: String, headers: String, status: Int, field: String, text: String) throws {
        let server = try LoopbackServer()
        let response = try server.answer(target, method: method, headers: headers)
        #expect(response.status == status)
        #expect(
            field.isEmpty || response.fields.map { "\($0.name): \($0.value)" }.contains(field),
            "\(response.fields)"
        )
        // Stored blocks leave the text as it is, so that this holds for what is encoded as well.
        #expect(text.isEmpty || response.text.contains(text))
    }

    @Test(
        "A delayed route waits as long as its path requires",
        arguments: [
            ("/delay/2.5", [2500], []), ("/drip?duration=3&numbytes=4&delay=5", [5000], [750, 750, 750]),
            ("/drip?numbytes=2", [0], [1000]), ("/range/4?chunk_size=2&duration=3", [], [1500, 1500]),
            ("/range/4", [], []),
        ] as [(String, [Int], [Int])]
    )
    func pauses(target: String, before: [Int], inBody: [Int]) throws {
        let head = ReceivedHead(method: "GET", target: target)
        let resolution = Router().resolve(head)
        guard case .handler(let handler) = resolution.reply else { throw RawClient.Failure(description: "no handler") }
        var request = LoopbackServer.Request(head: head, connection: 1)
        request.parameters = resolution.parameters
        let response = try handler(request)
        #expect(pauses(in: response.prelude) == before.map { .milliseconds($0) })
        #expect(pauses(in: response.body) == inBody.map { .milliseconds($0) })
    }

    private func pauses(in steps: [LoopbackServer.Response.Step]) -> [Duration] {
        steps.flatMap { step -> [Duration] in
            switch step {
            case .pause(let duration): [duration]
            case .repeated(let steps, let times): (0..<(times ?? 1)).flatMap { _ in pauses(in: steps) }
            default: []
            }
        }
    }

    @Test("The route /post returns forms, files, JSON and other data as httpbin does")
    func echo() throws {
        let server = try LoopbackServer()
        func post(_ type: String, _ body: String) throws -> [String: Any] {
            try server.answer("/post", method: "POST", headers: "Content-Type: \(type)\r\n", body: body).json()
        }
        let form = try post("application/x-www-form-urlencoded", "a=1&b=2&a=3")
        #expect(form["data"] as? String == "")
        let values = try #require(form["form"] as? [String: Any])
        #expect(values["a"] as? [String] == ["1", "3"])
        #expect(values["b"] as? String == "2")

        let multipart = try post(
            "multipart/form-data; boundary=\"x y\"",
            "--x y\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n"
                + "--x y\r\nContent-Disposition: form-data; name=f; filename=n\r\n\r\nfile\r\n--x y--\r\n"
        )
        #expect(multipart["form"] as? [String: String] == ["a": "1"])
        #expect(multipart["files"] as? [String: String] == ["f": "file"])

        let json = try post("application/json", #"{"a":[1]}"#)
        #expect(json["json"] as? [String: [Int]] == ["a": [1]])
        #expect(json["data"] as? String == #"{"a":[1]}"#)
        #expect(try post("text/plain", String(repeating: "[", count: 100_000))["json"] is NSNull)
        #expect(Set(json.keys) == ["args", "data", "files", "form", "headers", "json", "origin", "url"])
    }

    @Test("Binary content is returned in base64")
    func binaryEcho() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.get("/anything", method: "PUT", headers: "Content-Length: 2\r\n")
        try client.send(Data([0xFF, 0xFE]))
        #expect(try client.response().json()["data"] as? String == "data:application/octet-stream;base64,//4=")
    }

    @Test("The same seed gives the same bytes, as a whole or in chunks")
    func bytes() throws {
        let server = try LoopbackServer()
        let bytes = try server.answer("/bytes/1003?seed=7").body
        #expect(bytes.count == 1_003)
        #expect(try server.answer("/stream-bytes/1003?seed=7&chunk_size=10").body == bytes)
        #expect(try server.answer("/bytes/1003?seed=8").body != bytes)
        #expect(try server.answer("/bytes/1003").body != server.answer("/bytes/1003").body)
    }

    @Test("The route /stream has the requested number of JSON lines")
    func stream() throws {
        let server = try LoopbackServer()
        let response = try server.answer("/stream/3?a=b")
        #expect(response.fields["Transfer-Encoding"] == "chunked")
        let lines = try response.text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(lines.map { $0["id"] as? Int } == [0, 1, 2])
    }

    @Test("The route /status with an interim code sends that response, then the final one")
    func interimStatus() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.get("/status/102")
        #expect(try client.response().status == 102)
        #expect(try client.response().status == 200)
    }

    @Test("The route /image/png is an image, and /uuid is a UUID that changes")
    func samples() throws {
        let server = try LoopbackServer()
        let picture = [UInt8](try server.answer("/image/png").body)
        #expect(picture.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        #expect(CodingChecksum.crc32(Data(picture[12..<29])) == picture[29..<33].reduce(0) { $0 << 8 | UInt32($1) })
        let first = try #require(try server.answer("/uuid").json()["uuid"] as? String)
        #expect(UUID(uuidString: first) != nil)
        #expect(try server.answer("/uuid").json()["uuid"] as? String != first)
    }

    @Test(
        "Digest authentication accepts the right password only",
        arguments: DigestAlgorithm.allCases,
        ["auth", "auth-int", "none"]
    )
    func digest(algorithm: DigestAlgorithm, qop: String) throws {
        let server = try LoopbackServer()
        let target = "/digest-auth/\(qop)/user/pass/\(algorithm.rawValue)?stale_after=1"
        func authenticate(password: String, nonce: String, opaque: String, body: String = "body") throws
            -> RawClient.Response
        {
            var secret = algorithm.hash("user", "Fake Realm", password)
            if algorithm.isSession { secret = algorithm.hash(secret, nonce, "c") }
            let action =
                qop == "auth-int"
                ? algorithm.hash("POST", target, algorithm.hash(Data(body.utf8))) : algorithm.hash("POST", target)
            let response =
                qop == "none"
                ? algorithm.hash(secret, nonce, action) : algorithm.hash(secret, nonce, "00000001", "c", qop, action)
            let quality = qop == "none" ? "" : ", qop=\(qop), nc=00000001"
            let field =
                "Digest username=\"user\", realm=\"Fake Realm\", nonce=\"\(nonce)\", uri=\"\(target)\", cnonce=\"c\","
                + " response=\"\(response)\", opaque=\"\(opaque)\", algorithm=\(algorithm.rawValue)\(quality)"
            return try server.answer(target, method: "POST", headers: "Authorization: \(field)\r\n", body: "body")
        }

        let refusal = try server.answer(target, method: "POST", body: "body")
        #expect(refusal.status == 401)
        let challenge = FieldParameters(
            String(try #require(refusal.fields["WWW-Authenticate"]).dropFirst("Digest ".count)),
            separator: ","
        ).values
        #expect(challenge["qop"] == (qop == "none" ? nil : qop))
        #expect(challenge["algorithm"] == algorithm.rawValue)
        #expect(challenge["stale"] == nil)
        let (nonce, opaque) = (try #require(challenge["nonce"]), try #require(challenge["opaque"]))

        let wrong = try authenticate(password: "wrong", nonce: nonce, opaque: opaque)
        #expect(wrong.status == 401)
        #expect(wrong.fields["WWW-Authenticate"]?.contains("stale") == false)
        if qop == "auth-int" {
            #expect(try authenticate(password: "pass", nonce: nonce, opaque: opaque, body: "other").status == 401)
        }
        let right = try authenticate(password: "pass", nonce: nonce, opaque: opaque)
        #expect(right.text == #"{"authenticated":true,"user":"user"}"#)
        let stale = try authenticate(password: "pass", nonce: nonce, opaque: opaque)
        #expect(stale.status == 401)
        #expect(stale.fields["WWW-Authenticate"]?.contains("stale=true") == true)
    }
}
