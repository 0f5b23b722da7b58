#if canImport(FoundationNetworking)
import HTTPSyntax
import LarkspurTesting
import Testing

@testable import Larkspur

/// Verified downloads with several attempts.
extension VerifiedDownloadTests {
    private func expecting(_ file: BrokenFile) -> DigestVerification {
        .expecting(.sha256(SHA256.hash(file.content).hexadecimal), size: Int64(file.content.count))
    }

    /// Resume data of a download of a file that was cut after 4,000 bytes, without an expectation.
    private func resumeData(_ manager: SessionManager, _ file: BrokenFile) async throws -> Data {
        server.route("/file") { file.answer($0) }
        return try #require(await manager.download("file").response().error?.resumeData)
    }

    @Test("A download that was resumed is verified as a whole, and is not repeated", arguments: [true, false])
    func resumed(matches: Bool) async throws {
        _ = try folder.file("file", Data("old".utf8))
        let file = BrokenFile(10_000, cuts: [4_000])
        server.route("/file") { file.answer($0) }
        let task = makeManager().download("file", maximumResumptions: 5, to: .file(destination, replacing: true))
            .verifyDigest(matches ? expecting(file) : Self.wrong)
        let response = await task.response()
        #expect(response.error?.code == (matches ? nil : .digestMismatch))
        #expect(response.error?.resumeData == nil)
        #expect(response.statusCode == 206)
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=4000-"])
        #expect(placed == (matches ? file.content : Data("old".utf8)))
        #expect(try leftFiles == [])
    }

    @Test("The beginning that an earlier process has downloaded is verified too")
    func changedBeginning() async throws {
        let manager = makeManager()
        let file = BrokenFile(10_000, cuts: [4_000])
        let resumeData = try await resumeData(manager, file)
        let name = try #require(try leftFiles.first)
        let handle = try FileHandle(forUpdating: parts.url.appendingPathComponent(name))
        try handle.write(contentsOf: Data([~file.content[0]]))
        try handle.close()

        for code in [LarkspurError.Code.digestMismatch, nil] {
            let task = manager.download("file", resumeData: resumeData, to: .file(destination))
            let error = await task.verifyDigest(expecting(file)).response().error
            #expect(error?.code == code)
            #expect(error?.resumeData == nil)
            #expect(try leftFiles == [])
        }
        // The wrong file is gone, so the second download with the same resume data has started over.
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=4000-", nil])
        #expect(placed == file.content)
    }

    @Test("A download that starts over with a 200 is verified", arguments: [true, false])
    func startedOver(matches: Bool) async throws {
        let manager = makeManager()
        let resumeData = try await resumeData(manager, BrokenFile(10_000, cuts: [4_000]))
        server.route("/file", .data(Self.content).adding("ETag", "\"v2\""))
        let response = await manager.download("file", resumeData: resumeData, to: .file(destination))
            .verifyDigest(matches ? Self.right : Self.wrong)
            .response()
        #expect(response.error?.code == (matches ? nil : .digestMismatch))
        #expect(response.statusCode == 200)
        #expect(server.requests.last?.headers["Range"] == "bytes=4000-")
        #expect(placed == (matches ? Self.content : nil))
        #expect(try leftFiles == [])
    }

    @Test("A resumed download ends early if the announced size of the file is another one", arguments: [3_000, 9_999])
    func announcedRange(size: Int64) async throws {
        let manager = makeManager()
        let resumeData = try await resumeData(manager, BrokenFile(10_000, cuts: [4_000]))
        let gate = LoopbackServer.Gate()
        defer { gate.open() }
        let head =
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 4000-9999/10000\r\nETag: \"v1\"\r\n"
            + "Content-Length: 6000\r\n\r\n"
        server.route("/file", .raw([.text(head), .wait(gate)]))
        let task = manager.download("file", maximumResumptions: 5, resumeData: resumeData, to: .file(destination))
        let error = await task.verifyDigest(.expecting(size: size)).response().error
        #expect(error?.message == "The response announces 10000 bytes, but \(size) bytes were expected.")
        #expect(error?.resumeData == nil)
        #expect(server.requests.count == 2)
        #expect(try leftFiles == [])
    }

    @Test("An interrupted download that may still match keeps its resume data")
    func interrupted() async throws {
        let file = BrokenFile(10_000, cuts: [4_000])
        server.route("/file") { file.answer($0) }
        let manager = makeManager()
        let first = await manager.download("file", to: .file(destination)).verifyDigest(expecting(file)).response()
        #expect(first.error?.code == .connectionLost)
        let resumeData = try #require(first.error?.resumeData)
        let second = manager.download("file", resumeData: resumeData, to: .file(destination))
        #expect(try await second.verifyDigest(expecting(file)).file == destination)
        #expect(placed == file.content)
    }

    @Test(
        "Resume data that a later attempt did not use is discarded with content that does not match",
        arguments: [false, true]
    )
    func unusedResumeData(endsEarly: Bool) async throws {
        let file = BrokenFile(10_000, cuts: [4_000])
        server.route("/file") { [server] request in
            server.requests.count == 1 ? file.answer(request) : .text("busy", status: 503)
        }
        let task = makeManager().download("file", maximumResumptions: 1, to: .file(destination))
            .validate(statusCode: StatusCodes(200..<600)).verifyDigest(endsEarly ? expecting(file) : Self.wrong)
        let error = await task.response().error
        #expect(error?.code == .digestMismatch)
        #expect(error?.resumeData == nil)
        #expect(try leftFiles == [])
    }

    @Test("Resume data with a malformed expectation stays as it was")
    func malformedWithResumeData() async throws {
        let manager = makeManager()
        let file = BrokenFile(10_000, cuts: [4_000])
        let resumeData = try await resumeData(manager, file)
        let malformed = DigestVerification.expecting(.sha256("ed70"))
        let options = CallOptions(digestVerification: malformed)
        for task in [
            manager.download("file", maximumResumptions: 1, resumeData: resumeData).verifyDigest(malformed),
            manager.downloadTask(withResumeData: resumeData).verifyDigest(malformed),
            manager.downloadTask(withResumeData: resumeData, options: options),
        ] {
            #expect(await task.response().error?.code == .digestMismatch)
        }
        #expect(server.requests.count == 1)
        let rest = manager.downloadTask(withResumeData: resumeData, to: .file(destination))
        #expect(try await rest.verifyDigest(expecting(file)).file == destination)
        #expect(server.requests.last?.headers["Range"] == "bytes=4000-")
    }

    @Test("No retry policy repeats a mismatch, be it found early or at the end", arguments: TestTransport.allCases)
    func retryPolicy(_ transport: TestTransport) async throws {
        var policy = RetryPolicy(maximumAttempts: 9, budget: nil)
        policy.errorCodes.insert(.digestMismatch)
        let manager = makeManager(transport)
        server.route("/file", .data(Self.content))
        for verification in [Self.wrong, .expecting(size: 6)] {
            server.clearRequests()
            let download = manager.download("file", to: .file(destination)).intercept(with: policy)
            #expect(await download.verifyDigest(verification).response().error?.code == .digestMismatch)
            #expect(server.requests.count == 1)
            let data = manager.get("file").intercept(with: policy).verifyDigest(verification)
            #expect(await data.response(as: .data).error?.code == .digestMismatch)
            #expect(server.requests.count == 2)
        }
        #expect(placed == nil)
        #expect(try leftFiles == [])
    }

    @Test("A retry policy repeats a refused attempt, and the last response is verified")
    func retriedStatus() async throws {
        server.route("/file", .text("busy, and longer than the file", status: 503), .data(Self.content))
        let task = makeManager().download("file", to: .file(destination)).intercept(with: .retry(budget: nil))
            .verifyDigest(.expecting(.sha256(ContentDigests.sha256), size: 7))
        #expect(try await task.file == destination)
        #expect(server.requests.count == 2)
    }
}
#endif
