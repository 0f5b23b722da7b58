import HTTPSyntax
import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("Digests of responses", .timeLimit(.minutes(5)))
struct DigestVerificationTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()

    init() throws { server = try LoopbackServer() }

    private static let content = Data("content".utf8)
    /// The digests of the content, by openssl.
    private static let sha256 = "sha-256=:7XACtDnprIRfIjV9giusFERzD722AW0+yUMil7nsn3M=:"
    private static let sha512 =
        "sha-512=:stHShbUZnIX5iNA2ScN+RP093gHl1pxQ/vkGUZYvSBEOk0C2DUmkecTAtT9fB9aQaG3YfSSBk3pRLouF7nxhfw==:"
    /// The digest of other content.
    private static let wrong = "sha-256=:2SmKENGwc1g33EvYXaxkGw887yekfl1TpU8vP1svz/o=:"

    /// A response with the content.
    private static func response(_ fields: LoopbackServer.Fields = [:]) -> LoopbackServer.Response {
        var response = LoopbackServer.Response.data(content)
        for field in fields { response = response.adding(field.name, field.value) }
        return response
    }

    /// The code of the error of a call; nil if it succeeds.
    private func code(
        _ response: LoopbackServer.Response,
        _ verification: DigestVerification,
        _ transport: TestTransport = .curl
    ) async -> LarkspurError.Code? {
        server.route("/content", response)
        let manager = transport.makeManager(for: server)
        let response = await manager.get("content").verifyDigest(verification).response(as: .data)
        if response.error == nil { #expect(response.value == Self.content) }
        return response.error?.code
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let fields: [String]
        let ifPresent: LarkspurError.Code?
        let required: LarkspurError.Code?

        init(_ fields: String..., ifPresent: LarkspurError.Code? = nil, required: LarkspurError.Code? = nil) {
            (self.fields, self.ifPresent, self.required) = (fields, ifPresent, required)
        }

        var testDescription: String { fields.joined(separator: "; ") }
        /// The fields, in the header or the trailer section.
        var section: LoopbackServer.Fields {
            var section: LoopbackServer.Fields = [:]
            for field in fields {
                let parts = field.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
                section.append(String(parts[0]), String(parts[1]))
            }
            return section
        }
    }

    static let table = [
        Row("X-None: 1", required: .digestMissing),
        Row("Repr-Digest: \(sha256)"),
        Row("Repr-Digest: \(sha512)"),
        Row("Content-Digest: \(sha256)"),
        Row("Content-Digest: \(sha512)", "Repr-Digest: \(sha256)"),
        Row("Repr-Digest: \(sha256), \(sha512)"),
        Row("Repr-Digest: \(sha256)", "Repr-Digest: \(sha512)"),
        Row("Repr-Digest: md5=:AQ==:, sha=:AQ==:, unixsum=:AQ==:, \(sha256)"),
        Row("Repr-Digest: \(wrong)", ifPresent: .digestMismatch, required: .digestMismatch),
        Row("Content-Digest: \(wrong)", ifPresent: .digestMismatch, required: .digestMismatch),
        Row("Repr-Digest: \(sha512), \(wrong)", ifPresent: .digestMismatch, required: .digestMismatch),
        Row(
            "Repr-Digest: \(sha256)",
            "Content-Digest: \(wrong)",
            ifPresent: .digestMismatch,
            required: .digestMismatch
        ),
        Row("Repr-Digest: sha-512=:AQ==:", ifPresent: .digestMismatch, required: .digestMismatch),
        Row("Repr-Digest: md5=:AQ==:, sha=:AQ==:", required: .digestMissing),
        Row("Digest: \(wrong)", required: .digestMissing),
        Row("Repr-Digest: ", required: .digestMissing),
        Row("Repr-Digest: sha-256=7XAC", ifPresent: .digestMismatch, required: .digestMismatch),
        Row("Repr-Digest: \(sha256)", "Repr-Digest: x", ifPresent: .digestMismatch, required: .digestMismatch),
    ]

    @Test("Digests in the header section are verified", arguments: table, TestTransport.allCases)
    func header(_ row: Row, _ transport: TestTransport) async {
        // FoundationNetworking keeps only the last of several fields with the same name.
        if transport == .foundation, Set(row.section.map(\.name)).count < row.fields.count { return }
        #expect(await code(Self.response(row.section), .ifPresent, transport) == row.ifPresent)
        #expect(await code(Self.response(row.section), .required, transport) == row.required)
    }

    @Test("Digests in the trailer section are verified", arguments: table)
    func trailer(_ row: Row) async {
        let response = LoopbackServer.Response.chunked([Self.content], trailers: row.section)
        #expect(await code(response, .ifPresent) == row.ifPresent)
        #expect(await code(response, .required) == row.required)
    }

    @Test("Without the setting, no digest is verified or requested")
    func noVerification() async throws {
        server.route("/content", Self.response(["Repr-Digest": Self.wrong]))
        let manager = TestTransport.curl.makeManager(for: server)
        #expect(try await manager.get("content").data == Self.content)
        #expect(server.requests[0].headers["Accept-Encoding"]?.contains("gzip") == true)
    }

    @Test("A verifying call requests content without a coding, unless the caller sets one")
    func acceptEncoding() async throws {
        server.route("/content", Self.response(["Repr-Digest": Self.sha256]))
        let manager = TestTransport.curl.makeManager(for: server)
        let options = CallOptions(digestVerification: .required)
        _ = try await manager.get("content").verifyDigest(.ifPresent).data
        _ = try await manager.get("content", options: options).data
        _ = try await manager.get("content", headers: ["Accept-Encoding": "gzip"]).verifyDigest().data
        _ = await manager.download("content").verifyDigest().response()
        #expect(server.requests.map { $0.headers["Accept-Encoding"] } == ["identity", "identity", "gzip", "identity"])
    }

    @Test("The option of a call with a closure verifies digests too")
    func option() async throws {
        server.route("/content", Self.response(["Repr-Digest": Self.wrong]))
        let manager = TestTransport.curl.makeManager(for: server)
        let codes = Recorder<LarkspurError.Code?>()
        let options = CallOptions(digestVerification: .ifPresent)
        manager.get("content", options: options, as: .data) { _, _ in
            codes.record(nil)
        } failure: { _, error in
            codes.record(error.code)
        }
        #expect(try await codes.first() == .digestMismatch)
        #expect(server.requests[0].headers["Accept-Encoding"] == "identity")
    }

    @Test(
        "The digest of coded content is not verified, and is an error if a digest is required",
        arguments: ["gzip", "x-own"]
    )
    func coded(_ coding: String) async throws {
        let plain = Self.response(["Repr-Digest": Self.wrong])
        let response = coding == "gzip" ? plain.encoded(as: .gzip) : plain.adding("Content-Encoding", coding)
        #expect(await code(response, .ifPresent) == nil)
        #expect(await code(response, .required) == .unsupported)
        let identity = plain.adding("Content-Encoding", "identity")
        #expect(await code(identity, .ifPresent) == .digestMismatch)
    }

    @Test("For a partial response, only the digest of its content is verified")
    func partial() async {
        func part(_ fields: LoopbackServer.Fields) -> LoopbackServer.Response {
            var response = Self.response(fields)
            response.status = 206
            return response.adding("Content-Range", "bytes 10-16/17")
        }
        #expect(await code(part(["Repr-Digest": Self.wrong]), .ifPresent) == nil)
        #expect(await code(part(["Repr-Digest": Self.wrong]), .required) == .digestMissing)
        #expect(await code(part(["Repr-Digest": Self.wrong, "Content-Digest": Self.sha256]), .required) == nil)
        let wrong = part(["Repr-Digest": Self.sha256, "Content-Digest": Self.wrong])
        #expect(await code(wrong, .ifPresent) == .digestMismatch)
    }

    @Test("The digest of a response without content is not verified", arguments: ["HEAD", "204", "304"])
    func noContent(_ kind: String) async throws {
        let status = Int(kind)
        server.route("/content", .status(status ?? 200, headers: ["Repr-Digest": Self.wrong]))
        let manager = TestTransport.curl.makeManager(for: server)
        let task = status == nil ? manager.head("content") : manager.get("content")
        let response = await task.validate(statusCode: 200..<400).verifyDigest().response(as: .data)
        #expect(response.error == nil)
        #expect(response.statusCode == status ?? 200)
    }

    @Test("An unacceptable response is reported as such, and a check runs only if the digest matches")
    func precedence() async throws {
        var response = Self.response(["Repr-Digest": Self.wrong])
        response.status = 404
        #expect(await code(response, .required) == .unacceptableStatusCode)
        let responses = [Self.wrong, Self.sha256].map { Self.response(["Repr-Digest": $0]) }
        server.route("/content", responses)
        let manager = TestTransport.curl.makeManager(for: server)
        let checks = Recorder<Int>()
        for _ in 0..<2 {
            _ = await manager.get("content").verifyDigest().validate { _, _, data in checks.record(data.count) }
                .response(as: .data)
        }
        #expect(checks.values == [Self.content.count])
    }

    @Test("Every handler and every observer gets the error of a digest mismatch")
    func handlers() async throws {
        server.route("/content", Self.response(["Repr-Digest": Self.wrong]))
        let manager = TestTransport.curl.makeManager(for: server)
        let codes = Recorder<LarkspurError.Code?>()
        let task = manager.get("content").verifyDigest()
            .observe([.completed]) { codes.record($0.error?.code) }
            .response(as: .data) { codes.record($0.error?.code) }
            .response(as: .string) { codes.record($0.error?.code) }
        #expect(try await codes.wait(for: 3) == [.digestMismatch, .digestMismatch, .digestMismatch])
        #expect(task.error?.code == .digestMismatch)
        #expect(task.error?.responseData == Self.content)
        #expect(task.error?.message == "The content does not have the sha-256 digest of the response's Repr-Digest.")
    }

    // MARK: Sequences

    /// The content of a sequence, and the code of its error; nil if it ends without one.
    private func stream(
        _ response: LoopbackServer.Response,
        _ verification: DigestVerification
    ) async throws -> (Data, LarkspurError.Code?) {
        server.route("/content", response)
        let manager = TestTransport.curl.makeManager(for: server)
        var content = Data()
        do {
            for try await chunk in manager.get("content").verifyDigest(verification).chunks { content += chunk }
            return (content, nil)
        } catch {
            return (content, error.code)
        }
    }

    @Test("A sequence throws at its end if the digest does not match", arguments: table)
    func sequence(_ row: Row) async throws {
        for isTrailer in [false, true] {
            let response =
                isTrailer
                ? LoopbackServer.Response.chunked([Data("con".utf8), Data("tent".utf8)], trailers: row.section)
                : Self.response(row.section)
            let lenient = try await stream(response, .ifPresent)
            #expect(lenient == (Self.content, row.ifPresent))
            let strict = try await stream(response, .required)
            #expect(strict == (Self.content, row.required))
        }
    }

    @Test("The completion handler of a stream gets the error of a digest mismatch")
    func streamHandler() async throws {
        server.route("/content", [Self.wrong, Self.sha512].map { Self.response(["Repr-Digest": $0]) })
        let manager = TestTransport.curl.makeManager(for: server)
        let counts = Recorder<Result<Int64, LarkspurError>>()
        for number in 1...2 {
            manager.get("content").verifyDigest().responseStream { _, _ in
            } completionHandler: {
                counts.record($0.result)
            }
            try await counts.wait(for: number)
        }
        #expect(counts.values[0].failure?.code == .digestMismatch)
        #expect(counts.values[1].failure == nil)
    }

    // MARK: Downloads

    @Test("A file is moved to its destination only if the digest matches", arguments: table)
    func download(_ row: Row) async throws {
        let destination = folder.url.appendingPathComponent("file")
        for isTrailer in [false, true] {
            let response =
                isTrailer
                ? LoopbackServer.Response.chunked([Self.content], trailers: row.section) : Self.response(row.section)
            server.route("/content", response)
            let manager = TestTransport.curl.makeManager(for: server)
            for (verification, code) in [(DigestVerification.ifPresent, row.ifPresent), (.required, row.required)] {
                let task = manager.download("content", to: .file(destination)).verifyDigest(verification)
                #expect(await task.response().error?.code == code)
                #expect((try? Data(contentsOf: destination)) == (code == nil ? Self.content : nil))
                if code == nil { try FileManager.default.removeItem(at: destination) }
            }
        }
    }

    @Test("The digest of large content is verified")
    func large() async throws {
        var random = SeededGenerator(seed: 9530)
        let content = Data((0..<(1 << 20) + 1).map { _ in UInt8.random(in: 0...255, using: &random) })
        let digest = "sha-256=:\(Data(SHA256.hash(content)).base64EncodedString()):"
        server.route("/large", .data(content).adding("Repr-Digest", digest))
        let manager = TestTransport.curl.makeManager(for: server)
        #expect(try await manager.get("large").verifyDigest().data == content)
        var count = 0
        for try await chunk in manager.get("large").verifyDigest().chunks { count += chunk.count }
        #expect(count == content.count)
        let file = try await manager.download("large").verifyDigest().file
        #expect(try Data(contentsOf: file) == content)
        try FileManager.default.removeItem(at: file)
    }

    #if canImport(FoundationNetworking)
    @Test(
        "The digests of the whole file and of the received part of a resumed download are verified",
        arguments: [
            ("right", "right", nil), ("right", "wrong", .digestMismatch), ("wrong", "right", .digestMismatch),
            ("right", "-", nil), ("-", "right", nil), ("-", "-", .digestMissing),
        ] as [(String, String, LarkspurError.Code?)]
    )
    func resumed(representation: String, rest: String, code: LarkspurError.Code?) async throws {
        let content = Data((0..<60_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        @Sendable func digest(_ data: Data, _ kind: String) -> String {
            kind == "wrong" ? Self.wrong : "sha-256=:\(Data(SHA256.hash(data)).base64EncodedString()):"
        }
        server.route("/file") { request in
            var fields: LoopbackServer.Fields = ["ETag": "\"1\"", "Accept-Ranges": "bytes"]
            if representation != "-" { fields.append("Repr-Digest", digest(content, representation)) }
            var response: LoopbackServer.Response
            if let range = request.headers["Range"], let first = Int(range.dropFirst(6).dropLast()) {
                response = .data(content.dropFirst(first), status: 206)
                fields.append("Content-Range", "bytes \(first)-\(content.count - 1)/\(content.count)")
                if rest != "-" { fields.append("Content-Digest", digest(content.dropFirst(first), rest)) }
            } else {
                response = .data(content.prefix(40_000))
                fields.append("Content-Length", "\(content.count)")
                response.ending = .close
            }
            for field in fields { response = response.adding(field.name, field.value) }
            return response
        }
        let manager = TestTransport.curl.makeManager(for: server)
        let destination = folder.url.appendingPathComponent("file")
        manager.clock = InstantClock()
        let download = manager.download("file", maximumResumptions: 3, to: .file(destination)).verifyDigest()
        let response = await download.response()
        #expect(response.error?.code == code)
        #expect(response.statusCode == 206)
        #expect((try? Data(contentsOf: destination)) == (code == nil ? content : nil))
    }

    @Test("The content that is delivered for a stored response is verified")
    func cached() async throws {
        let configuration = URLSessionConfiguration.testing
        configuration.urlCache = HTTPCache()
        let manager = TestTransport.curl.makeManager(for: server, configuration: configuration)
        for (path, digest) in [("right", Self.sha256), ("wrong", Self.wrong)] {
            let stored = Self.response(["Repr-Digest": digest, "Cache-Control": "max-age=60"])
            server.route("/\(path)", stored, .text("another"))
            let headers: HTTPHeaders = ["Accept-Encoding": "identity"]
            #expect(try await manager.get(path, headers: headers).data == Self.content)
            let response = await manager.get(path).verifyDigest().response(as: .data)
            #expect(response.timeline.isFromCache)
            #expect(response.data == Self.content)
            #expect(response.error?.code == (path == "right" ? nil : .digestMismatch))
            #expect(server.requests(to: "/\(path)").count == 1)
        }
    }
    #endif

    @Test("With interceptors, the digest of the last attempt is verified")
    func interceptors() async throws {
        server.route(
            "/content",
            .status(503),
            .chunked([Self.content], trailers: ["Repr-Digest": Self.sha256]),
            .chunked([Self.content], trailers: ["Repr-Digest": Self.wrong])
        )
        let manager = TestTransport.curl.makeManager(for: server)
        manager.clock = InstantClock()
        let retry = RetryPolicy(maximumAttempts: 2)
        #expect(await manager.get("content").intercept(with: retry).verifyDigest().response(as: .data).error == nil)
        let second = await manager.get("content").intercept(with: retry).verifyDigest().response(as: .data)
        #expect(second.error?.code == .digestMismatch)
    }
}
