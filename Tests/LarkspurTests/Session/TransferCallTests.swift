import LarkspurTesting
import Testing

@testable import Larkspur

/// Downloads, uploads and streams by a URL string.
@Suite("Calls that transfer files and streams", .timeLimit(.minutes(5)))
struct TransferCallTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()

    init() throws {
        server = try LoopbackServer()
        server.route("/v1/*", .json(#"{"id": 7}"#))
    }

    private struct Answer: Decodable, Sendable {
        let id: Int
    }

    private func makeManager(_ transport: TestTransport) -> SessionManager {
        let manager = SessionManager(
            baseURL: server.url("/v1"),
            configuration: .testing,
            transport: transport.transport
        )
        manager.requestSettings.setAuthorization(bearerToken: "token")
        manager.headers["X-Mine"] = "manager"
        return manager
    }

    /// Looks at what every call sends.
    private func expectManagersFields(_ path: String, query: String) throws -> LoopbackServer.Request {
        let request = try #require(server.requests.last)
        #expect(request.target == "/v1/\(path)?\(query)")
        #expect(request.headers["Authorization"] == "Bearer token")
        #expect(request.headers["User-Agent"] == HTTPHeaders.default["User-Agent"])
        #expect(request.headers["X-Mine"] == "call")
        return request
    }

    @Test(
        "A download has the base URL, the parameters and the headers of the manager",
        arguments: TestTransport.allCases
    )
    func download(_ transport: TestTransport) async throws {
        let manager = makeManager(transport)
        let files = Recorder<URL?>()
        let fractions = Recorder<Double>()
        let file = folder.url.appendingPathComponent("file")

        let task = manager.download(
            "a.zip",
            parameters: ["page": 2],
            headers: ["X-Mine": "call"],
            options: CallOptions(downloadProgress: { fractions.record($0.fractionCompleted) }),
            to: .file(file)
        ) { files.record($0.fileURL) }

        #expect(try await files.first() == file)
        #expect(try String(contentsOf: file, encoding: .utf8) == #"{"id": 7}"#)
        try await manager.finishAll()
        #expect(fractions.values.last == 1 && task.state == .completed)
        #expect(try expectManagersFields("a.zip", query: "page=2").method == "GET")
    }

    @Test("A download can be a POST, and need not have a destination")
    func downloadByPOST() async throws {
        let manager = makeManager(.curl)
        let contents = Recorder<String?>()

        manager.download("x", method: .post, parameters: ["a": 1]) { response in
            contents.record(response.fileURL.flatMap { try? String(contentsOf: $0, encoding: .utf8) })
        }

        #expect(try await contents.first() == #"{"id": 7}"#)
        #expect(server.requests.last?.method == "POST" && server.requests.last?.text == "a=1")
    }

    @Test("A call continues from resume data, with the headers of the manager")
    func resumeData() async throws {
        let errors = Recorder<LarkspurError.Code?>()
        makeManager(.curl).download("x", resumeData: Data("none".utf8)) { errors.record($0.error?.code) }
        #expect(try await errors.first() == .invalidResumeData)
    }

    @Test("An upload of data, a file or a stream has its type and the fields of the manager", arguments: 0..<3)
    func upload(_ index: Int) async throws {
        let manager = makeManager(.curl)
        let bytes = Data("content".utf8)
        let file = try folder.file("a.png", bytes)
        let contents: [RequestBody] = [
            .data(bytes), .file(file), .stream(length: 7, contentType: "a/b") { InputStream(data: bytes) },
        ]
        let answers = Recorder<Int>()
        let fractions = Recorder<Double>()

        manager.upload(
            "x",
            from: contents[index],
            method: index == 0 ? .post : .put,
            parameters: ["a": 1],
            headers: ["X-Mine": "call"],
            options: CallOptions(uploadProgress: { fractions.record($0.fractionCompleted) }),
            as: Answer.self,
            success: { answers.record($1.id) }
        )

        #expect(try await answers.first() == 7)
        try await manager.finishAll()
        let request = try expectManagersFields("x", query: "a=1")
        #expect(request.method == (index == 0 ? "POST" : "PUT") && request.body == bytes)
        #expect(request.headers["Content-Type"] == ["application/octet-stream", "image/png", "a/b"][index])
        #expect(request.headers["Content-Length"] == "7")
        #expect(fractions.values.last == 1)
    }

    @Test("An upload has the call's Content-Type, and the manager's serializer parses the response")
    func uploadType() async throws {
        let manager = makeManager(.curl)
        let objects = Recorder<Int?>()

        let task = manager.upload("x", from: .data(Data([1])), headers: ["Content-Type": "c/d"]) { _, object in
            objects.record((object as? [String: Int])?["id"])
        }

        #expect(try await objects.first() == 7)
        #expect(server.requests.last?.headers["Content-Type"] == "c/d" && task.state == .completed)
    }

    @Test("A missing file is an error, and nothing is sent")
    func missingFile() async throws {
        let ends = Recorder<(DataTask?, LarkspurError.Code)>()
        let missing = folder.url.appendingPathComponent("missing")

        makeManager(.curl).upload("x", from: .file(missing)) { _, _ in
        } failure: {
            ends.record(($0, $1.code))
        }

        let end = try await ends.first()
        #expect(end.0 == nil && end.1 == .fileUnreadable)
        #expect(server.requests.isEmpty)
    }

    @Test("A stream has its parameters, its body and the headers of the manager", arguments: TestTransport.allCases)
    func stream(_ transport: TestTransport) async throws {
        let manager = makeManager(transport)
        let chunks = Recorder<Data>()
        let ends = Recorder<Int64?>()

        manager.request(.post, "x", parameters: ["a": 1], body: .json(["b": 2]), headers: ["X-Mine": "call"])
            .responseStream(onContent: { chunks.record($1) }) { ends.record($0.value) }

        #expect(try await ends.first() == 9)
        #expect(chunks.values.reduce(Data(), +) == Data(#"{"id": 7}"#.utf8))
        let request = try expectManagersFields("x", query: "a=1")
        #expect(request.text == #"{"b":2}"# && request.headers["Content-Type"] == "application/json")
    }

    @Test("An invalid URL ends each call with its error, and completes the task")
    func badURL() async throws {
        let manager = makeManager(.curl)
        let codes = Recorder<LarkspurError.Code?>()

        let tasks: [SessionTask] = [
            manager.download("http://[::1") { codes.record($0.error?.code) },
            manager.upload("http://[::1", from: .data(Data())) { _, _ in
            } failure: {
                codes.record($1.code)
            },
            manager.get("http://[::1").responseStream { _, _ in
            } completionHandler: {
                codes.record($0.error?.code)
            },
        ]

        #expect(try await codes.wait(for: 3) == [.invalidURL, .invalidURL, .invalidURL])
        #expect(tasks.allSatisfy { $0.urlSessionTask == nil })
    }

    @Test("A built request is the same as the request that a call sends")
    func makeRequest() throws {
        let manager = makeManager(.curl)
        let fields: [String: String] = ["X-Mine": "call"]

        let request = try manager.makeRequest(.put, "x", parameters: ["a": 1], body: .json([2]), headers: .init(fields))

        #expect(request.url?.absoluteString == server.url("/v1/x?a=1").absoluteString)
        #expect(request.httpMethod == "PUT" && request.httpBody == Data("[2]".utf8))
        #expect(request.headers["X-Mine"] == "call" && request.headers["Authorization"] == "Bearer token")
        #expect(throws: LarkspurError.self) { try manager.makeRequest(.get, "http://[::1") }
    }

    @Test("A task for a request is suspended, and sends no fields of the manager")
    func bareRequest() async throws {
        let manager = makeManager(.curl)
        let request = URLRequest(url: server.url("/v1/x"))

        let tasks: [SessionTask] = [
            manager.dataTask(with: request) { _ in }, manager.downloadTask(with: request) { _ in },
            manager.uploadTask(with: request, from: .data(Data("x".utf8))) { _ in },
        ]
        #expect(tasks.allSatisfy { $0.state == .initialized })
        for task in tasks { task.resume() }
        try await manager.finishAll()

        #expect(server.requests.count == 3)
        #expect(server.requests.allSatisfy { $0.headers["Authorization"] == nil && $0.headers["X-Mine"] == nil })
    }
}
