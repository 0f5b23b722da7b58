#if canImport(FoundationNetworking)
import Larkspur

/// The samples of `Docs/Cookies.md`, each between two markers; what they print is recorded.
struct CookieSamples: Sendable {
    let output = Recorder<String>()

    private func print(_ item: Any) { output.record("\(item)") }

    func ephemeral() -> SessionManager {
        // sample: jar of an ephemeral configuration
        let configuration = URLSessionConfiguration.ephemeral

        let manager = SessionManager(configuration: configuration)
        // end
        return manager
    }

    func ownJar() -> SessionManager {
        // sample: jar of its own
        let configuration = URLSessionConfiguration.default
        configuration.httpCookieStorage = URLSessionConfiguration.ephemeral.httpCookieStorage

        let manager = SessionManager(configuration: configuration)
        // end
        return manager
    }

    func noJar() -> SessionManager {
        // sample: no cookies
        let configuration = URLSessionConfiguration.default
        configuration.httpCookieStorage = nil

        let manager = SessionManager(configuration: configuration)
        // end
        return manager
    }

    func byHand(_ manager: SessionManager) async throws {
        // sample: cookies by hand
        let text = try await manager.get("account", headers: ["Cookie": "sid=31d4; theme=dark"]).string
        print(text)
        // end
    }

    func jarWithFile() -> SessionManager {
        // sample: jar with a file
        let configuration = URLSessionConfiguration.default
        configuration.httpCookieStorage = .sharedCookieStorage(forGroupContainerIdentifier: "com.example.tool.ada")

        let manager = SessionManager(configuration: configuration)
        // end
        return manager
    }

    func cookieFile(_ file: URL) throws -> (CookieFile, SessionManager) {
        // sample: jar with a file of its own
        let configuration = URLSessionConfiguration.ephemeral
        let cookies = try CookieFile(file, of: configuration.httpCookieStorage ?? .shared)

        let manager = SessionManager(configuration: configuration)
        // end
        return (cookies, manager)
    }

    func saving(_ cookies: CookieFile) async throws {
        // sample: jar that is saved
        try await cookies.save()
        // end
    }

    func reading(_ manager: SessionManager) {
        // sample: cookies of a manager
        for cookie in manager.session.configuration.httpCookieStorage?.cookies ?? [] {
            print("\(cookie.name) for \(cookie.domain)\(cookie.path)")
        }
        // end
    }

    func setting(_ jar: HTTPCookieStorage) {
        // sample: cookie of the program's
        let cookie = HTTPCookie(properties: [
            .name: "theme", .value: "dark", .domain: "api.example.com", .path: "/", .secure: "TRUE",
        ])
        if let cookie { jar.setCookie(cookie) }
        // end
    }

    func reset(_ manager: SessionManager) {
        // sample: reset of a session
        manager.session.reset {
            print("cookies, credentials and cache are empty")
        }
        // end
    }

    func clearing(_ jar: HTTPCookieStorage) {
        // sample: cookies deleted
        for cookie in jar.cookies ?? [] { jar.deleteCookie(cookie) }
        // end
    }
}
#endif
