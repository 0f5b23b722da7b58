import HTTPSyntax
import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

/// Whatever leads a request to another origin, it has none of these fields there.
@Suite("Fields that carry credentials", .timeLimit(.minutes(5)))
struct CredentialFieldTests {
    private static let names = [
        "Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "Api-Key", "X-Auth-Token", "Private-Token",
        "X-Auth-Key", "X-Vault-Token", "X-Csrf-Token", "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key", "X-Ticket",
        "X-Session-Id", "Dpop", "X-Creds",
    ]
    private static let harmless = [
        "Idempotency-Key", "Range", "X-Trace", "X-Author", "Content-Language", "Traceparent",
    ]

    private let server: LoopbackServer
    private let other: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        other = try LoopbackServer()
        other.route("*", .json("[2]"))
    }

    private static var fields: HTTPHeaders {
        HTTPHeaders((names + harmless).map { HTTPHeaders.Field(name: $0, value: "bytes=0-1") })
    }

    private func checkStrangers(_ names: [String] = names) throws {
        let request = try #require(other.requests.last)
        for name in names { #expect(request.headers[name] == nil, "\(name)") }
        #expect(request.headers["User-Agent"] != nil)
    }

    @Test("The name of a field decides whether it carries credentials")
    func rule() {
        for name in Self.names { #expect(CredentialField.matches(name) && CredentialField.matches(name.uppercased())) }
        for name in Self.harmless + ["Accept", "User-Agent", "Accept-Language", "X-Idempotency-Key"] {
            #expect(!CredentialField.matches(name), "\(name)")
        }
    }

    @Test("A redirected call sends no fields with credentials", arguments: TestTransport.allCases)
    func redirects(_ transport: TestTransport) async throws {
        server.route("/from", .redirect(to: other.url("/there").absoluteString, status: 307))
        let manager = transport.makeManager(for: server)

        _ = try await manager.get("from", headers: Self.fields).data

        try checkStrangers()
        // FoundationNetworking does not send a proxy's credentials at all.
        #expect(server.requests.last?.headers["X-Api-Key"] != nil)
        for name in Self.harmless { #expect(other.requests.last?.headers[name] != nil, "\(name)") }
    }

    @Test("The next page is requested without fields with credentials", arguments: TestTransport.allCases)
    func pages(_ transport: TestTransport) async throws {
        server.route("/list", .json("[1]").adding("Link", "<\(other.url("/list"))>; rel=next"))
        let manager = transport.makeManager(for: server)
        var numbers: [Int] = []

        for try await page in manager.pages("list", headers: Self.fields, as: [Int].self, by: .links) {
            numbers += page
        }

        #expect(numbers == [1, 2])
        try checkStrangers()
    }

    @Test("The resource of an upload gets no fields with credentials")
    func uploads() async throws {
        server.route("/files", .status(201, headers: ["Location": other.url("/1").absoluteString]))
        other.route("/1", .status(204, headers: ["Upload-Offset": "2", "Tus-Resumable": "1.0.0"]))
        let manager = TestTransport.curl.makeManager(for: server)

        _ = await manager.upload(
            "files",
            from: .data(Data("ab".utf8)),
            headers: Self.fields,
            resumable: .tus(metadata: [:])
        )
        .response()

        try checkStrangers(Self.names + ["X-Trace"])
    }
}
