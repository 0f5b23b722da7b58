import LarkspurCredentials
import TestSupport

/// The samples about OAuth 2 and netrc files, each between two markers; what they print is noted.
struct CredentialsSamples: Sendable {
    let manager: SessionManager
    let tokens: SessionManager
    let registry: URL
    let output = Recorder<String>()

    private var baseURL: URL { registry }

    private func print(_ item: Any) { output.record("\(item)") }

    func clientCredentials(_ secret: String) async throws {
        // sample: client credentials
        let server = try await OAuth2Server(discovering: "https://id.example.com", manager: manager)
        let client = OAuth2Client("app", secret: secret, server: server, manager: manager)
        manager.interceptors.call = [.clientCredentials(client, scope: "read", for: baseURL)]

        print(try await manager.get("report").string)
        // end
    }

    func device(_ client: OAuth2Client) async throws {
        // sample: device
        let credential = try await client.authorizeDevice(scope: "notes") { code in
            print("Open \(code.verificationURL) and enter \(code.userCode).")
        }
        manager.interceptors.call = [.authentication(credential, authenticator: client.authenticator(), for: baseURL)]
        // end
    }

    func browser(_ client: OAuth2Client) async throws -> OAuth2Credential {
        // sample: browser
        let credential = try await client.authorizeInBrowser(scope: "notes") { url in
            print("Open \(url.absoluteString)")
        }
        // end
        return credential
    }

    func registryToken() async throws {
        // sample: registry
        manager.interceptors.call = [
            .bearerChallenge(for: registry) { challenge in
                guard challenge["realm"] == "https://auth.example.com/token" else { return nil }
                let scope = ["service": challenge["service"], "scope": challenge["scope"]]
                let url = "https://auth.example.com/token"
                return try await tokens.get(url, parameters: .encodable(scope)).value()["token"].string
            }
        ]
        print(try await manager.get("v2/tea/manifests/latest").string)
        // end
    }

    func shared(
        _ credential: OAuth2Credential?,
        _ client: OAuth2Client,
        _ store: any SharedStore,
        _ key: Data
    ) throws -> AuthenticationInterceptor<OAuth2Credential> {
        // sample: shared
        let login = AuthenticationInterceptor(
            credential,
            authenticator: client.authenticator(),
            sharedIn: try store.encrypted(with: key),
            key: "login/ada",
            for: baseURL
        )
        // end
        return login
    }

    func netrc() throws {
        // sample: netrc
        if let netrc = try Netrc.ofUser() {
            manager.interceptors.call.append(.netrc(netrc))
        }
        // end
    }
}
