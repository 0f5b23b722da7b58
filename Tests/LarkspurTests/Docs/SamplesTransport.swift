#if canImport(FoundationNetworking)
import Larkspur

/// The samples of `README.md` and `Docs/Linux.md` about the transport of a session manager, each between two markers.
struct TransportSamples: Sendable {
    let output = Recorder<String>()

    private func print(_ item: Any) { output.record("\(item)") }

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
