#if canImport(FoundationNetworking)
import Larkspur

/// The samples of `README.md` and `Docs/Linux.md` about the transport of a session manager, each between two markers.
struct TransportSamples: Sendable {
    struct User: Codable, Sendable {
        var name: String
    }

    let output = Recorder<String>()

    private func print(_ items: Any...) { output.record(items.map { "\($0)" }.joined(separator: " ")) }

    func choice() -> [SessionManager] {
        // sample: choice of a transport
        let automatic = SessionManager()
        let curl = SessionManager(transport: .curl)
        let foundation = SessionManager(transport: .foundation)
        // end
        return [automatic, curl, foundation]
    }

    func transportInUse(_ manager: SessionManager) {
        // sample: transport in use
        print(manager.session is CurlURLSession ? "libcurl \(CurlURLSession.libcurlVersion ?? "")" : "Foundation")
        // end
    }

    func fromURLSession(_ configuration: URLSessionConfiguration, _ request: URLRequest) async throws {
        // sample: from a session to a session manager
        let session = CurlURLSession(configuration: configuration)
        let (data, _) = try await session.data(for: request)
        let old = try JSONDecoder().decode(User.self, from: data)

        let manager = SessionManager(configuration: configuration)
        let new = try await manager.dataTask(with: request).value(as: User.self)
        print(old.name, new.name)
        // end
    }

    func options() -> [URLSession] {
        // sample: options of the engine
        var options = CurlURLSession.Options()
        options.http2 = .never
        options.tls.minimumVersion = .tls13

        let manager = SessionManager(transport: .curl(options))
        let session = CurlURLSession(configuration: .default, options: options)
        // end
        return [manager.session, session]
    }
}
#endif
