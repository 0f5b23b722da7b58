import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("The HTTP archive", .timeLimit(.minutes(5)))
struct HARRecorderTests {
    struct Archive: Decodable {
        struct Creator: Decodable {
            let name: String
            let version: String
        }

        struct Log: Decodable {
            let version: String
            let creator: Creator
            let entries: [Entry]
            let comment: String?
        }

        struct Field: Decodable, Equatable {
            let name: String
            let value: String
        }

        struct PostData: Decodable {
            let mimeType: String
            let text: String
        }

        struct Request: Decodable {
            let method: String
            let url: String
            let headers: [Field]
            let queryString: [Field]
            let postData: PostData?
            let bodySize: Int
        }

        struct Content: Decodable {
            let size: Int
            let mimeType: String
            let text: String?
            let encoding: String?
            let comment: String?
        }

        struct Response: Decodable {
            let status: Int
            let statusText: String
            let headers: [Field]
            let content: Content
            let redirectURL: String
        }

        struct Entry: Decodable {
            let startedDateTime: String
            let time: Double
            let request: Request
            let response: Response
            let timings: [String: Double]
            let serverIPAddress: String?
            let comment: String?
        }

        let log: Log
    }

    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/user", .json(#"{"name": "Ada"}"#))
        server.route("/moved", .redirect(to: "/user"))
    }

    private func archive(_ recorder: HARRecorder) throws -> Archive.Log {
        try JSONDecoder().decode(Archive.self, from: recorder.data).log
    }

    @Test(
        "An archive has an entry for each call, with its request, response and times",
        arguments: TestTransport.allCases
    )
    func entry(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let recorder = HARRecorder()
        manager.observers = [recorder]

        _ = try await manager.post("user", parameters: ["id": 7], headers: ["X-Page": "2"]).data

        let log = try archive(recorder)
        #expect(log.version == "1.2")
        #expect(log.creator.name == "Larkspur")
        #expect(log.creator.version == LarkspurVersion.current)
        let entry = try #require(log.entries.first)
        #expect(log.entries.count == 1 && recorder.count == 1)
        #expect(entry.request.method == "POST")
        #expect(entry.request.url == server.url("/user").absoluteString)
        #expect(entry.request.headers.contains(.init(name: "X-Page", value: "2")))
        #expect(entry.request.postData?.text == "id=7")
        #expect(entry.response.status == 200)
        #expect(entry.response.content.text == #"{"name": "Ada"}"#)
        #expect(entry.response.content.size == 15)
        #expect(entry.timings["wait"] ?? -1 >= 0)
        #expect(entry.time >= 0)
        #expect(
            try Date(entry.startedDateTime, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
                <= Date()
        )
    }

    @Test("Each redirect is an entry with its target")
    func redirects() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let recorder = HARRecorder()
        manager.observers = [recorder]

        _ = try await manager.get("moved", parameters: ["page": 2]).data

        let log = try archive(recorder)
        #expect(log.entries.map(\.response.status) == [302, 200])
        #expect(log.entries[0].response.redirectURL.hasSuffix("/user"))
        #expect(log.entries[0].response.content.text == nil)
        #expect(log.entries[0].request.queryString == [.init(name: "page", value: "2")])
        #expect(log.entries[1].serverIPAddress == "127.0.0.1")
    }

    @Test("The entry of a call without a response has the status 0 and the error", arguments: TestTransport.allCases)
    func failure(_ transport: TestTransport) async throws {
        server.route("/closed", .fault(.closeBeforeHeader))
        let manager = transport.makeManager(for: server)
        let recorder = HARRecorder()
        manager.observers = [recorder]

        _ = await manager.post("closed").response()

        let entry = try #require(try archive(recorder).entries.last)
        #expect(entry.response.status == 0)
        #expect(entry.comment?.hasPrefix("connection-lost") == true)
    }

    @Test("Binary content is in base64, and content above the limit is omitted")
    func content() async throws {
        server.route("/bytes", .data(Data([0xFF, 0x00, 0xFE]), contentType: "application/octet-stream"))
        server.route("/large", .text(String(repeating: "a", count: 100)))
        let manager = TestTransport.curl.makeManager(for: server)
        let recorder = HARRecorder(contentLimit: 50)
        manager.observers = [recorder]

        _ = try await manager.get("bytes").data
        _ = try await manager.get("large").data

        let contents = try archive(recorder).entries.map(\.response.content)
        #expect(contents[0].text == "/wD+" && contents[0].encoding == "base64")
        #expect(contents[1].text == nil && contents[1].size == 100)
        #expect(contents[1].comment?.isEmpty == false)
    }

    @Test("Above the limit the oldest entries are removed, and the archive has their number")
    func limit() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let recorder = HARRecorder(entryLimit: 3)
        manager.observers = [recorder]

        for page in 1...8 { _ = try await manager.get("user", parameters: ["page": page]).data }

        let log = try archive(recorder)
        #expect(log.entries.map(\.request.queryString.first?.value) == ["6", "7", "8"])
        #expect(log.comment == "The 5 oldest entries were left out.")
        #expect(recorder.count == 3)
    }

    @Test("Above the limit of bytes the oldest entries are removed, whichever part of them is large")
    func byteLimit() async throws {
        let text = String(repeating: "a", count: 10_000)
        server.route("/text", .text(text))
        server.route("/field", .text("x").adding("X-Long", text))
        let manager = TestTransport.curl.makeManager(for: server)
        let recorder = HARRecorder(byteLimit: 100_000)
        manager.observers = [recorder]

        for page in 1...12 { _ = try await manager.get("text", parameters: ["page": page]).data }
        var log = try archive(recorder)
        #expect(log.entries.count == recorder.count && 6...9 ~= recorder.count)
        #expect(recorder.byteCount <= 100_000)
        #expect(log.comment == "The \(12 - recorder.count) oldest entries were left out.")
        let pages = log.entries.map { $0.request.queryString.first?.value }
        #expect(pages == (1...12).suffix(recorder.count).map { "\($0)" })
        #expect(log.entries.allSatisfy { $0.response.content.text == text })

        for _ in 1...12 { _ = try await manager.get("field").data }
        for _ in 1...12 { _ = try await manager.post("user", parameters: ["long": text]).data }
        for _ in 1...12 { _ = try await manager.get("user", parameters: ["long": text]).data }
        log = try archive(recorder)
        #expect(recorder.byteCount <= 100_000 && log.entries.count < 9)
        #expect(log.comment == "The \(48 - recorder.count) oldest entries were left out.")
        recorder.removeAll()
        #expect(recorder.byteCount == 0 && recorder.count == 0)
    }

    @Test("A recorder has no more entries than its limit, and no single entry that is too large")
    func held() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let recorder = HARRecorder(entryLimit: 3)
        let tiny = HARRecorder(byteLimit: 4_000)
        let none = HARRecorder(byteLimit: 0)
        manager.observers = [recorder, tiny, none]
        var single = 0
        for number in 1...5 {
            _ = try await manager.get("user").data
            if number == 1 { single = recorder.byteCount }
            #expect(recorder.byteCount <= single * 3 + 100)
        }
        #expect(recorder.count == 3 && none.count == 0)
        #expect(try archive(none).comment == "The 5 oldest entries were left out.")

        server.route("/large", .text(String(repeating: "a", count: 1_000)))
        _ = try await manager.post("large", parameters: ["b": String(repeating: "b", count: 1_000)]).data
        let entry = try #require(try archive(tiny).entries.last)
        #expect(entry.response.content.text == nil && entry.response.content.comment?.hasPrefix("1000 bytes") == true)
        #expect(entry.request.postData?.text == "" && tiny.byteCount <= 4_000)
    }

    @Test("The file can be read by its owner only, and replaces an existing file")
    func file() async throws {
        let folder = TemporaryFolder()
        let file = folder.url.appendingPathComponent("calls.har")
        try Data("old".utf8).write(to: file)
        let recorder = HARRecorder()

        try recorder.write(to: file)

        #expect(try Data(contentsOf: file) == recorder.data)
        let permissions = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["calls.har"])
        #expect(throws: POSIXError.self) {
            try recorder.write(to: folder.url.appendingPathComponent("missing/calls.har"))
        }
    }

    @Test("An archive has every phase, with −1 for a phase that did not happen")
    func timings() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let recorder = HARRecorder()
        manager.observers = [recorder]

        _ = try await manager.get("user").data

        let timings = try #require(try archive(recorder).entries.first?.timings)
        #expect(Set(timings.keys) == ["blocked", "dns", "connect", "ssl", "send", "wait", "receive"])
        #expect(timings["ssl"] == -1)
        #expect(try #require(timings["connect"]) >= 0)
    }

    @Test("The time for TLS is part of the time for the connection")
    func secureTimings() async throws {
        let secure = try LoopbackServer(tls: .selfSigned())
        defer { secure.stop() }
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only([try TLSCertificate(try #require(secure.certificate).der)])
        let manager = SessionManager(baseURL: secure.baseURL, configuration: .testing, transport: .curl(options))
        let recorder = HARRecorder()
        manager.observers = [recorder]

        _ = try await manager.get("get").data

        let entry = try #require(try archive(recorder).entries.first)
        let (connect, ssl) = (try #require(entry.timings["connect"]), try #require(entry.timings["ssl"]))
        #expect(ssl > 0 && connect >= ssl)
        let phases = ["blocked", "dns", "connect", "send", "wait", "receive"].map { max(0, entry.timings[$0] ?? 0) }
        #expect(abs(phases.reduce(0, +) - entry.time) < 0.01)
    }
}
