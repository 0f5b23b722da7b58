import HTTPSyntax
import LarkspurTestSupport
import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import LarkspurCredentials

/// Calls whose signatures the server verifies, from the requests that have arrived.
@Suite("Requests with message signatures", .timeLimit(.minutes(5)))
struct MessageSignatureTests {
    typealias Component = MessageSignature.Component

    static let secret = Data("canary-secret".utf8)
    let server: LoopbackServer
    let folder = TemporaryFolder()

    init() throws { server = try LoopbackServer() }

    private final class Seconds: Sendable {
        let value = Atomic(1_700_000_000)
    }

    func makeManager(
        _ transport: TestTransport = .curl,
        covering components: [Component] = MessageSignature.defaultComponents,
        _ change: (inout MessageSignature) -> Void = { _ in }
    ) -> SessionManager {
        let manager = transport.makeManager(for: server)
        let seconds = Seconds()
        var signature = MessageSignature(.hmac(Self.secret, id: "k"), covering: components, for: server.baseURL)
        // Each signature has another time.
        signature.date = { Date(timeIntervalSince1970: Double(seconds.value.add(1, ordering: .relaxed).oldValue)) }
        change(&signature)
        manager.interceptors.attempt = [signature]
        return manager
    }

    /// Returns the text of the covered components and the parameters of a received request, after its signature was
    /// verified.
    @discardableResult
    func verified(
        _ request: LoopbackServer.Request,
        label: String = "sig1",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> SignatureInput {
        let message = try request.message(at: server.port)
        let (input, signature) = try SignedMessage.signature(label, in: message.headers)
        let key = MessageSignatureVerification.Key.hmac(Self.secret, id: "k")
        let failure = reason { try key.verify(signature, of: try input.base(of: SignedMessage(message))) }
        #expect(failure == nil, sourceLocation: sourceLocation)
        if let digest = message.headers["Content-Digest"].flatMap(DigestField.init) {
            #expect(digest.known[.sha256] == Data(SHA256.hash(request.body)), sourceLocation: sourceLocation)
        }
        return input
    }

    @Test("Method, URL and the digest of the content are signed", arguments: TestTransport.allCases)
    func requests(_ transport: TestTransport) async throws {
        let manager = makeManager(transport)
        let file = try folder.file("content", Data("abcdefghi".utf8))
        for path in ["", "a%20b/%E2%82%AC%2F(x)", "a//b", "?a=&a=b&b=+%2B%20", "ü ?q=é"] {
            for body: RequestBody? in [nil, .data(Data("content".utf8)), .file(file), .file(file, from: 2, length: 3)] {
                _ = await manager.request(body == nil ? .get : .put, server.url("/\(path)"), body: body).response()
                let request = try #require(server.requests.last)
                let input = try verified(request)
                let components: [Component] = body == nil ? [.method, .targetURI] : MessageSignature.defaultComponents
                #expect(input.components == components)
                #expect((request.headers["Content-Digest"] == nil) == (body == nil))
            }
        }
        #expect(server.requests.count == 20)
    }

    @Test("The signature has the parameters of the options")
    func parameters() async throws {
        _ = await makeManager().get("a").response()
        let manager = makeManager(covering: []) { signature in
            signature.label = "app"
            signature.lifetime = .seconds(60)
            signature.hasNonce = false
            signature.namesAlgorithm = true
            signature.tag = "example"
        }
        _ = await manager.get("a").response()
        let input = try verified(try #require(server.requests.last), label: "app")
        #expect(
            input.member.text
                == #"();created=1700000000;expires=1700000060;keyid="k";alg="hmac-sha256";tag="example""#
        )
        let usual = try verified(try #require(server.requests.first))
        #expect(usual.parameters.keys.map(\.text) == ["created", "keyid", "nonce"])
        #expect(try usual.string("nonce")?.utf8.count == 22)
    }

    @Test("Each attempt has a new time and a new nonce")
    func attempts() async throws {
        server.route("/key", .status(503), .status(200))
        let manager = makeManager()
        manager.interceptors.call = [.retry(baseDelay: .zero)]
        #expect(await manager.put("key", body: .data(Data("abc".utf8))).response().error == nil)
        let inputs = try server.requests(to: "/key").map { try verified($0) }
        #expect(inputs.count == 2)
        #expect(try Set(inputs.map { try $0.integer("created") }) == [1_700_000_000, 1_700_000_001])
        let nonces = try inputs.map { try $0.string("nonce") }
        #expect(nonces[0] != nonces[1])
    }

    @Test(
        "Fields that the request does not have yet are added if the signature covers them",
        arguments: TestTransport.allCases
    )
    func addedFields(_ transport: TestTransport) async throws {
        let manager = makeManager(
            transport,
            covering: ["date", "content-length", "host", "content-type", .contentDigest]
        )
        let body = RequestBody.data(Data("abc".utf8))
        let headers: HTTPHeaders = ["Content-Type": "a/b"]
        let end = await manager.put("key", body: body, headers: headers).response()
        #expect(end.error?.underlyingError == nil)
        let request = try #require(server.requests.last)
        try verified(request)
        #expect(request.headers["Date"] == "Tue, 14 Nov 2023 22:13:20 GMT")
        #expect(request.headers["Content-Length"] == "3")
    }

    @Test("Content that cannot be read before it is sent is refused, unless its digest is not signed or given")
    func streams() async throws {
        let stream = RequestBody.stream { InputStream(data: Data("abc".utf8)) }
        let writer = RequestBody.writer(length: 3) { try await $0.write(Data("abc".utf8)) }
        for body in [stream, writer, .multipart { $0.append(text: "abc", name: "a") }] {
            let error = await makeManager().put("key", body: body).response().error
            #expect(error?.code == .unsupported && error?.message.contains("content-digest") == true)
        }
        #expect(server.requests.isEmpty)
        _ = await makeManager(covering: [.method]).put("key", body: stream).response()
        try verified(try #require(server.requests.last))
        let digest = Data(SHA256.hash(Data("abc".utf8))).base64EncodedString()
        let headers: HTTPHeaders = ["Content-Digest": "sha-256=:\(digest):"]
        _ = await makeManager().put("key", body: stream, headers: headers).response()
        let input = try verified(try #require(server.requests.last))
        #expect(input.components.contains(.contentDigest) && server.requests.count == 2)
    }

    @Test("A request that cannot be signed is refused with the reason, and nothing is sent")
    func refusals() async throws {
        for (components, reason) in [
            (["x-missing"], MessageSignatureFailure.Reason.componentUnavailable), (["@unknown"], .unknownComponent),
            ([.method.ofRequest], .unknownComponent), ([.method, .method], .repeatedName),
            ([.status], .unknownComponent),
        ] as [([Component], MessageSignatureFailure.Reason)] {
            let error = await makeManager(covering: components).get("key").response().error
            #expect(error?.code == .unsupported)
            #expect((error?.underlyingError as? MessageSignatureFailure)?.reason == reason)
        }
        for change: @Sendable (inout MessageSignature) -> Void in [{ $0.label = "Sig" }, { $0.tag = "é" }] {
            let error = await makeManager(.curl, change).get("key").response().error
            #expect((error?.underlyingError as? MessageSignatureFailure)?.reason == .malformedSignature)
        }
        #expect(server.requests.isEmpty)
    }

    @Test("Several signatures are sent together, and one with the same label is replaced")
    func severalSignatures() async throws {
        let manager = makeManager()
        var other = MessageSignature(.hmac(Self.secret, id: "k"), covering: [.path], for: server.baseURL)
        other.label = "other"
        manager.interceptors.attempt.append(other)
        manager.interceptors.attempt.append(other)
        _ = await manager.get("key").response()
        let request = try #require(server.requests.last)
        try verified(request)
        #expect(try verified(request, label: "other").components == [.path])
        #expect(StructuredField.orderedDictionary(request.headers["Signature"] ?? "")?.count == 2)
    }

    @Test("Another origin gets no signature, neither directly nor by a redirect", arguments: TestTransport.allCases)
    func otherOrigin(_ transport: TestTransport) async throws {
        let other = try LoopbackServer()
        server.route("/key", .redirect(to: other.url("/key").absoluteString, status: 307))
        let manager = makeManager(transport)
        _ = await manager.get("key").response()
        try verified(try #require(server.requests.last))
        _ = await manager.get(other.url("/key")).response()
        #expect(other.requests.count == 2)
        for request in other.requests {
            #expect(request.headers["Signature"] == nil && request.headers["Signature-Input"] == nil)
        }
    }

    @Test("A page to which another origin has led gets no signature, even if the interceptor is for its origin")
    func pages() async throws {
        let other = try LoopbackServer()
        server.route("/list", .json("[1]").adding("Link", "<\(other.url("/list"))>; rel=next"))
        other.route("/list", .json("[2]"))
        let manager = TestTransport.curl.makeManager(for: server)
        let key = MessageSignature.Key.hmac(Self.secret, id: "k")
        manager.interceptors.attempt = [.messageSignature(key, for: server.baseURL, other.baseURL)]
        var pages: [[Int]] = []
        for try await page in manager.pages("list", as: [Int].self, by: .links) { pages.append(page) }
        #expect(pages == [[1], [2]])
        try verified(try #require(server.requests.first))
        let elsewhere = try #require(other.requests.first)
        #expect(elsewhere.headers["Signature"] == nil && elsewhere.headers["Signature-Input"] == nil)
        _ = await manager.get(other.url("/list")).response()
        #expect(other.requests.last?.headers["Signature"] != nil)
    }

    @Test("An empty secret is refused, because everyone has it")
    func emptySecret() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        manager.interceptors.attempt = [.messageSignature(.hmac(Data(), id: "k"), for: server.baseURL)]
        let error = await manager.get("key").response().error
        #expect((error?.underlyingError as? MessageSignatureFailure)?.reason == .unusableKey)
        #expect(server.requests.isEmpty)
        let signature = Data(HMACSHA256.code(of: Data("base".utf8), key: [UInt8]()))
        let key = MessageSignatureVerification.Key.hmac(Data(), id: "k")
        #expect(reason { try key.verify(signature, of: "base") } == .unusableKey)
    }

    @Test("Neither descriptions nor errors contain the key")
    func canaries() async throws {
        let key = MessageSignature.Key.hmac(Self.secret, id: "k")
        let signature = MessageSignature(key, covering: ["x-missing"], for: server.baseURL)
        let verification = MessageSignatureVerification.Key.hmac(Self.secret, id: "k")
        let manager = TestTransport.curl.makeManager(for: server)
        manager.interceptors.attempt = [signature]
        let error = try #require(await manager.get("key").response().error)
        var dumped = ""
        dump(signature, to: &dumped)
        dump(verification, to: &dumped)
        dump(MessageSignatureVerification(verification), to: &dumped)
        dump(error, to: &dumped)
        let texts = [dumped, "\(key)", "\(signature)", "\(verification)", "\(error)", String(reflecting: key)]
        for text in texts {
            #expect(!text.contains("canary") && !text.contains(Self.secret.base64EncodedString()))
        }
        #expect(texts[1].contains("hmac-sha256") && texts[1].contains("k"))
    }
}
