#if canImport(FoundationNetworking)
import Larkspur

/// The samples of `Docs/UntrustedURLs.md`, each between two markers.
struct UntrustedURLSamples: Sendable {
    let output = Recorder<String>()

    private func print(_ items: Any...) {
        output.record(items.map { "\($0)" }.joined(separator: " "))
    }

    func limits() -> SessionManager {
        // sample: limits for URLs of strangers
        let limits = UntrustedURLLimits(
            allowedAddresses: .matching { $0.isPublic || $0.bytes.starts(with: [10, 1]) },
            allowedPorts: [80, 443, 8443],
            maximumRedirects: 2,
            maximumResponseSize: 1 << 20,
            totalTime: .seconds(10)
        )
        let manager = SessionManager(forUntrustedURLs: limits)
        // end
        return manager
    }

    func details(of error: LarkspurError) {
        // sample: details of a refusal
        if let failure = (error.underlyingError as? URLError)?.accessFailure {
            print(failure.reason, failure.host, failure.address.map { "\($0)" } ?? "no address")
        }
        // end
    }

    func proxy() -> SessionManager {
        // sample: a proxy that checks addresses
        let manager = SessionManager(
            forUntrustedURLs: UntrustedURLLimits(allowedAddresses: .publicOnly(proxy: .trusted))
        )
        // end
        return manager
    }

    func session() -> CurlURLSession {
        // sample: limits of a session
        var options = CurlURLSession.Options()
        options.allowedAddresses = .publicOnly
        options.allowedPorts = [80, 443]
        options.maximumRedirects = 5
        options.maximumResponseSize = 10 << 20
        let session = CurlURLSession(configuration: .ephemeral, options: options)
        // end
        return session
    }
}
#endif
