#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("The rules of a session's cache", .timeLimit(.minutes(5)))
struct CacheRulesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fields: [String: String]
        let wishes: [String: String]
        let status: Int
        let policy: URLRequest.CachePolicy
        let expected: String

        init(
            _ rule: String,
            _ fields: [String: String],
            asking wishes: [String: String] = [:],
            status: Int = 200,
            policy: URLRequest.CachePolicy = .useProtocolCachePolicy,
            _ expected: String
        ) {
            testDescription = rule
            self.fields = fields
            self.wishes = wishes
            self.status = status
            self.policy = policy
            self.expected = expected
        }
    }

    private static func control(_ text: String, _ more: [String: String] = [:]) -> [String: String] {
        more.merging(["Cache-Control": text]) { $1 }
    }

    private static let old = "Mon, 01 Jan 2001 00:00:00 GMT"
    private static let tag = ["ETag": "\"a\""]
    private static let stale = ["Age": "1000", "ETag": "\"a\""]

    @Test(
        "The second request for a URL is served as the fields and the policy say",
        arguments: [
            Row("5.2.2.1 max-age", control("max-age=600"), "cache"),
            Row("5.2.2.1 max-age=0", control("max-age=0", tag), "validated"),
            Row("5.2.2.10 s-maxage", control("s-maxage=60, max-age=0", tag), "validated"),
            Row("5.3 Expires", ["Expires": "Fri, 31 Dec 2100 23:59:59 GMT"], "cache"),
            Row("5.3 Expires in the past", ["Expires": old, "ETag": "\"a\""], "validated"),
            Row("5.3 Expires: 0", ["Expires": "0", "ETag": "\"a\""], "validated"),
            Row(
                "5.3 Expires in another zone",
                ["Expires": "Fri, 31 Dec 2100 23:59:59 EST", "ETag": "\"a\""],
                "validated"
            ),
            Row("5.3 Expires in RFC 850 form", ["Expires": "Friday, 31-Dec-60 23:59:59 GMT"], "cache"),
            Row("5.1 an Age that is no number", control("max-age=600", ["Age": "1000x"]), "cache"),
            Row("3.3 Content-Range without 206", control("max-age=600", ["Content-Range": "bytes 0-1/9"]), "cache"),
            Row("4.2.2 heuristic", ["Last-Modified": old], "cache"),
            Row("4.2.3 Age", control("max-age=600", stale), "validated"),
            Row("3 nothing said", [:], "network"),
            Row("3 404", control("max-age=600"), status: 404, "cache"),
            Row("3 500 without a word", tag, status: 500, "network"),
            Row("5.2.2.5 no-store", control("no-store, max-age=600", tag), "network"),
            Row(
                "5.2.1.5 no-store of the request",
                control("max-age=600", tag),
                asking: ["Cache-Control": "no-store"],
                "network"
            ),
            Row("5.2.2.4 no-cache", control("no-cache, max-age=600", tag), "validated"),
            Row("5.2.2.2 must-revalidate", control("max-age=600, must-revalidate"), "cache"),
            Row("5.2.2.2 must-revalidate, stale", control("max-age=600, must-revalidate", stale), "validated"),
            Row("5.2.2.7 private", control("private, max-age=600"), "cache"),
            Row("4.3.1 If-Modified-Since", control("max-age=0", ["Last-Modified": old]), "validated"),
            Row("4.3.1 nothing to ask by", control("max-age=600", ["Age": "1000"]), "network"),
            Row("4.1 Vary, the same", control("max-age=600", ["Vary": "X-A"]), asking: ["X-A": "1"], "cache"),
            Row("4.1 Vary: *", control("max-age=600", ["Vary": "*"]), "network"),
            Row(
                "8246 immutable",
                control("max-age=600, immutable", tag),
                policy: .reloadRevalidatingCacheData,
                "cache"
            ),
            Row("policy: reload", control("max-age=600", tag), policy: .reloadIgnoringLocalCacheData, "network"),
            Row(
                "policy: reload everywhere",
                control("max-age=600", tag),
                policy: .reloadIgnoringLocalAndRemoteCacheData,
                "network"
            ),
            Row("policy: revalidate", control("max-age=600", tag), policy: .reloadRevalidatingCacheData, "validated"),
            Row("policy: else load", control("no-cache", stale), policy: .returnCacheDataElseLoad, "cache"),
            Row("policy: else load, nothing said", [:], policy: .returnCacheDataElseLoad, "cache"),
            Row(
                "5861-4 stale-if-error without an error",
                control("max-age=600, stale-if-error=600", stale),
                "validated"
            ),
        ]
    )
    func secondRequest(row: Row) async throws {
        let lab = try CacheLab()
        lab.route("/x", row.fields, status: row.status)
        let first = try await lab.get("/x", row.wishes, policy: row.policy)
        let second = try await lab.get("/x", row.wishes, policy: row.policy)

        #expect(first.source == "network")
        #expect(first.text == "1")
        #expect(second.source == row.expected)
        #expect(second.text == (row.expected == "network" ? "2" : "1"))
        #expect(second.status == row.status)
        #expect(lab.requestCount("/x") == (row.expected == "cache" ? 1 : 2))
        #expect(second.outcome.field("Content-Type") == first.outcome.field("Content-Type"))
    }

    @Test("A hit has the content and the fields of the first response, and an Age field")
    func hit() async throws {
        let lab = try CacheLab()
        lab.route("/x", ["Cache-Control": "max-age=3600", "X-lower": "1", "Set-Cookie": "a=b", "Link": "<a>"])
        let first = try await lab.get("/x")
        let second = try await lab.get("/x")
        var expected = try #require(first.outcome.response as? HTTPURLResponse).allHeaderFields as? [String: String]
        expected?["Connection"] = nil
        var fields = try #require(second.outcome.response as? HTTPURLResponse).allHeaderFields as? [String: String]
        let age = fields?.removeValue(forKey: "Age")
        #expect(fields == expected)
        #expect(age.flatMap { Int($0) }.map { (0...600).contains($0) } == true)
        #expect(second.outcome.response?.url == first.outcome.response?.url)
        #expect(second.outcome.response?.mimeType == "text/plain")
    }

    @Test("The metrics of a hit show no sent request, and those of a validated response show the request")
    func metrics() async throws {
        let lab = try CacheLab()
        lab.route("/x", ["Cache-Control": "max-age=600", "ETag": "\"a\""])
        let miss = try await lab.get("/x")
        let hit = try await lab.get("/x")
        let validated = try await lab.get("/x", policy: .reloadRevalidatingCacheData)
        #expect([miss, hit, validated].map(\.metrics.count) == [1, 1, 1])
        #expect([miss, hit, validated].map { $0.metrics[0].isFromCache } == [false, true, true])
        #expect(hit.metrics[0].responseBodyBytes == 0)
        #expect(hit.metrics[0].responseBodyBytesDecoded == 1)
        #expect(hit.metrics[0].remoteAddress == nil)
        #expect(hit.metrics[0].response?.statusCode == 200)
        #expect(validated.metrics[0].response?.statusCode == 304)
        #expect(validated.metrics[0].requestHeaderBytes > 0)
        #expect(validated.metrics[0].responseBodyBytesDecoded == 1)
    }

    @Test("Different queries, and different values of the fields in Vary, have separate entries")
    func identity() async throws {
        let lab = try CacheLab()
        lab.server.route("/x") { request in
            .text("\(request.target) \(request.headers["Accept-Language"] ?? "")")
                .adding("Cache-Control", "max-age=600").adding("Vary", "Accept-Language")
        }
        for _ in 0..<2 {
            for user in ["alice", "bob"] {
                for language in ["de", "en"] {
                    let reply = try await lab.get("/x?user=\(user)", ["Accept-Language": language])
                    #expect(reply.text == "/x?user=\(user) \(language)")
                }
            }
        }
        #expect(lab.requestCount("/x") == 4)
    }

    @Test("A response for one credential is not served to requests with another or without one")
    func credentials() async throws {
        let lab = try CacheLab()
        lab.server.route("/x") { request in
            .text(request.headers["Authorization"] ?? "nobody").adding("Cache-Control", "max-age=600")
        }
        for _ in 0..<2 {
            #expect(try await lab.get("/x", ["Authorization": "Basic a"]).text == "Basic a")
            #expect(try await lab.get("/x", ["Authorization": "Basic b"]).text == "Basic b")
            #expect(try await lab.get("/x").text == "nobody")
        }
        #expect(lab.requestCount("/x") == 3)
    }

    @Test("A response after a challenge is served only to requests with the same credential")
    func challenge() async throws {
        let lab = try CacheLab()
        lab.server.route("/x") { request in
            guard let credential = request.headers["Authorization"] else {
                return .status(401).adding("WWW-Authenticate", "Basic realm=\"a\"")
            }
            return .text(credential).adding("Cache-Control", "max-age=600")
        }
        func load(_ user: String) async throws -> Outcome {
            let log = DelegateLog(
                .with {
                    $0.challenge = { _ in
                        (.useCredential, URLCredential(user: user, password: "p", persistence: .none))
                    }
                }
            )
            let session = lab.makeSession(log)
            defer { session.finishTasksAndInvalidate() }
            return try await log.outcome(of: session.dataTask(with: lab.server.url("/x")))
        }
        let first = try await load("ada")
        #expect(first.status == 200)
        #expect(try await lab.get("/x").status == 401)
        #expect(try await load("bob").text != first.text)
        #expect(try await load("ada").text == first.text)
    }

    @Test("A response that varies by cookies is stored separately for each value")
    func cookies() async throws {
        let lab = try CacheLab()
        lab.server.route("/x") { request in
            .text(request.headers["Cookie"] ?? "none")
                .adding("Cache-Control", "max-age=600").adding("Vary", "Cookie")
        }
        lab.server.route("/login", .status(204).adding("Set-Cookie", "user=ada; Path=/"))
        #expect(try await lab.get("/x").text == "none")
        _ = try await lab.get("/login")
        #expect(try await lab.get("/x").text == "user=ada")
        #expect(try await lab.get("/x").source == "cache")
    }

    @Test("A hit does not set the cookies of its response again")
    func cookiesOfHits() async throws {
        let lab = try CacheLab()
        lab.route("/x", ["Cache-Control": "max-age=600", "Set-Cookie": "a=b"])
        _ = try await lab.get("/x")
        let storage = try #require(lab.session.configuration.httpCookieStorage)
        for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) }
        #expect(try await lab.get("/x").source == "cache")
        #expect(storage.cookies?.isEmpty ?? true)
    }

    @Test("A 304 updates the stored fields, and the updated response is used")
    func freshening() async throws {
        let lab = try CacheLab()
        lab.route(
            "/x",
            ["Cache-Control": "max-age=600", "Age": "1000", "ETag": "\"a\"", "X-Version": "1"],
            notModified: ["Cache-Control": "max-age=600", "ETag": "\"a\"", "X-Version": "2"]
        )
        _ = try await lab.get("/x")
        let validated = try await lab.get("/x")
        #expect(validated.source == "validated")
        #expect(validated.status == 200)
        #expect(validated.text == "1")
        #expect(validated.outcome.field("X-Version") == "2")
        #expect(validated.outcome.field("Age") == nil)
        let hit = try await lab.get("/x")
        #expect(hit.source == "cache")
        #expect(hit.outcome.field("X-Version") == "2")
    }

    @Test("A changed response replaces the stored response whose validation was requested")
    func changed() async throws {
        let lab = try CacheLab()
        lab.server.route(
            "/x",
            .text("old").adding("Cache-Control", "max-age=0").adding("ETag", "\"a\""),
            .text("new").adding("Cache-Control", "max-age=600").adding("ETag", "\"b\"")
        )
        #expect(try await lab.get("/x").text == "old")
        #expect(try await lab.get("/x").text == "new")
        let third = try await lab.get("/x")
        #expect(third.text == "new")
        #expect(third.source == "cache")
        #expect(lab.server.requests(to: "/x").map { $0.headers["If-None-Match"] } == [nil, "\"a\""])
    }

    @Test("A response with no-store removes the stored response")
    func nowUnstorable() async throws {
        let lab = try CacheLab()
        lab.server.route(
            "/x",
            .text("old").adding("Cache-Control", "max-age=600"),
            .text("new").adding("Cache-Control", "no-store")
        )
        _ = try await lab.get("/x")
        #expect(try await lab.get("/x", policy: .reloadIgnoringLocalCacheData).text == "new")
        #expect(try await lab.get("/x").source == "network")
    }

    @Test("A 304 with another validator leads to a request without conditions")
    func wrongValidator() async throws {
        let lab = try CacheLab()
        lab.server.route(
            "/x",
            .text("old").adding("Cache-Control", "max-age=0").adding("ETag", "\"a\""),
            .status(304).adding("ETag", "\"b\""),
            .text("new").adding("ETag", "\"b\"")
        )
        _ = try await lab.get("/x")
        let reply = try await lab.get("/x")
        #expect(reply.text == "new")
        #expect(lab.server.requests(to: "/x").map { $0.headers["If-None-Match"] } == [nil, "\"a\"", nil])
    }

    @Test("Requests with their own conditions or ranges bypass the cache, and get a 304 as the response")
    func ownConditions() async throws {
        let lab = try CacheLab()
        lab.route("/x", ["Cache-Control": "max-age=600", "ETag": "\"a\""])
        _ = try await lab.get("/x")
        let conditional = try await lab.get("/x", ["If-None-Match": "\"a\""])
        #expect(conditional.status == 304)
        #expect(conditional.source == "network")
        #expect(try await lab.get("/x", ["Range": "bytes=0-0"]).source == "network")
        #expect(try await lab.get("/x").source == "cache")
    }

    // MARK: HEAD

    @Test("A stored GET response serves a HEAD request, without content")
    func head() async throws {
        let lab = try CacheLab()
        lab.route("/x", ["Cache-Control": "max-age=600"])
        _ = try await lab.get("/x")
        let head = try await lab.get("/x", method: "HEAD")
        #expect(head.source == "cache")
        #expect(head.text == "")
        #expect(head.outcome.field("Content-Length") == "1")
        #expect(lab.requestCount("/x") == 1)
    }

    @Test(
        "A HEAD response updates the stored response, or removes it (RFC 9111, section 4.3.5)",
        arguments: [true, false]
    )
    func headAsUpdate(isSame: Bool) async throws {
        let lab = try CacheLab()
        lab.server.route("/x") { request in
            let isHead = request.method == "HEAD"
            return .text(isHead && !isSame ? "22" : "1").adding("Cache-Control", "max-age=600")
                .adding("Age", isHead ? "0" : "1000").adding("ETag", isHead && !isSame ? "\"b\"" : "\"a\"")
        }
        _ = try await lab.get("/x")
        #expect(try await lab.get("/x", method: "HEAD").source == "network")
        let reply = try await lab.get("/x")
        #expect(reply.source == (isSame ? "cache" : "network"))
        #expect(lab.server.requests(to: "/x").last?.headers["If-None-Match"] == nil)
    }
}
#endif
