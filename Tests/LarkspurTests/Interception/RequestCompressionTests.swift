#if canImport(FoundationNetworking)
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("Compressed requests", .timeLimit(.minutes(5)))
struct RequestCompressionTests {
    let server: LoopbackServer
    private let text = String(repeating: "Larkspur ", count: 1_000)

    init() throws { server = try LoopbackServer() }

    private func makeManager(
        _ transport: TestTransport,
        threshold: Int = 1024,
        coding: RequestCoding = .gzip
    ) -> SessionManager {
        let manager = transport.makeManager(for: server)
        let interceptor: ClosureInterceptor =
            coding == .gzip ? .compression(threshold: threshold) : .compression(threshold: threshold, coding: coding)
        manager.interceptors.call = [interceptor]
        return manager
    }

    /// Decodes the content of the last request, by the engine, which gets it as the content of a response.
    private func decoded() async throws -> Data {
        let request = try #require(server.requests.last)
        var response = LoopbackServer.Response.data(request.body)
        response.headers["Content-Encoding"] = request.headers["Content-Encoding"]
        server.route("/decoded", response)
        return try await TestTransport.curl.makeManager(for: server).get("decoded").data
    }

    /// Decodes the content of the last request by `gzip` of the system.
    private func unpacked() throws -> Data {
        let content = try #require(server.requests.last?.body)
        let folder = TemporaryFolder()
        let file = folder.url.appendingPathComponent("content.gz")
        try content.write(to: file)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc", file.path]
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return data
    }

    @Test(
        "Bodies and uploads of data are sent in gzip, which the gzip decoder reads",
        arguments: TestTransport.allCases
    )
    func contents(_ transport: TestTransport) async throws {
        let manager = makeManager(transport)
        for isUpload in [false, true] {
            let call =
                isUpload
                ? manager.upload("post", from: .data(Data(text.utf8)))
                : manager.request(.post, "post", body: .json(["text": text]))
            #expect(await call.response().error == nil)
            let request = try #require(server.requests.last)
            #expect(request.headers["Content-Encoding"] == "gzip")
            let length = request.headers["Content-Length"]
            #expect(length == nil || length == "\(request.body.count)")
            #expect(request.body.count < 200)
            let expected = isUpload ? Data(text.utf8) : try JSONEncoder().encode(["text": text])
            #expect(try unpacked() == expected)
        }
    }

    @Test("Content that is short, coded, random or not in memory is sent uncompressed", .seeded)
    func unchanged() async throws {
        let manager = makeManager(.curl, threshold: 1_000)
        let folder = TemporaryFolder()
        let file = folder.url.appendingPathComponent("file")
        try Data(text.utf8).write(to: file)
        var generator = SeededGenerator()
        let random = generator.bytes(5_000)
        let calls = [
            manager.request(.post, "post", body: .json(["a": "b"])),
            manager.upload("post", from: .data(Data(text.utf8)), headers: ["Content-Encoding": "br"]),
            manager.upload("post", from: .data(random)),
            manager.upload("post", from: .data(Data(count: 999))),
            manager.upload("post", from: .file(file)),
            manager.get("get"),
        ]
        for call in calls {
            let response = await call.response()
            #expect(response.error == nil)
            #expect(server.requests.last?.headers["Content-Encoding"] != "gzip")
        }
        _ = await manager.upload("post", from: .data(Data(count: 1_000))).response()
        #expect(server.requests.last?.headers["Content-Encoding"] == "gzip")
    }

    @Test("If a file replaces the body of a request, the body is neither sent nor compressed")
    func replacedBody() async throws {
        let manager = makeManager(.curl)
        let folder = TemporaryFolder()
        let file = folder.url.appendingPathComponent("file")
        try Data("file".utf8).write(to: file)
        var request = URLRequest(url: server.url("/post"))
        request.httpMethod = "POST"
        request.httpBody = Data(text.utf8)
        let ends = Recorder<LarkspurError?>()
        manager.uploadTask(with: request, from: .file(file)) { ends.record($0.error) }.resume()
        #expect(try await ends.first() == nil)
        #expect(server.requests.first?.text == "file")
        #expect(server.requests.first?.headers["Content-Encoding"] == nil)
    }

    @Test("A server that does not know the coding gets the content again without it", arguments: TestTransport.allCases)
    func refused(_ transport: TestTransport) async throws {
        server.route("/plain") { request in
            request.headers["Content-Encoding"] == nil ? .text(request.text) : .status(415)
        }
        let manager = makeManager(transport)
        #expect(try await manager.upload("plain", from: .data(Data(text.utf8))).string == text)
        #expect(server.requests.count == 2)
    }

    @Test(
        "Content of any length is compressed correctly",
        arguments: [0, 1, 2, 1 << 16, 5 << 20],
        [RequestCoding.gzip, .zstd]
    )
    func lengths(_ count: Int, _ coding: RequestCoding) async throws {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 >> 6) })
        let manager = makeManager(.curl, threshold: 0, coding: coding)
        #expect(await manager.upload("post", from: .data(data)).response().error == nil)
        let isCoded = server.requests.last?.headers["Content-Encoding"] == coding.name
        #expect(isCoded == (count > 100))
        if isCoded, coding == .gzip { #expect(try unpacked() == data) }
        #expect(try await decoded() == data)
    }

    @Test(
        "If the server refuses zstd, gzip follows only where its response names it, and then no coding",
        arguments: [
            ("gzip", ["zstd", "gzip"]), ("br, GZIP;q=0.5", ["zstd", "gzip"]), ("br", ["zstd", nil]),
            ("gzip;q=0", ["zstd", nil]), ("gzip; q=0.000", ["zstd", nil]), (nil, ["zstd", nil]),
            ("gzip", ["zstd", "gzip", nil]),
        ] as [(String?, [String?])]
    )
    func offers(_ offer: String?, _ codings: [String?]) async throws {
        server.route("/plain") { request in
            if request.headers["Content-Encoding"] == codings.last { return .text("taken") }
            var response = LoopbackServer.Response.status(415)
            response.headers["Accept-Encoding"] = offer
            return response
        }
        let manager = makeManager(.curl, coding: .zstd)
        #expect(try await manager.upload("plain", from: .data(Data(text.utf8))).string == "taken")
        #expect(server.requests.map { $0.headers["Content-Encoding"] } == codings)
        #expect(try await decoded() == Data(text.utf8))
    }

    @Test("After gzip no other coding is tried, whatever the response names")
    func gzipAlone() async throws {
        server.route("/plain") { request in
            guard request.headers["Content-Encoding"] != nil else { return .text("taken") }
            var response = LoopbackServer.Response.status(415)
            response.headers["Accept-Encoding"] = "zstd, gzip"
            return response
        }
        #expect(try await makeManager(.curl).upload("plain", from: .data(Data(text.utf8))).string == "taken")
        #expect(server.requests.map { $0.headers["Content-Encoding"] } == ["gzip", nil])
    }

    // MARK: Beside other features

    @Test("Each attempt of a retry sends the compressed content", arguments: [RequestCoding.gzip, .zstd])
    func retries(_ coding: RequestCoding) async throws {
        server.route("/twice", .status(503), .text("done"))
        let manager = makeManager(.curl, coding: coding)
        manager.interceptors.attempt = [.retry(baseDelay: .zero)]
        let call = manager.request(.put, "twice", body: .data(Data(text.utf8)))
        #expect(try await call.string == "done")
        #expect(server.requests.map { $0.headers["Content-Encoding"] } == [coding.name, coding.name])
        #expect(server.requests.first?.body == server.requests.last?.body)
        #expect(try await decoded() == Data(text.utf8))
    }

    @Test("A redirect that keeps the content keeps the coding", arguments: [RequestCoding.gzip, .zstd])
    func redirect(_ coding: RequestCoding) async throws {
        var response = LoopbackServer.Response.status(307)
        response.headers["Location"] = "/post"
        server.route("/moved", response)
        let call = makeManager(.curl, coding: coding).upload("moved", from: .data(Data(text.utf8)))
        #expect(await call.response().error == nil)
        #expect(server.requests.map { $0.headers["Content-Encoding"] } == [coding.name, coding.name])
        #expect(try await decoded() == Data(text.utf8))
    }

    @Test("A Content-Length of the caller is that of the compressed content", arguments: [RequestCoding.gzip, .zstd])
    func length(_ coding: RequestCoding) async throws {
        let call = makeManager(.curl, coding: coding).upload(
            "post",
            from: .data(Data(text.utf8)),
            headers: ["Content-Length": "\(text.utf8.count)"]
        )
        #expect(await call.response().error == nil)
        let request = try #require(server.requests.last)
        #expect(request.headers["Content-Length"] == "\(request.body.count)")
        #expect(try await decoded() == Data(text.utf8))
    }

    @Test("A command for curl sends the compressed bytes, and hides them if their type may have secrets")
    func command() throws {
        var request = URLRequest(url: server.url("/post"))
        request.httpMethod = "POST"
        request.httpBody = Data(text.utf8)
        for (type, isShown) in [("application/octet-stream", true), ("application/json", false)] {
            request.setValue(type, forHTTPHeaderField: "Content-Type")
            let coded = try #require(RequestCompression(coding: .zstd).compressed(request))
            let command = coded.cURLDescription()
            #expect(command.contains("--header 'Content-Encoding: zstd'"))
            #expect(command.contains("--data-binary @-") == isShown && command.contains("printf ") == isShown)
            #expect(command.contains("Larkspur") == false || isShown)
        }
    }
}
#endif
