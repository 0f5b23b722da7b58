import LarkspurCredentials
import TestSupport

/// The samples about OAuth 2, each between two markers; what they print is noted.
struct OAuth2Samples: Sendable {
    let manager: SessionManager
    let tokens: SessionManager
    let registry: URL
    let output = Recorder<String>()

    private func print(_ item: Any) { output.record("\(item)") }

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
}
