import Foundation
import Larkspur
import TestSupport
import Testing

@testable import LarkspurTesting

@Suite(.timeLimit(.minutes(5))) struct CassetteTests {
    let folder = TemporaryFolder()
    var file: URL { folder.url.appendingPathComponent("sub/cassette.json") }

    func cassette(
        _ mode: Cassette.Mode,
        matching: CassetteMatching = .default,
        redaction: Redaction = .standard
    ) throws -> Cassette {
        try Cassette(file, mode: mode, matching: matching, redaction: redaction)
    }

    func manager(_ cassette: Cassette, _ server: LoopbackServer) -> SessionManager {
        SessionManager(baseURL: server.baseURL, configuration: .ephemeral, transport: cassette.transport)
    }

    var text: String { get throws { try String(contentsOf: file, encoding: .utf8) } }

    @Test("Recorded calls are replayed in order, without a server")
    func roundTrip() async throws {
        let server = try LoopbackServer()
        server.route("/count", .json(#"{"b": 1.50, "a": 12345678901234567890123}"#), .json(#"{"n": 2}"#))
        server.route("/text", .text("one\ntwo\n"))
        server.route("/bytes", .data(Data([0, 1, 255])))
        server.route("/zipped", .json(#"["zip"]"#).encoded(as: .gzip))
        server.route("/empty", .status(204))
        func calls(_ manager: SessionManager) async throws -> [Data] {
            var contents: [Data] = []
            for path in ["count", "count", "text", "bytes", "zipped", "empty"] {
                contents.append(try await manager.get(path).data)
            }
            contents.append(try await manager.post("anything", body: .json(["q": "x"])).data)
            return contents
        }
        let recording = try cassette(.record)
        let live = try await calls(manager(recording, server))
        #expect(recording.interactionCount == 7)
        try recording.save()
        let base = server.baseURL
        server.stop()

        let replaying = try cassette(.replay)
        let manager = SessionManager(baseURL: base, transport: replaying.transport)
        let replayed = try await calls(manager)
        #expect(String(decoding: replayed[0], as: UTF8.self) == #"{"b":1.50,"a":12345678901234567890123}"#)
        #expect(String(decoding: replayed[1], as: UTF8.self) == #"{"n":2}"#)
        #expect(replayed[2] == live[2] && replayed[3] == live[3] && replayed[5].isEmpty)
        #expect(String(decoding: replayed[4], as: UTF8.self) == #"["zip"]"#)
        let error = try await #require(throws: LarkspurError.self) { try await manager.get("count").data }
        #expect(error.code == .unsupported && error.message.contains("no further response to GET"))
        #expect(error.message.contains("which was recorded 2 times"))
    }

    @Test("The file lists one readable interaction after another")
    func format() async throws {
        let server = try LoopbackServer()
        var response = LoopbackServer.Response.json(#"{"name": "Ada", "tags": []}"#)
        response.headers["Date"] = "Thu, 01 Jan 1970 00:00:00 GMT"
        server.route("/a", response)
        let cassette = try cassette(.record)
        let session = cassette.session(configuration: .ephemeral)
        _ = try await session.data(from: server.url("/a"))
        try cassette.save()
        #expect(
            try text == """
                {
                  "larkspurCassette": 1,
                  "interactions": [
                    {
                      "request": {
                        "method": "GET",
                        "url": "\(server.url("/a"))",
                        "headers": {}
                      },
                      "response": {
                        "status": 200,
                        "headers": {
                          "Content-Length": "27",
                          "Content-Type": "application/json",
                          "Date": "Thu, 01 Jan 1970 00:00:00 GMT"
                        },
                        "json": {
                          "name": "Ada",
                          "tags": []
                        }
                      }
                    }
                  ]
                }

                """
        )
    }

    @Test("No part of the file contains secrets, and requests with secrets are found")
    func redaction() async throws {
        let server = try LoopbackServer()
        var response = LoopbackServer.Response.json(#"{"access_token": "hush1", "iban": "hush2", "name": "Ada"}"#)
        response.headers.append("Set-Cookie", "session=hush3")
        response.headers["Link"] = "</next?token=hush4>; rel=next"
        server.route("/login", response)
        server.route("/go", .redirect(to: "/login?token=hush5&a=1", status: 307))
        let rule = Redaction.standard.hiding(["iban"])
        func call(_ manager: SessionManager) async throws -> String {
            manager.requestSettings.setAuthorization(bearerToken: "hush6")
            let parameters: Parameters = ["password": "hush7", "user": "ada"]
            return try await manager.post("go?api_key=hush8", parameters: parameters).string
        }
        let recording = try cassette(.record, redaction: rule)
        let live = try await call(manager(recording, server))
        #expect(live.contains("hush1") && recording.interactionCount == 2)
        try recording.save()
        #expect(try !text.contains("hush"))
        #expect(try text.contains("password=<redacted>&user=ada"))
        server.stop()

        let replaying = try cassette(.replay, redaction: rule)
        let replayed = try await call(manager(replaying, server))
        #expect(replayed == #"{"access_token":"<redacted>","iban":"<redacted>","name":"Ada"}"#)
    }

    @Test("The error for an unknown request names the nearest recorded one and the difference")
    func unknown() async throws {
        let server = try LoopbackServer()
        server.route("/*", .json("{}"))
        let recording = try cassette(.record)
        let recorder = manager(recording, server)
        _ = try await recorder.get("users", parameters: ["page": 1]).data
        _ = try await recorder.post("users", body: .json(["name": "Ada"])).data
        try recording.save()

        let replaying = manager(try cassette(.replay), server)
        func message(_ task: DataTask) async throws -> String {
            let error = try await #require(throws: LarkspurError.self) { try await task.data }
            #expect(error.code == .unsupported)
            return error.message
        }
        let page = try await message(replaying.get("users", parameters: ["page": 2]))
        #expect(page.contains("has no response to GET \(server.url("/users?page=2")). The nearest is that to GET"))
        #expect(page.contains("(number 1), but the query has page=2 and lacks page=1."))
        let body = try await message(replaying.post("users", body: .json(["name": "Bob"])))
        #expect(body.hasSuffix(#"(number 2), but the content is “{"name":"Bob"}”, not “{"name":"Ada"}”."#))
        let path = try await message(replaying.put("user"))
        #expect(path.contains("the method is PUT, not") && path.contains("the path is /user, not /users"))
        #expect(server.requests.count == 2)
    }

    @Test("Matching may ignore servers, query items, contents and the order of members, and may include fields")
    func matching() async throws {
        let server = try LoopbackServer()
        server.route("/*", .text("found"))
        let recording = try cassette(.record)
        _ = try await manager(recording, server).post("a?b=1&t=2", headers: ["X-A": "1"]).data
        _ = try await recording.session().upload(
            for: request(server.url("/json"), "POST", ["Content-Type": "application/json"]),
            from: Data(#"{"a": 1, "b": [2]}"#.utf8)
        )
        try recording.save()

        func finds(_ path: String, fields: HTTPHeaders = [:], _ matching: CassetteMatching) async throws -> Bool {
            let replaying = SessionManager(
                baseURL: URL(string: "https://other.example.com"),
                transport: try cassette(.replay, matching: matching).transport
            )
            return (try? await replaying.post(path, headers: fields).data) != nil
        }
        var rule = CassetteMatching()
        #expect(try await !finds("a?b=1&t=2", rule))
        rule.comparesOrigin = false
        #expect(try await finds("a?t=2&b=1", rule))
        #expect(try await !finds("a?t=3&b=1", rule))
        rule.ignoredQueryItems = ["t"]
        #expect(try await finds("a?t=3&b=1", rule))
        rule.fields = ["x-a"]
        #expect(try await !finds("a?b=1", fields: ["X-A": "2"], rule))
        #expect(try await finds("a?b=1", fields: ["x-a": "1"], rule))
        rule.repeatsLast = true

        let replaying = try cassette(.replay, matching: rule).session()
        for _ in 0..<2 {
            let (data, _) = try await replaying.upload(
                for: request(server.url("/json"), "POST", ["Content-Type": "application/json"]),
                from: Data(#"{ "b":[2],"a":1 }"#.utf8)
            )
            #expect(data == Data("found".utf8))
        }
    }

    func request(_ url: URL, _ method: String, _ fields: [String: String]) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.allHTTPHeaderFields = fields
        return request
    }

    @Test("In auto mode, a request that the file does not have is sent once")
    func auto() async throws {
        let server = try LoopbackServer()
        server.route("/*") { request in .text(request.path) }
        for (paths, sent) in [(["a"], 1), (["a", "b"], 2), (["b", "a"], 2)] {
            let cassette = try cassette(.automatic)
            let manager = manager(cassette, server)
            for path in paths { #expect(try await manager.get(path).string == "/\(path)") }
            try cassette.save()
            #expect(server.requests.count == sent)
        }
    }

    @Test("Downloads, streams, redirects and challenges are recorded and replayed")
    func kinds() async throws {
        let server = try LoopbackServer()
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        server.route("/file", .data(content))
        server.route("/moved", .redirect(to: "/lines"))
        server.route("/lines", .text("a\nb\n"))
        func calls(_ manager: SessionManager, _ name: String) async throws {
            let target = folder.url.appendingPathComponent(name)
            _ = try await manager.download("file", to: .file(target)).file
            #expect(try Data(contentsOf: target) == content)
            var lines: [String] = []
            for try await line in manager.get("moved").lines { lines.append(line) }
            #expect(lines == ["a", "b"])
            manager.hooks.challengeDisposition = { _, _ in
                .useCredential(URLCredential(user: "ada", password: "pw", persistence: .none))
            }
            _ = try await manager.get("basic-auth/ada/pw").data
        }
        let recording = try cassette(.record)
        try await calls(manager(recording, server), "live")
        // Two for the redirect, one for the challenge and its answer.
        #expect(recording.interactionCount == 4)
        try recording.save()
        server.stop()
        try await calls(manager(try cassette(.replay), server), "replayed")
    }

    @Test("A recorded form with a random boundary is found")
    func multipart() async throws {
        let server = try LoopbackServer()
        server.route("/form") { request in .text("\(request.parts.count)") }
        func call(_ manager: SessionManager) async throws -> String {
            try await manager.post(
                "form",
                body: .multipart { form in
                    form.append(text: "part", name: "p")
                }
            ).string
        }
        let recording = try cassette(.record)
        #expect(try await call(manager(recording, server)) == "1")
        try recording.save()
        #expect(try await call(manager(try cassette(.replay), server)) == "1")
        #expect(server.requests.count == 1)
    }

    @Test("Neither failed nor cancelled transfers are recorded")
    func failures() async throws {
        let server = try LoopbackServer()
        server.route("/cut", .fault(.shortBody))
        server.route("/held", .text("").held(until: LoopbackServer.Gate()))
        let cassette = try cassette(.record)
        let manager = manager(cassette, server)
        let error = try await #require(throws: LarkspurError.self) { try await manager.get("cut").data }
        #expect(error.code == .connectionLost)
        let held = Task { try await manager.get("held").data }
        try await server.waitForRequests(1, to: "/held")
        held.cancel()
        await #expect(throws: (any Error).self) { try await held.value }
        try await server.waitForOpenConnections(0)
        #expect(cassette.interactionCount == 0)
    }

    @Test("Simultaneous requests are recorded and replayed")
    func concurrency() async throws {
        let server = try LoopbackServer()
        server.route("/{n}") { request in .text(request.parameters["n"] ?? "") }
        func calls(_ manager: SessionManager) async throws {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<60 {
                    group.addTask { try await manager.get("\(number)").string == "\(number)" }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
        let recording = try cassette(.record)
        try await calls(manager(recording, server))
        try recording.save()
        server.stop()
        try await calls(manager(try cassette(.replay), server))
    }
}
