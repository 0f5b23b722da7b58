#if canImport(FoundationNetworking)
import LarkspurTransport

/// The samples of `Docs/Authentication.md` that do with LarkspurTransport alone.
final class ChallengeSamples: NSObject, URLSessionTaskDelegate {
    // sample: delegate of a challenge
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard challenge.previousFailureCount == 0 else {
            return completionHandler(.performDefaultHandling, nil)
        }
        completionHandler(.useCredential, URLCredential(user: "ada", password: "secret", persistence: .forSession))
    }
    // end

    static func ticket(
        _ completionHandler: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // sample: ticket
        completionHandler(.useCredential, URLCredential(user: "", password: "", persistence: .none))
        // end
    }

    static func proxy() -> CurlURLSession {
        // sample: proxy with a password
        var options = CurlURLSession.Options()
        options.proxy = .server(ProxyServer(host: "proxy.example.com", port: 3128, user: "ada", password: "secret"))
        let session = CurlURLSession(configuration: .default, options: options)
        // end
        return session
    }
}
#endif
