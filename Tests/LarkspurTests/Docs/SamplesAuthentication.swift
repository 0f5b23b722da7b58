import Larkspur

/// The samples of `Docs/Authentication.md` that need a session manager.
struct AuthenticationSamples {
    func fields(_ manager: SessionManager) {
        // sample: authorization fields
        manager.requestSettings.setAuthorization(bearerToken: "secret")
        manager.requestSettings.setAuthorization(username: "ada", password: "secret")
        manager.requestSettings.clearAuthorization()
        // end
    }

    func hook(_ manager: SessionManager) {
        // sample: challenge of one host
        manager.hooks.challengeDisposition = { task, challenge in
            guard challenge.previousFailureCount == 0, challenge.protectionSpace.host == "api.example.com" else {
                return .performDefaultHandling
            }
            return .useCredential(URLCredential(user: "ada", password: "secret", persistence: .forSession))
        }
        // end
    }

    func storage() -> SessionManager {
        // sample: credential storage
        let space = URLProtectionSpace(
            host: "api.example.com",
            port: 443,
            protocol: "https",
            realm: "Customers",
            authenticationMethod: NSURLAuthenticationMethodHTTPDigest
        )
        let credential = URLCredential(user: "ada", password: "secret", persistence: .forSession)
        let configuration = URLSessionConfiguration.default
        configuration.urlCredentialStorage?.setDefaultCredential(credential, for: space)
        let manager = SessionManager(configuration: configuration)
        // end
        configuration.urlCredentialStorage?.remove(credential, for: space)
        return manager
    }

    func logout(_ storage: URLCredentialStorage) {
        // sample: logout
        for (space, credentials) in storage.allCredentials {
            for credential in credentials.values {
                storage.remove(credential, for: space)
            }
        }
        // end
    }
}
