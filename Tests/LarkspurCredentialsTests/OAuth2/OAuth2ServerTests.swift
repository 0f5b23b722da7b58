import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCredentials

@Suite("Metadata of authorization servers", .timeLimit(.minutes(5)))
struct OAuth2ServerTests {
    @Test(
        "The document of an issuer is between its host and its path, or after its path",
        arguments: [
            ("https://id.test", "https://id.test/.well-known/oauth-authorization-server", ""),
            ("https://id.test/", "https://id.test/.well-known/oauth-authorization-server", ""),
            ("https://id.test:8443/a/b", "https://id.test:8443/.well-known/oauth-authorization-server/a/b", "/a/b"),
            ("https://id.test/a%2Fb/", "https://id.test/.well-known/oauth-authorization-server/a%2Fb", "/a%2Fb"),
        ]
    )
    func location(_ issuer: String, _ oauth: String, _ path: String) throws {
        #expect(try OAuth2Server.location(of: .oauth, for: issuer).absoluteString == oauth)
        let openID = try OAuth2Server.location(of: .openID, for: issuer)
        #expect(openID.path(percentEncoded: true) == path + "/.well-known/openid-configuration")
    }

    @Test(
        "An issuer is an http or https URL without a query and a fragment",
        arguments: [
            "", "id.test", "ftp://id.test", "https://", "https://id.test?a", "https://id.test#a", "https://a:b@id.test",
            "https://id.test?", "file:///a",
        ]
    )
    func invalidIssuer(_ issuer: String) {
        let error = #expect(throws: LarkspurError.self) { try OAuth2Server.location(of: .oauth, for: issuer) }
        #expect(error?.code == .invalidURL)
    }

    private func metadata(_ issuer: String, _ more: String = "") -> String {
        """
        {"issuer": "\(issuer)", "token_endpoint": "\(issuer)/token", "authorization_endpoint": "\(issuer)/authorize",
         "device_authorization_endpoint": "\(issuer)/device"\(more)}
        """
    }

    @Test("The endpoints are those of the server's document", arguments: TestTransport.allCases)
    func discovery(_ transport: TestTransport) async throws {
        let fake = try AuthorizationServer(transport)
        let issuer = fake.issuer + "/tenant"
        let more = #", "authorization_response_iss_parameter_supported": true, "#
        let methods = #""code_challenge_methods_supported": ["plain", "S256"]"#
        let document = LoopbackServer.Response.json(metadata(issuer, more + methods))
        let plain = metadata(issuer, #", "code_challenge_methods_supported": ["plain"]"#)
        fake.loopback.route("/.well-known/oauth-authorization-server/tenant", document)
        fake.loopback.route("/tenant/.well-known/openid-configuration", .json(plain))
        fake.manager.interceptors.call = [.adapting { $0.headers["X-Secret"] = "s" }]

        let server = try await OAuth2Server(discovering: issuer, manager: fake.manager)
        #expect(server.issuer == issuer && server.tokenEndpoint.absoluteString == issuer + "/token")
        #expect(server.authorizationEndpoint?.absoluteString == issuer + "/authorize")
        #expect(server.deviceAuthorizationEndpoint?.absoluteString == issuer + "/device")
        #expect(server.sendsIssuer && server.supportsS256)
        let openID = try await OAuth2Server(discovering: issuer, metadata: .openID, manager: fake.manager)
        #expect(!openID.sendsIssuer && !openID.supportsS256)
        #expect(fake.loopback.requests.allSatisfy { $0.headers["X-Secret"] == nil })
    }

    @Test(
        "A document of another issuer, or without valid endpoints, is refused",
        arguments: [
            ("ISSUER", "ISSUER/", "another issuer"), ("ISSUER", "issuer", "another issuer"),
            ("\"issuer\"", "\"x\"", "names no issuer"), ("token_endpoint", "x", "no token endpoint"),
            ("ISSUER/token", "/token", "invalid token_endpoint"),
            ("ISSUER/authorize", "ftp://id.test/", "invalid authorization_endpoint"),
            ("{", "[", "names no issuer"),
        ]
    )
    func invalid(_ old: String, _ new: String, _ reason: String) async throws {
        let fake = try AuthorizationServer()
        let document = metadata("ISSUER").replacing(old, with: new, maxReplacements: 1)
            .replacing("ISSUER", with: fake.issuer)
        fake.loopback.route("/.well-known/oauth-authorization-server", .json(document))
        let error = await #expect(throws: LarkspurError.self) {
            try await OAuth2Server(discovering: fake.issuer, manager: fake.manager)
        }
        #expect(error?.code == .authorizationFailed && error?.message.contains(reason) == true)
    }

    @Test("An https issuer has only https endpoints")
    func downgrade() async throws {
        let stub = StubTransport()
        let document = metadata("https://id.test").replacing("https://id.test/device", with: "http://id.test/device")
        stub.route("/.well-known/oauth-authorization-server", .json(document))
        let manager = SessionManager(transport: stub.transport)
        let error = await #expect(throws: LarkspurError.self) {
            try await OAuth2Server(discovering: "https://id.test", manager: manager)
        }
        #expect(error?.message.contains("invalid device_authorization_endpoint") == true)
    }

    @Test(
        "A redirect and a missing document are errors with the status",
        arguments: TestTransport.allCases,
        [302, 404]
    )
    func missing(_ transport: TestTransport, _ status: Int) async throws {
        let fake = try AuthorizationServer(transport)
        let answer = LoopbackServer.Response.redirect(to: "/other", status: status)
        fake.loopback.route("/.well-known/oauth-authorization-server", answer)
        let error = await #expect(throws: LarkspurError.self) {
            try await OAuth2Server(discovering: fake.issuer, manager: fake.manager)
        }
        #expect(error?.message.contains("status \(status)") == true && fake.loopback.requests.count == 1)
    }
}
