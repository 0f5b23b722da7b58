import HTTPSyntax
import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCredentials

/// Calls whose responses are signed by the server.
@Suite("Calls with signed responses", .timeLimit(.minutes(5)))
struct SignedResponseTests {
    typealias Component = MessageSignature.Component

    private static let secret = Data("secret".utf8)
    private static let content = Data("signed content".utf8)

    let server: LoopbackServer
    let folder = TemporaryFolder()

    init() throws {
        server = try LoopbackServer()
        let port = server.port
        server.route("/signed") { try Self.response(to: $0, at: port) }
        server.route("/changed") { request in
            var response = try Self.response(to: request, at: port)
            response.body = [.bytes(Data("forged content".utf8))]
            return response
        }
        server.route("/unsigned", .data(Self.content))
        server.route("/failed", .status(500))
        server.route("/stale") { try Self.response(to: $0, at: port, age: 1_000) }
    }

    /// Returns a signed response.
    private static func response(
        to request: LoopbackServer.Request,
        at port: UInt16,
        status: Int = 200,
        age: Int64 = 0
    ) throws -> LoopbackServer.Response {
        let fields: HTTPHeaders = [
            "Content-Digest": "sha-256=:\(Data(SHA256.hash(content)).base64EncodedString()):",
            "Content-Type": "text/plain",
        ]
        let components: [Component] = [
            .status, .contentDigest, "content-type", .method.ofRequest, .targetURI.ofRequest,
            Component("signature").member("sig1").ofRequest,
        ]
        let created = Int64(Date().timeIntervalSince1970) - age
        let hasSignature = request.headers["Signature"] != nil
        let input = SignatureInput(
            hasSignature ? components : components.dropLast(),
            ["created": .integer(created), "keyid": .string("k")]
        )
        let signed = try HTTPHeaders.signed(
            status: status,
            fields,
            input,
            by: .hmac(secret, id: "k"),
            to: try request.message(at: port)
        )
        var response = LoopbackServer.Response.data(content, contentType: "text/plain", status: status)
        for field in signed where field.name != "Content-Type" { response = response.adding(field.name, field.value) }
        return response
    }

    private func makeManager(
        _ transport: TestTransport = .curl,
        requiring components: [Component] = [.status, .contentDigest, .targetURI.ofRequest]
    ) -> SessionManager {
        let manager = transport.makeManager(for: server)
        manager.interceptors.call = [
            .messageSignatureVerification(.hmac(Self.secret, id: "k"), requiring: components)
        ]
        return manager
    }

    private func reason(_ error: LarkspurError?) -> MessageSignatureFailure.Reason? {
        error?.code == .unacceptableResponse ? (error?.underlyingError as? MessageSignatureFailure)?.reason : nil
    }

    @Test("A signed response is delivered, and others end the call with the reason", arguments: TestTransport.allCases)
    func responses(_ transport: TestTransport) async throws {
        let manager = makeManager(transport)
        let data = try await manager.get("signed?a=b").data
        #expect(data == Self.content)
        for (path, expected) in [
            ("changed", MessageSignatureFailure.Reason.digestMismatch), ("unsigned", .missingSignature),
            ("failed", .missingSignature), ("stale", .tooOld),
        ] {
            let end = await manager.get(path).response(as: .data)
            #expect(reason(end.error) == expected, "\(path)")
            #expect(end.value == nil)
        }
        #expect(server.requests(to: "/signed").first?.headers["Accept-Encoding"] == "identity")
    }

    @Test("A response may cover the signature of its request", arguments: TestTransport.allCases)
    func signedRequest(_ transport: TestTransport) async throws {
        let signature = Component("signature").member("sig1").ofRequest
        let manager = makeManager(transport, requiring: [.status, .contentDigest, .method.ofRequest, signature])
        let before = await manager.get("signed").response(as: .data)
        #expect(reason(before.error) == .componentNotCovered)
        manager.interceptors.attempt = [.messageSignature(.hmac(Self.secret, id: "client"), for: server.baseURL)]
        let data = try await manager.get("signed").data
        #expect(data == Self.content)
    }

    @Test("A file without a valid signature never reaches its destination", arguments: TestTransport.allCases)
    func downloads(_ transport: TestTransport) async throws {
        let manager = makeManager(transport)
        let place = folder.url.appendingPathComponent("file")
        let file = try await manager.download("signed", to: .file(place)).file
        #expect(try Data(contentsOf: file) == Self.content)
        try FileManager.default.removeItem(at: file)
        for (path, expected) in [
            ("changed", MessageSignatureFailure.Reason.digestMismatch), ("unsigned", .missingSignature),
        ] {
            let error = await manager.download(path, to: .file(place)).response().error
            #expect(reason(error) == expected)
            #expect(!FileManager.default.fileExists(atPath: place.path))
        }
    }

    @Test("Content that is delivered while it arrives is refused, and nothing is sent")
    func streams() async throws {
        let manager = makeManager()
        await #expect { for try await _ in manager.get("signed").chunks {} } throws: { error in
            (error as? LarkspurError)?.code == .unsupported
        }
        #expect(server.requests.isEmpty)
    }

    @Test("Retries come before the verification")
    func retries() async throws {
        server.route("/busy", .status(503))
        let manager = makeManager()
        manager.interceptors.call.append(.retry(maximumAttempts: 2, baseDelay: .zero))
        let busy = await manager.get("busy").response().error
        #expect(reason(busy) == .missingSignature && busy?.statusCode == 503)
        #expect(server.requests(to: "/busy").count == 2)
        #expect(busy?.message.contains("503") == true)
    }

    @Test("After a redirect, the response must be one to the last request", arguments: TestTransport.allCases)
    func redirects(_ transport: TestTransport) async throws {
        server.route("/moved", .redirect(to: "/signed?a"))
        let data = try await makeManager(transport).get("moved").data
        #expect(data == Self.content)
    }

    @Test("Repeated fields are joined, and folded lines are unfolded, before they are verified")
    func repeatedFields() async throws {
        let fields: HTTPHeaders = [
            "Content-Digest": "sha-256=:\(Data(SHA256.hash(Self.content)).base64EncodedString()):", "X-List": "a, b c",
        ]
        let input = SignatureInput(
            [.status, .contentDigest, "x-list"],
            ["created": .integer(Int64(Date().timeIntervalSince1970)), "keyid": .string("k")]
        )
        let signed = try HTTPHeaders.signed(fields, input, by: .hmac(Self.secret, id: "k"))
        var head = "HTTP/1.1 200 OK\r\nContent-Length: \(Self.content.count)\r\nX-List: a\r\nX-List:  b\r\n   c \r\n"
        head += "Signature-Input: other=()\r\nSignature: other=::\r\n"
        for field in signed where field.name != "X-List" { head += "\(field.name): \(field.value)\r\n" }
        server.route("/raw", .raw([.bytes(Data("\(head)\r\n".utf8) + Self.content)]))
        let data = try await makeManager(requiring: [.status, "x-list"]).get("raw").data
        #expect(data == Self.content)
    }

    @Test("Responses are not taken from the cache, because their signatures may be old")
    func cache() async throws {
        server.route("/cached") { [port = server.port] request in
            try Self.response(to: request, at: port).adding("Cache-Control", "max-age=1000")
        }
        let configuration = URLSessionConfiguration.testing
        configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        let manager = TestTransport.curl.makeManager(for: server, configuration: configuration)
        manager.interceptors.call = [.messageSignatureVerification(.hmac(Self.secret, id: "k"))]
        for _ in 0..<2 { _ = try await manager.get("cached").data }
        #expect(server.requests(to: "/cached").count == 2)
    }
}
