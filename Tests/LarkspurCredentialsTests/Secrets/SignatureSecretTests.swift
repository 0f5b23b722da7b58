import HTTPSyntax
import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCredentials

/// Looks for the keys and the signatures of AWS wherever a program prints or stores something, and at another origin.
@Suite("No key and no signature leaks", .timeLimit(.minutes(5)))
struct SignatureSecretTests {
    private static let credentials = AWSCredentials(
        accessKeyID: "AKIDCANARY",
        secretAccessKey: "s3cret-canary",
        sessionToken: "t0ken/+=canary"
    )
    private static let keys = ["s3cret-canary", "t0ken/+=canary"]

    let server: LoopbackServer
    let other: LoopbackServer
    let folder = TemporaryFolder()

    init() throws { (server, other) = (try LoopbackServer(), try LoopbackServer()) }

    /// The requests that another origin has got, as text.
    private var elsewhere: [(place: String, text: String)] {
        other.requests.map { ("another origin", "\($0.target) \($0.headers) \($0.text)") }
    }

    @Test(
        "A signed request, its retries, redirects and failures",
        arguments: [
            (AWSSignature.Payload.signed, 200), (.signed, 302), (.signed, 307), (.signed, 500), (.unsigned, 307),
            (.streaming, 200), (.streaming, 500),
        ]
    )
    func signed(_ payload: AWSSignature.Payload, status: Int) async throws {
        let places = try PrintedPlaces(server, in: folder, isRecorded: payload != .streaming)
        let signature = AWSExamples.signature(Self.credentials, payload: payload, for: server.baseURL)
        places.manager.interceptors.call = [.retry(baseDelay: .zero)]
        places.manager.interceptors.attempt = [signature]
        let end: LoopbackServer.Response =
            300..<400 ~= status ? .redirect(to: other.url("/there").absoluteString, status: status) : .status(status)
        server.route("/key", .status(503), end)
        other.route("/there", .text("there"))
        let file = try folder.file("content", Data(repeating: 0x61, count: 100_000))
        let body: RequestBody = payload == .streaming ? .file(file) : .data(Data("content".utf8))
        let task = places.manager.put("key", body: body)
        let response = await task.response()
        places.record(task)
        places.record("response", text: "\(response) \(String(reflecting: response))")
        for value in [Self.credentials, signature, AWSCredentialSource.fixed(Self.credentials)] as [any Sendable] {
            places.record("value", value)
        }
        if status == 500 { places.record(try #require(response.error)) }

        let sent = server.requests(to: "/key")
        #expect(sent.count >= 2)
        var secrets = Self.keys
        for request in sent {
            #expect(request.headers["X-Amz-Security-Token"] == "t0ken/+=canary")
            let authorization = try #require(request.headers["Authorization"])
            secrets.append(try #require(authorization.components(separatedBy: "Signature=").last))
        }
        #expect(secrets.allSatisfy { !$0.isEmpty } && secrets.dropFirst(2).allSatisfy { $0.utf8.count == 64 })
        #expect(other.requests.isEmpty == !(300..<400 ~= status))
        for request in other.requests {
            let names = request.headers.map(\.name.inLowercase)
            #expect(!names.contains { $0 == "authorization" || $0.begins(with: "x-amz-") })
        }
        let texts = try await places.texts("task", "response", "value")
        expectNone(of: secrets, in: texts + elsewhere)
    }

    @Test("A page at another origin has no signature and no token, even if its origin is one of the service's")
    func pages() async throws {
        let places = try PrintedPlaces(server, in: folder)
        places.manager.interceptors.attempt = [
            AWSSignature(
                service: "s3",
                region: "r",
                credentials: .fixed(Self.credentials),
                for: server.baseURL,
                other.baseURL
            )
        ]
        server.route("/list", .json("[1]").adding("Link", "<\(other.url("/list"))>; rel=next"))
        other.route("/list", .json("[2]"))
        var pages: [[Int]] = []
        for try await page in places.manager.pages("list", as: [Int].self, by: .links) { pages.append(page) }
        #expect(pages == [[1], [2]])
        let authorization = try #require(server.requests.first?.headers["Authorization"])
        let signature = try #require(authorization.components(separatedBy: "Signature=").last)
        expectNone(of: Self.keys + [signature], in: try await places.texts() + elsewhere)
        let names = other.requests.flatMap { $0.headers.map(\.name.inLowercase) }
        #expect(!names.isEmpty && !names.contains { $0 == "authorization" || $0.begins(with: "x-amz-") })
    }

    @Test(
        "The credentials in a response of STS are read, and neither printed nor recorded",
        arguments: ["text/xml", "application/xml", "application/soap+xml", nil],
        [200, 400]
    )
    func temporaryCredentials(_ type: String?, status: Int) async throws {
        let places = try PrintedPlaces(server, in: folder)
        places.manager.interceptors.attempt = [AWSExamples.signature(Self.credentials, for: server.baseURL)]
        let keys = "<SecretAccessKey>1ssued-canary</SecretAccessKey><SessionToken>t0ken-canary</SessionToken>"
        let role = "<AssumedRoleUser><Arn>arn:aws:sts::1:role/a</Arn></AssumedRoleUser>"
        let xml = """
            <AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult>\(role)\(keys)\
            <Credentials><AccessKeyId>ASIACANARY</AccessKeyId>\(keys)</Credentials></AssumeRoleResult></AssumeRoleResponse>
            """
        // The second response has been cut off within a secret.
        let cut = (xml.components(separatedBy: "1ssued").first ?? "") + "1ssued-ca"
        let texts = [xml, cut].map { text in
            var response = LoopbackServer.Response.data(Data(text.utf8), status: status)
            response.headers["Content-Type"] = type
            return response
        }
        server.route("/sts", texts[0], texts[1])
        for expected in [xml, cut] {
            let task = places.manager.post("sts", parameters: ["Action": "AssumeRole"])
            let response = await task.response()
            #expect(response.data == Data(expected.utf8))
            places.record(task)
            places.record("response", text: "\(response) \(String(reflecting: response))")
            if status == 400 { places.record(try #require(response.error)) }
        }
        let found = try await places.texts("task", "response")
        for place in ["log", "archive", "cassette"] {
            #expect(found.contains { $0.place == place && $0.text.contains("AssumedRoleUser") }, "\(place)")
        }
        expectNone(of: ["1ssued", "t0ken-canary", "ASIACANARY"] + Self.keys, in: found + elsewhere)
    }

    @Test("A presigned URL is sent, and its signature, token and key are not printed", arguments: [200, 302, 404])
    func presigned(_ status: Int) async throws {
        let places = try PrintedPlaces(server, in: folder)
        let signature = AWSExamples.signature(Self.credentials, for: server.baseURL)
        let url = try await signature.presignedURL(for: URLRequest(url: server.url("/key?part=1")))
        let end: LoopbackServer.Response =
            status == 302 ? .redirect(to: other.url("/there").absoluteString) : .text("done", status: status)
        server.route("/key", end)
        other.route("/there", .text("there"))
        let task = places.manager.get(url)
        let response = await task.response()
        places.record(task)
        places.record("redacted", text: Redaction.standard.text(of: url))
        places.record(LarkspurError(.unsupported, "It failed.", failingURL: url))
        if status == 404 { places.record(try #require(response.error)) }

        let request = try #require(server.requests.first)
        let value = try #require(request.query("X-Amz-Signature"))
        #expect(value.utf8.count == 64 && request.query("X-Amz-Security-Token") == "t0ken/+=canary")
        #expect(request.query("X-Amz-Credential")?.hasPrefix("AKIDCANARY/") == true)
        let texts = try await places.texts("task", "redacted", "error")
        // The archive of a recorded call has the last request only.
        #expect(status == 302 || texts.contains { $0.place == "archive" && $0.text.contains("X-Amz-Signature") })
        #expect(texts.contains { $0.place == "cassette" && $0.text.contains("X-Amz-Signature") })
        #expect(other.requests.count == (status == 302 ? 1 : 0))
        expectNone(of: Self.keys + [value, "AKIDCANARY"], in: texts + elsewhere)
    }
}
