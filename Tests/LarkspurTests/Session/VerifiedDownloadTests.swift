#if canImport(FoundationNetworking)
import HTTPSyntax
import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Content that must have an expected digest or size", .timeLimit(.minutes(5)))
struct VerifiedDownloadTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()
    /// The folder of the engine's temporary files.
    let parts = TemporaryFolder()
    static let content = ContentDigests.content
    static let right = DigestVerification.expecting(.sha256(ContentDigests.sha256))
    static let wrong = DigestVerification.expecting(.sha256(ContentDigests.other))

    init() throws { server = try LoopbackServer() }

    func makeManager(_ transport: TestTransport = .curl) -> SessionManager {
        var options = CurlURLSession.Options()
        options.partialDownloadFolder = parts.url
        let manager =
            transport == .curl
            ? SessionManager(baseURL: server.baseURL, configuration: .testing, transport: .curl(options))
            : transport.makeManager(for: server)
        manager.clock = InstantClock()
        return manager
    }

    var destination: URL { folder.url.appendingPathComponent("file") }
    /// The content of the destination; nil if there is no file.
    var placed: Data? { try? Data(contentsOf: destination) }
    /// The names of the temporary files that are left.
    var leftFiles: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: parts.url.path) } }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let verification: DigestVerification
        let matches: Bool

        init(_ name: String, _ verification: DigestVerification, matches: Bool) {
            (testDescription, self.verification, self.matches) = (name, verification, matches)
        }
    }

    static let table = [
        Row("sha-256", right, matches: true),
        Row(
            "sha-256 in base64, with the size",
            .expecting(.sha256(ContentDigests.sha256Base64), size: 7),
            matches: true
        ),
        Row("sha-512", .expecting(.sha512(ContentDigests.sha512)), matches: true),
        Row("size", .expecting(size: 7), matches: true),
        Row("another sha-256", wrong, matches: false),
        Row("another sha-512", .expecting(.sha512(String(repeating: "0", count: 128))), matches: false),
        Row("another sha-256, the right size", .expecting(.sha256(ContentDigests.other), size: 7), matches: false),
        Row("sha-256, a lower size", .expecting(.sha256(ContentDigests.sha256), size: 6), matches: false),
        Row("sha-256, a higher size", .expecting(.sha256(ContentDigests.sha256), size: 8), matches: false),
        Row("a lower size", .expecting(size: 6), matches: false),
        Row("a higher size", .expecting(size: 8), matches: false),
        Row("the digest of no content", .expecting(.sha256(ContentDigests.empty)), matches: false),
    ]

    private static let framings = [LoopbackServer.Response.Framing.contentLength, .chunked, .untilClose]

    private func response(_ framing: LoopbackServer.Response.Framing) -> LoopbackServer.Response {
        .stream([.bytes(Self.content)], framing: framing)
    }

    // MARK: Files

    @Test(
        "A file that does not match never replaces the file at its destination, and is removed",
        arguments: table,
        TestTransport.allCases
    )
    func file(_ row: Row, _ transport: TestTransport) async throws {
        for framing in Self.framings {
            _ = try folder.file("file", Data("old".utf8))
            server.route("/file", response(framing))
            let manager = makeManager(transport)
            let places = Recorder<URL>()
            manager.hooks.downloadDestination = { _, file, _ in
                places.record(file)
                return nil
            }
            let task = manager.download("file", to: .file(destination, replacing: true))
                .verifyDigest(row.verification)
            let response = await task.response()
            #expect(response.error?.code == (row.matches ? nil : .digestMismatch))
            #expect(response.error?.resumeData == nil && task.resumeData == nil)
            #expect(response.statusCode == 200)
            #expect(placed == (row.matches ? Self.content : Data("old".utf8)))
            // No code of the caller has seen the file.
            #expect(places.values.count == (row.matches ? 1 : 0))
            #expect(try leftFiles == [])
        }
    }

    @Test("A temporary file that does not match is removed", arguments: TestTransport.allCases)
    func temporaryFile(_ transport: TestTransport) async throws {
        server.route("/file", .data(Self.content))
        let manager = makeManager(transport)
        let file = try await manager.download("file").verifyDigest(Self.right).file
        #expect(try Data(contentsOf: file) == Self.content)
        try FileManager.default.removeItem(at: file)
        let response = await manager.download("file").verifyDigest(Self.wrong).response()
        #expect(response.error?.code == .digestMismatch && response.fileURL == nil)
        #expect(try leftFiles == [])
    }

    @Test("An empty file matches the digest and the size of no content only", arguments: TestTransport.allCases)
    func emptyFile(_ transport: TestTransport) async throws {
        server.route("/file", .data(Data()))
        let manager = makeManager(transport)
        let empty = DigestVerification.expecting(.sha256(ContentDigests.empty), size: 0)
        #expect(await manager.download("file", to: .file(destination)).verifyDigest(empty).response().error == nil)
        #expect(placed == Data())
        for verification in [Self.right, .expecting(size: 1)] {
            let task = manager.download("file", to: .file(destination, replacing: true)).verifyDigest(verification)
            #expect(await task.response().error?.code == .digestMismatch)
        }
    }

    @Test(
        "The error names the status of an unacceptable response, whatever its size",
        arguments: TestTransport.allCases
    )
    func unacceptable(_ transport: TestTransport) async throws {
        server.route("/file", .text("There is no such file.", status: 404))
        let manager = makeManager(transport)
        for verification in [Self.right, .expecting(size: 7)] {
            let response = await manager.download("file", to: .file(destination)).verifyDigest(verification).response()
            #expect(response.error?.code == .unacceptableStatusCode)
            #expect(response.error?.responseData == Data("There is no such file.".utf8))
            #expect(await manager.get("file").verifyDigest(verification).response(as: .data).statusCode == 404)
        }
        #expect(placed == nil)
    }

    @Test("Progress and observers report a verified download as any other", arguments: TestTransport.allCases)
    func progress(_ transport: TestTransport) async throws {
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        server.route("/file", .data(content))
        let verification = DigestVerification.expecting(.sha256(SHA256.hash(content).hexadecimal), size: 200_000)
        let counts = Recorder<Int64>()
        let task = makeManager(transport).download("file", to: .file(destination)).verifyDigest(verification)
            .downloadProgress { counts.record($0.completedUnitCount) }
        #expect(try await task.file == destination)
        #expect(task.downloadProgress.completedUnitCount == 200_000)
        #expect(task.downloadProgress.totalUnitCount == 200_000)
        #expect(counts.values == counts.values.sorted())
    }

    // MARK: The early end

    @Test("A download ends as soon as the response announces another size", arguments: [6, 8, 1_000_000])
    func announced(_ size: Int) async throws {
        let gate = LoopbackServer.Gate()
        defer { gate.open() }
        let head = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: \(size)\r\n\r\n"
        server.route("/file", .raw([.text(head), .bytes(Self.content.prefix(3)), .wait(gate)]))
        let task = makeManager().download("file", maximumResumptions: 3, to: .file(destination))
            .verifyDigest(.expecting(.sha256(ContentDigests.sha256), size: 7))
        let error = await task.response().error
        #expect(error?.code == .digestMismatch)
        #expect(error?.message == "The response announces \(size) bytes, but 7 bytes were expected.")
        #expect(error?.statusCode == 200)
        #expect(error?.resumeData == nil)
        #expect(server.requests.count == 1)
        #expect(placed == nil)
        #expect(try leftFiles == [])
    }

    @Test("A download of unknown length ends as soon as it has more bytes than expected")
    func endless() async throws {
        let path = LoopbackServer.Fault.endlessBody.path
        let task = makeManager().download(path, to: .file(destination)).verifyDigest(.expecting(size: 100_000))
        let error = await task.response().error
        #expect(error?.code == .digestMismatch)
        #expect(error?.message.hasPrefix("The response has more than the expected 100000 bytes: ") == true)
        #expect(placed == nil)
        #expect(try leftFiles == [])
    }

    @Test("A download that a connection cuts short fails, and its destination stays", arguments: TestTransport.allCases)
    func truncated(_ transport: TestTransport) async throws {
        _ = try folder.file("file", Data("old".utf8))
        server.route("/unframed", .stream([.bytes(Self.content.prefix(4))], framing: .untilClose))
        for path in ["unframed", LoopbackServer.Fault.shortBody.path, LoopbackServer.Fault.missingLastChunk.path] {
            let task = makeManager(transport).download(path, to: .file(destination, replacing: true))
            let error = await task.verifyDigest(Self.right).response().error
            #expect(error != nil)
            if path == "unframed" {
                #expect(error?.code == .digestMismatch)
                #expect(error?.message.hasPrefix("The content has 4 bytes and the sha-256 digest ") == true)
            }
        }
        #expect(placed == Data("old".utf8))
        #expect(try leftFiles == [])
    }

    // MARK: Malformed expectations

    @Test(
        "With a malformed digest or a negative size, nothing is sent",
        arguments: [
            DigestVerification.expecting(.sha256("ed70")), .expecting(.sha512(ContentDigests.sha256)),
            .expecting(size: -1), .expecting(.sha256(ContentDigests.sha256), size: -7),
        ],
        TestTransport.allCases
    )
    func malformed(_ verification: DigestVerification, _ transport: TestTransport) async throws {
        server.route("/file", .data(Self.content))
        let manager = makeManager(transport)
        let options = CallOptions(digestVerification: verification)
        let request = URLRequest(url: server.url("/file"))
        let codes = Recorder<LarkspurError.Code?>()
        codes.record(
            await manager.download("file", to: .file(destination)).verifyDigest(verification).response().error?.code
        )
        codes.record(await manager.get("file").verifyDigest(verification).response(as: .data).error?.code)
        codes.record(await manager.get("file", options: options).response(as: .data).error?.code)
        let retry = manager.get("file").intercept(with: .retry()).verifyDigest(verification)
        codes.record(await retry.response(as: .data).error?.code)
        manager.downloadTask(with: request, options: options) { codes.record($0.error?.code) }.resume()
        manager.dataTask(with: request, options: options, as: .data) { codes.record($0.error?.code) }.resume()
        #expect(try await codes.wait(for: 6) == Array(repeating: .digestMismatch, count: 6))
        #expect(server.requests.isEmpty)
        #expect(placed == nil)
    }

    // MARK: Content in memory, and streams

    @Test("Content in memory is verified", arguments: table, TestTransport.allCases)
    func data(_ row: Row, _ transport: TestTransport) async throws {
        for framing in Self.framings {
            server.route("/file", response(framing))
            let response = await makeManager(transport).get("file").verifyDigest(row.verification).response(as: .data)
            #expect(response.error?.code == (row.matches ? nil : .digestMismatch))
            #expect(response.value == (row.matches ? Self.content : nil))
        }
    }

    @Test("A sequence ends with an error, and delivers no byte beyond the expected size", arguments: table)
    func sequence(_ row: Row) async throws {
        for framing in Self.framings {
            server.route("/file", response(framing))
            var content = Data()
            var code: LarkspurError.Code?
            do {
                for try await chunk in makeManager().get("file").verifyDigest(row.verification).chunks {
                    content += chunk
                }
            } catch {
                code = error.code
            }
            #expect(code == (row.matches ? nil : .digestMismatch))
            if row.matches { #expect(content == Self.content) }
            if let size = row.verification.expected?.size { #expect(content.count <= size) }
        }
    }

    @Test("A sequence without an end ends at the expected size")
    func endlessSequence() async throws {
        var count = 0
        let task = makeManager().get(LoopbackServer.Fault.endlessBody.path).verifyDigest(.expecting(size: 100_000))
        await #expect(throws: LarkspurError.self) {
            for try await chunk in task.chunks { count += chunk.count }
        }
        #expect(count <= 100_000)
    }

    @Test("The content of a data URL is verified")
    func dataURL() async throws {
        let url = try #require(URL(string: "data:,content"))
        for (verification, code) in [(Self.right, nil), (Self.wrong, LarkspurError.Code.digestMismatch)] {
            let task = makeManager().dataTask(with: URLRequest(url: url)).verifyDigest(verification)
            #expect(await task.response(as: .data).error?.code == code)
        }
    }

    @Test("Content that was not sent does not match, but for empty content", arguments: ["HEAD", "204"])
    func noContent(_ kind: String) async throws {
        server.route("/file", .status(Int(kind) ?? 200))
        let manager = makeManager()
        let empty = DigestVerification.expecting(.sha256(ContentDigests.empty))
        for (verification, code) in [(empty, nil), (Self.right, LarkspurError.Code.digestMismatch)] {
            let task = kind == "HEAD" ? manager.head("file") : manager.get("file")
            #expect(await task.verifyDigest(verification).response(as: .data).error?.code == code)
        }
    }

    // MARK: Codings and the server's digests

    @Test(
        "The expected digest is that of the decoded content, as it lies in the file",
        arguments: TestTransport.allCases
    )
    func coded(_ transport: TestTransport) async throws {
        server.route("/gzip", .data(Self.content).encoded(as: .gzip))
        server.route("/own", .data(Self.content).adding("Content-Encoding", "x-own"))
        let manager = makeManager(transport)
        // libcurl fails on a coding that it does not know, unless the engine reads the content.
        for path in transport == .foundation ? ["gzip"] : ["gzip", "own"] {
            for verification in [Self.right, .expecting(.sha256(ContentDigests.sha256), size: 7)] {
                let headers: HTTPHeaders = ["Accept-Encoding": "gzip"]
                let download = manager.download(path, headers: headers, to: .file(destination, replacing: true))
                #expect(await download.verifyDigest(verification).response().error == nil)
                #expect(placed == Self.content)
                let data = await manager.get(path, headers: headers).verifyDigest(verification).response(as: .data)
                #expect(data.value == Self.content)
            }
            #expect(await manager.get(path).verifyDigest(Self.wrong).response(as: .data).error?.code == .digestMismatch)
        }
        #expect(server.requests.last?.headers["Accept-Encoding"] == "identity")
    }

    @Test("An expected digest replaces the digests of the server, and an expected size is added to them")
    func serverDigests() async throws {
        let wrong = "sha-256=:2SmKENGwc1g33EvYXaxkGw887yekfl1TpU8vP1svz/o=:"
        server.route("/file", .data(Self.content).adding("Repr-Digest", wrong))
        let manager = makeManager()
        #expect(await manager.get("file").verifyDigest(Self.right).response(as: .data).error == nil)
        let bySize = await manager.get("file").verifyDigest(.expecting(size: 7)).response(as: .data)
        #expect(bySize.error?.message == "The content does not have the sha-256 digest of the response's Repr-Digest.")
    }

    @Test("The file of a data task that becomes a download is verified")
    func becomingDownload() async throws {
        server.route("/file", .data(Self.content))
        for (verification, code) in [(Self.wrong, LarkspurError.Code.digestMismatch), (Self.right, nil)] {
            let manager = makeManager()
            let downloads = Recorder<DownloadTask>()
            manager.hooks.responseDisposition = { _, _ in .download }
            manager.hooks.didBecomeDownload = { downloads.record($1) }
            manager.hooks.downloadDestination = { [destination] _, _, _ in destination }
            let response = await manager.get("file").verifyDigest(verification).response(as: .data)
            #expect(response.error?.code == .becameDownload)
            try await manager.finishAll()
            #expect(try await downloads.first().error?.code == code)
            #expect(placed == (code == nil ? Self.content : nil))
        }
    }
}
#endif
