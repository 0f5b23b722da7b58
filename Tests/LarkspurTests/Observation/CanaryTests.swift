import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

/// Sends a word as every kind of secret, and looks for it wherever a program prints or stores something.
@Suite("No secret is printed", .timeLimit(.minutes(5)))
struct CanaryTests {
    private static let canary = "c4n4ry"

    /// The ways of a secret to a server and back.
    enum Place: String, CaseIterable {
        case authorization, apiKey, cookie, query, userinfo, form, nestedJSON, part, referer
        case setCookie, answer, location
        case lines, textJSON, events, mark, plain, link, refresh, originalURL, destination, subprotocol
        case upperCasePart, extendedPart, relatedJSON, code, assertion, semicolon, pathParameter, jsonString, encodedURL
    }

    let server: LoopbackServer
    let folder = TemporaryFolder()

    init() throws {
        server = try LoopbackServer()
        for status in [200, 500] {
            var response = LoopbackServer.Response.json(#"{"user": "Ada"}"#, status: status)
            response.headers["Content-Type"] = "application/json"
            server.route("/\(status)/plain", response)
            response.headers["Set-Cookie"] = "session=\(Self.canary)"
            server.route("/\(status)/cookie", response)
            server.route(
                "/\(status)/answer",
                .json(#"{"a": [{"access_token": "\#(Self.canary)"}]}"#, status: status)
            )
            server.route("/\(status)/location", .redirect(to: "/\(status)/plain?token=\(Self.canary)"))
            for (place, type, text) in Self.answers {
                var response = LoopbackServer.Response.data(Data(text.utf8))
                response.status = status
                response.headers["Content-Type"] = type
                server.route("/\(status)/\(place)", response)
            }
            for (place, value) in [
                (Place.link, "</a?sig=\(Self.canary)>; rel=next"), (.refresh, "5; url=/a?code=\(Self.canary)"),
            ] {
                response.headers["Set-Cookie"] = nil
                response.headers[place.rawValue.capitalized] = value
                server.route("/\(status)/\(place)", response)
            }
            server.route("/\(status)/plain;jsessionid=\(Self.canary)", .json("{}", status: status))
        }
    }

    /// The types and contents of responses with the word.
    private static let answers: [(Place, String, String)] = [
        (.lines, "application/x-ndjson", "{}\n{\"token\": \"\(canary)\"}\n"),
        (.textJSON, "text/json", "{\"token\": \"\(canary)\"}"),
        (.events, "text/event-stream", "data: {\"a\":\ndata: {\"token\": \"\(canary)\"}}\n\n"),
        (.mark, "application/json", "\u{FEFF}{\"token\": \"\(canary)\"}"),
        (.plain, "text/plain", "{\"token\": \"\(canary)\"}"),
        (.jsonString, "application/json", "{\"a\": \"{\\\"token\\\": \\\"\(canary)\\\"}\"}"),
    ]

    private func post(_ path: String, _ type: String, _ text: String, _ manager: SessionManager) -> DataTask {
        var request = URLRequest(url: server.url(path))
        request.httpMethod = "POST"
        request.httpBody = Data(text.utf8)
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        return manager.dataTask(with: request)
    }

    private func part(_ field: String, _ content: String) -> String {
        "--b\r\n\(field)\r\n\r\n\(content)\r\n--b--\r\n"
    }

    private func call(_ place: Place, status: Int, _ manager: SessionManager) -> DataTask {
        let secret = Self.canary
        return switch place {
        case .authorization: manager.get("\(status)/plain", headers: ["Authorization": "Bearer \(secret)"])
        case .apiKey: manager.get("\(status)/plain", headers: ["X-Api-Key": secret])
        case .cookie: manager.get("\(status)/plain", headers: ["Cookie": "id=\(secret)"])
        case .query: manager.get("\(status)/plain", parameters: ["access_token": secret])
        case .userinfo: manager.get("http://ada:\(secret)@127.0.0.1:\(server.port)/\(status)/plain")
        case .form: manager.post("\(status)/plain", parameters: ["password": secret])
        case .nestedJSON: manager.post("\(status)/plain", body: .json(["users": [["password": secret]]]))
        case .part:
            manager.post(
                "\(status)/plain",
                body: .multipart { form in
                    form.append(data: Data(secret.utf8), name: "client_secret")
                }
            )
        case .referer:
            manager.get("\(status)/plain", headers: ["Referer": "http://example.com/?token=\(secret)"])
        case .setCookie: manager.get("\(status)/cookie")
        case .answer: manager.get("\(status)/answer")
        case .location: manager.get("\(status)/location")
        case .lines, .textJSON, .events, .mark, .plain, .link, .refresh, .jsonString: manager.get("\(status)/\(place)")
        case .originalURL: manager.get("\(status)/plain", headers: ["X-Original-URL": "/a?token=\(secret)"])
        case .destination: manager.get("\(status)/plain", headers: ["Destination": "http://ada:\(secret)@h/"])
        case .subprotocol: manager.get("\(status)/plain", headers: ["Sec-WebSocket-Protocol": "bearer, \(secret)"])
        case .upperCasePart:
            post(
                "/\(status)/plain",
                "multipart/form-data; boundary=b",
                part("Content-Disposition: form-data; NAME=\"password\"", secret),
                manager
            )
        case .extendedPart:
            post(
                "/\(status)/plain",
                "multipart/form-data; boundary=b",
                part("Content-Disposition: form-data; name*=utf-8''p%61ssword", secret),
                manager
            )
        case .relatedJSON:
            post(
                "/\(status)/plain",
                "multipart/related; boundary=b",
                part("Content-Type: application/json", "{\"token\": \"\(secret)\"}"),
                manager
            )
        case .code: manager.get("\(status)/plain", parameters: ["code": secret])
        case .assertion:
            manager.post("\(status)/plain", parameters: ["client_assertion": secret, "SAMLResponse": secret])
        case .semicolon: post("/\(status)/plain", "application/x-www-form-urlencoded", "a=b;pin=\(secret)", manager)
        case .pathParameter: manager.get("\(status)/plain;jsessionid=\(secret)")
        case .encodedURL: manager.get("\(status)/plain", parameters: ["u": "http://h/?a=b&token=\(secret)"])
        }
    }

    @Test(
        "Logs, archives, commands, descriptions and errors contain no secret",
        arguments: TestTransport.allCases,
        Place.allCases
    )
    func everywhere(_ transport: TestTransport, _ place: Place) async throws {
        let manager = transport.makeManager(for: server)
        let printed = Recorder<(sink: String, text: String)>()
        let recorder = HARRecorder()
        manager.observers = [
            ConsoleLogger(level: .content) { printed.record(("log", $0)) }, recorder,
            HTTPMeasurements { printed.record(("measurement", "\($0)")) },
        ]
        manager.observe { printed.record(("event \($0.kind)", "\($0)")) }

        for status in [200, 500] {
            let task = call(place, status: status, manager)
            let response = await task.response()
            printed.record(("response", "\(response) \(String(reflecting: response))"))
            printed.record(("command", task.cURLDescription()))
            printed.record(("task", "\(task) \(String(reflecting: task))"))
            if let error = response.error {
                printed.record(("error", "\(error) \(String(reflecting: error)) \(error.localizedDescription)"))
                printed.record(("NSError", "\(error as NSError) \((error as NSError).userInfo)"))
                var dumped = ""
                dump(error, to: &dumped)
                printed.record(("dump of the error", dumped))
            }
        }
        let archive = folder.url.appendingPathComponent("calls.har")
        try recorder.write(to: archive)
        printed.record(("archive", String(decoding: try Data(contentsOf: archive), as: UTF8.self)))
        printed.record(("manager", "\(manager) \(manager.headers) \(String(reflecting: manager.headers))"))

        #expect(server.requests.count >= 2)
        for (sink, text) in printed.values {
            #expect(!text.contains(Self.canary), "\(sink) shows \(place): \(text)")
        }
        #expect(Set(printed.values.map(\.sink)).isSuperset(of: ["log", "archive", "error", "event completed"]))
    }

    @Test("A cassette on disk contains no secret, and replays the calls")
    func cassette() async throws {
        let file = folder.url.appendingPathComponent("calls.json")
        for mode: Cassette.Mode in [.record, .replay] {
            let cassette = try Cassette(file, mode: mode, transport: .curl)
            let manager = SessionManager(
                baseURL: server.baseURL,
                configuration: .testing,
                transport: cassette.transport
            )
            for place in Place.allCases where place != .userinfo {
                let response = await call(place, status: 200, manager).response()
                #expect(response.statusCode == 200, "\(mode) \(place): \(String(describing: response.error))")
            }
            try cassette.save()
        }
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains(Self.canary))
        #expect(server.requests.count == Place.allCases.count)
    }

    @Test("Resume data contains neither credentials nor cookies")
    func resumeData() async throws {
        let gate = LoopbackServer.Gate()
        let content = Data(count: 4_000)
        server.route("/file", .stream([.bytes(content), .wait(gate), .bytes(content)]).ranged)
        let manager = TestTransport.curl.makeManager(for: server)
        manager.requestSettings.setAuthorization(bearerToken: Self.canary)
        let headers: HTTPHeaders = ["Cookie": "id=\(Self.canary)", "X-Api-Key": Self.canary]
        let counts = Recorder<Int64>()
        let data = Recorder<Data?>()

        let task = manager.download("file", headers: headers).downloadProgress { counts.record($0.completedUnitCount) }
        task.resume()
        try await counts.wait { $0.last ?? 0 >= 4_000 }
        task.cancel { data.record($0) }

        let resumeData = try #require(try await data.wait(for: 1)[0])
        gate.open()
        #expect(!String(decoding: resumeData, as: UTF8.self).contains(Self.canary))
        CurlURLSession.discardResumeData(resumeData)
    }
}

extension LoopbackServer.Response {
    /// The response with a validator, so that it can be resumed.
    fileprivate var ranged: Self {
        var response = self
        response.headers["ETag"] = "\"1\""
        response.headers["Accept-Ranges"] = "bytes"
        return response
    }
}
