import HTTPSyntax
import LarkspurTestSupport
import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import LarkspurCredentials

/// Calls whose requests the server checks as a service of AWS does: from the bytes that have arrived.
@Suite("Requests with AWS signatures", .timeLimit(.minutes(5)))
struct AWSSignatureTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()
    let credentials = AWSCredentials(accessKeyID: "AKIDCANARY", secretAccessKey: "s3cret", sessionToken: "t0ken/+=")

    init() throws { server = try LoopbackServer() }

    func makeManager(
        _ transport: TestTransport = .curl,
        _ payload: AWSSignature.Payload = .signed,
        service: String = "s3"
    ) -> SessionManager {
        let manager = transport.makeManager(for: server)
        let seconds = Seconds()
        var signature = AWSExamples.signature(service: service, credentials, payload: payload, for: server.baseURL)
        // Each signature has another time.
        signature.date = { Date(timeIntervalSince1970: Double(seconds.value.add(1, ordering: .relaxed).newValue)) }
        manager.interceptors.attempt = [signature]
        return manager
    }

    private final class Seconds: Sendable {
        let value = Atomic(0)
    }

    /// Returns the signature of a received request, after it was computed again from the request.
    @discardableResult
    func verified(
        _ request: LoopbackServer.Request,
        service: String = "s3",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (key: AWSSigningKey, signature: String) {
        let authorization = try #require(request.headers["Authorization"], sourceLocation: sourceLocation)
        let names = try #require(
            authorization.cut(at: ",")?.after.cut(at: "=")?.after.before(",").parts(separatedBy: ";")
        )
        let time = try #require(request.headers["X-Amz-Date"])
        let seconds = try #require(Double(time.suffix(3).dropLast()))
        let key = AWSSigningKey(
            credentials,
            region: "us-east-1",
            service: service,
            date: Date(timeIntervalSince1970: seconds)
        )
        #expect(key.time == time && request.headers["X-Amz-Security-Token"] == "t0ken/+=")
        let hash = request.headers["X-Amz-Content-SHA256"] ?? SHA256.hash(request.body).hexadecimal
        let canonical = AWSCanonicalRequest(
            method: request.method,
            url: try #require(URL(string: "http://127.0.0.1:\(server.port)\(request.target)")),
            fields: HTTPHeaders(names.map { .init(name: String($0), value: request.headers[String($0)] ?? "") }),
            payloadHash: hash,
            pathRule: service == "s3" ? .exact : .normalized
        )
        let signature = key.signature(of: canonical)
        #expect(
            authorization == key.authorization(canonical, signature: signature),
            sourceLocation: sourceLocation
        )
        if !["UNSIGNED-PAYLOAD", AWSPayloadHash.streaming].contains(where: { $0 == hash }) {
            #expect(hash == SHA256.hash(request.body).hexadecimal, sourceLocation: sourceLocation)
        }
        return (key, signature)
    }

    /// Returns content that differs in each place.
    private func content(_ count: Int) -> Data {
        var generator = SeededGenerator(count)
        return generator.bytes(count)
    }

    @Test("Requests arrive as they were signed", arguments: TestTransport.allCases, ["s3", "execute-api"])
    func requests(_ transport: TestTransport, _ service: String) async throws {
        let manager = makeManager(transport, service: service)
        let file = try folder.file("content", content(200_000))
        for path in ["", "a", "a%20b/%E2%82%AC%2F(x)", "a//b", "?a=&a=b&c&b=+%2B%20", "ü ?q=é"] {
            for body: RequestBody? in [nil, .data(Data("content".utf8)), .file(file), .file(file, from: 7, length: 9)] {
                let method: HTTPMethod = body == nil ? .get : .put
                let end = await manager.request(
                    method,
                    server.url("/\(path)"),
                    body: body,
                    headers: ["X-Amz-Meta-A": " a  é\tb ", "X-Other": "c", "User-Agent": "d"]
                ).response()
                #expect(end.error?.underlyingError == nil)
                let request = try #require(server.requests.last)
                try verified(request, service: service)
                #expect((request.headers["X-Amz-Content-SHA256"] != nil) == (service == "s3"))
            }
        }
        #expect(server.requests.count == 24)
    }

    @Test("Each attempt has a new signature", arguments: [AWSSignature.Payload.signed, .streaming])
    func attempts(_ payload: AWSSignature.Payload) async throws {
        server.route("/key", .status(503), .status(200))
        let manager = makeManager(.curl, payload)
        manager.interceptors.call = [
            ClosureInterceptor { request, _, next in
                let response = try await next(request)
                return response.statusCode == 503 ? try await next(request) : response
            }
        ]
        let file = try folder.file("content", content(100_000))
        #expect(await manager.put("key", body: .file(file)).response().error == nil)
        let signatures = try server.requests(to: "/key").map { try verified($0).signature }
        #expect(signatures.count == 2 && signatures[0] != signatures[1])
        for request in server.requests(to: "/key") where payload == .streaming {
            let (key, signature) = try verified(request)
            #expect(request.body == coded(content(100_000), key, signature))
        }
    }

    private func coded(_ content: Data, _ key: AWSSigningKey, _ signature: String) -> Data {
        var coder = AWSChunkedCoder(key, after: signature)
        return coder.code(content) + coder.finish()
    }

    @Test("Files, streams and produced content are sent in signed chunks, and data with its hash")
    func streaming() async throws {
        server.route("/key", .status(200))
        let manager = makeManager(.curl, .streaming)
        let whole = content(200_000)
        let file = try folder.file("content", whole)
        let bodies: [(RequestBody, Data)] = [
            (.file(file), whole), (.file(file, from: 5, length: 70_000), whole[5..<70_005]),
            (.stream(length: 200_000) { InputStream(data: whole) }, whole),
            (.sequence(length: 200_000, making: { Chunks(whole) }), whole),
            (.writer(length: 200_000) { try await $0.write(whole) }, whole),
            (.writer(length: 0) { try await $0.finish() }, Data()),
        ]
        for (body, content) in bodies {
            let end = await manager.put("key", body: body, headers: ["Content-Encoding": "gzip"]).response()
            #expect(end.error?.underlyingError == nil && end.httpResponse?.statusCode == 200)
            let request = try #require(server.requests.last)
            let (key, signature) = try verified(request)
            #expect(request.body == coded(content, key, signature))
            #expect(request.headers["Content-Length"] == "\(request.body.count)")
            #expect(request.headers["X-Amz-Decoded-Content-Length"] == "\(content.count)")
            #expect(request.headers["X-Amz-Content-SHA256"] == "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")
            #expect(request.headers["Content-Encoding"] == "aws-chunked,gzip")
        }
        _ = await manager.put("key", body: .data(whole)).response()
        let request = try #require(server.requests.last)
        try verified(request)
        #expect(request.body == whole && request.headers["Content-Encoding"] == nil)
    }

    @Test("Produced content with a wrong length ends the call, and the server never has all of it")
    func wrongLength() async throws {
        let manager = makeManager(.curl, .streaming)
        for count in [9, 11] {
            let body = RequestBody.writer(length: 10) { try await $0.write(Data(count: count)) }
            #expect(await manager.put("key", body: body).response().error?.code == .bodyUnreadable)
        }
        #expect(server.requests.isEmpty)
    }

    @Test("Content that cannot be signed is refused, and nothing is sent")
    func refusedContent() async throws {
        let stream = RequestBody.stream { InputStream(data: Data("abc".utf8)) }
        let form = RequestBody.multipart { $0.append(text: "abc", name: "a") }
        for (payload, body) in [(AWSSignature.Payload.signed, stream), (.signed, form), (.streaming, stream)] {
            let end = await makeManager(.curl, payload).put("key", body: body).response()
            #expect(end.error?.code == .unsupported && end.error?.message.contains("unsigned") == true)
        }
        var request = URLRequest(url: server.url("/key"))
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(data: Data("abc".utf8))
        let end = await makeManager(.curl, .streaming).dataTask(with: request).response()
        #expect(end.error?.code == .unsupported)
        let missing = RequestBody.file(folder.url.appendingPathComponent("none"))
        #expect(await makeManager().put("key", body: missing).response().error?.code == .fileUnreadable)
        #expect(server.requests.isEmpty)
    }

    @Test("Unsigned content of every kind is sent as it is", arguments: TestTransport.allCases)
    func unsigned(_ transport: TestTransport) async throws {
        let manager = makeManager(transport, .unsigned, service: "execute-api")
        let bodies: [RequestBody] = [
            .data(Data("abc".utf8)), .file(try folder.file("a", Data("abc".utf8))),
            .stream { InputStream(data: Data("abc".utf8)) },
        ]
        for body in bodies {
            #expect(await manager.put("key", body: body).response().error?.underlyingError == nil)
            let request = try #require(server.requests.last)
            try verified(request, service: "execute-api")
            #expect(request.body == Data("abc".utf8))
            #expect(request.headers["X-Amz-Content-SHA256"] == "UNSIGNED-PAYLOAD")
        }
    }

    @Test("The hash that the program gives is used")
    func ownHash() async throws {
        let stream = RequestBody.stream { InputStream(data: Data("abc".utf8)) }
        let headers: HTTPHeaders = ["x-amz-content-sha256": SHA256.hash(Data("abc".utf8)).hexadecimal]
        _ = await makeManager().put("key", body: stream, headers: headers).response()
        try verified(try #require(server.requests.last))
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
            let names = request.headers.map(\.name.inLowercase)
            #expect(!names.contains { $0 == "authorization" || $0.begins(with: "x-amz-") })
        }
    }

    @Test("With the rules of S3, requests to subdomains are signed too")
    func subdomains() throws {
        let url = try #require(URL(string: "https://s3.eu-central-1.amazonaws.com"))
        let (storage, gateway) = (AWSExamples.signature(for: url), AWSExamples.signature(service: "es", for: url))
        for (text, isSigned) in [
            ("https://s3.eu-central-1.amazonaws.com/a", true), ("https://bucket.s3.eu-central-1.amazonaws.com/a", true),
            ("http://s3.eu-central-1.amazonaws.com/a", false), ("https://s3.eu-central-1.amazonaws.com:8443", false),
            ("https://xs3.eu-central-1.amazonaws.com/", false), ("https://amazonaws.com/", false),
        ] {
            let target = URL(string: text)
            #expect(storage.signs(target) == isSigned, "\(text)")
            #expect(gateway.signs(target) == (isSigned && !text.contains("bucket")), "\(text)")
        }
        #expect(!storage.signs(nil))
    }

    @Test("A presigned URL needs no credentials, and covers only fields that its user knows")
    func presignedURL() async throws {
        var request = URLRequest(url: server.url("/a%20b?c=d+e&X-Amz-Signature=old#f"))
        request.httpMethod = "PUT"
        request.headers = ["Content-Type": "a/b", "Accept": "*/*", "X-Amz-Acl": "private"]
        let signature = AWSExamples.signature(credentials, for: server.baseURL)
        let url = try await signature.presignedURL(for: request, lifetime: .seconds(60))
        _ = await TestTransport.curl.makeManager().dataTask(with: URLRequest(url: url)).response()
        let received = try #require(server.requests.last)
        #expect(received.query("X-Amz-SignedHeaders") == "content-type;host;x-amz-acl")
        #expect(received.query("X-Amz-Security-Token") == "t0ken/+=" && received.query("c") == "d e")
        let (target, value) = try #require(received.target.components(separatedBy: "&X-Amz-Signature=").pair)
        let canonical = AWSCanonicalRequest(
            method: "PUT",
            url: try #require(URL(string: "http://h\(target)")),
            fields: ["Content-Type": "a/b", "X-Amz-Acl": "private", "Host": "127.0.0.1:\(server.port)"],
            payloadHash: AWSPayloadHash.unsigned,
            pathRule: .exact
        )
        let key = AWSSigningKey(credentials, region: "us-east-1", service: "s3", date: AWSExamples.storageDate)
        #expect(value == key.signature(of: canonical))
        for seconds in [0, 604_801] {
            await #expect(throws: LarkspurError.self) {
                try await signature.presignedURL(for: request, lifetime: .seconds(seconds))
            }
        }
    }

    // MARK: Secrets

    @Test("No description, log or error shows the secret, the token or a signature")
    func secrets() async throws {
        let manager = makeManager()
        let task = manager.get("key")
        let end = await task.response()
        let request = try #require(end.request)
        let signature = AWSExamples.signature(credentials, for: server.baseURL)
        let url = try await signature.presignedURL(for: URLRequest(url: server.url("/key")))
        var texts = [
            "\(credentials)", String(reflecting: credentials), "\(signature)",
            "\(AWSCredentialSource.fixed(credentials))",
            request.cURLDescription(), "\(request.headers)", "\(task)", Redaction.standard.text(of: url),
            URLRequest(url: url).cURLDescription(), "\(request.headers.debugDescription)",
        ]
        var dumped = ""
        dump((credentials, signature, AWSCredentialSource.fixed(credentials)), to: &dumped)
        dump(AWSSigningKey(credentials, region: "r", service: "s", date: AWSExamples.suiteDate), to: &dumped)
        texts.append(dumped)
        let authorization = try #require(server.requests.last?.headers["Authorization"])
        let own = try #require(authorization.components(separatedBy: "Signature=").last)
        let presigned = try #require(url.absoluteString.components(separatedBy: "X-Amz-Signature=").last)
        for text in texts {
            for secret in ["s3cret", "t0ken", own, presigned, "AKIDCANARY%2F"] {
                #expect(!text.contains(secret), "\(text)")
            }
        }
    }

    @Test("Without credentials nothing is sent, and the error is that of the source")
    func noCredentials() async throws {
        struct Locked: Error {}
        for (source, code) in [
            (AWSCredentialSource.closure { throw Locked() }, LarkspurError.Code.interceptionFailed),
            (.environment { [:] }, .credentialRefreshFailed),
        ] {
            let manager = TestTransport.curl.makeManager(for: server)
            manager.interceptors.attempt = [
                .awsSignature(service: "s3", region: "r", credentials: source, for: server.baseURL)
            ]
            let error = await manager.get("key").response().error
            #expect(error?.code == code)
        }
        #expect(server.requests.isEmpty)
    }
}

extension [String] {
    /// The elements, if there are two.
    fileprivate var pair: (String, String)? { count == 2 ? (self[0], self[1]) : nil }
}

/// A sequence of the parts of data.
private struct Chunks: AsyncSequence, Sendable {
    let data: Data

    init(_ data: Data) { self.data = data }

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: Data

        mutating func next() async -> Data? {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(30_000) }
            return rest.prefix(30_000)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: data) }
}
