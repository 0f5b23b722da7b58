internal import HTTPSyntax

/// The limits of a session manager for URLs that the program has not chosen, such as those of webhooks, previews and
/// imports.
///
///     let manager = SessionManager(forUntrustedURLs: UntrustedURLLimits(maximumResponseSize: 1 << 20))
///
/// Only http and https URLs are loaded; other schemes end with the error `unsupportedURL`. No error of a limit is
/// retried by ``RetryPolicy``.
public struct UntrustedURLLimits: Sendable {
    /// The addresses to which connections may be opened. A call to another address ends with the error
    /// `addressNotAllowed`. Default: `publicOnly`, without proxies.
    public var allowedAddresses: AllowedAddresses
    /// The ports of URLs; nil for all ports. A call to another port ends with the error `portNotAllowed`. Default: 80
    /// and 443.
    public var allowedPorts: Set<Int>?
    /// The maximum number of redirects that a call follows. A call that receives another redirect ends with the error
    /// `tooManyRedirects`. Default: 5.
    public var maximumRedirects: Int
    /// The maximum number of bytes of the decoded content of a response, including downloads and streams. A response
    /// with more content ends the call with the error `contentTooLarge`. The messages of a WebSocket have a limit of
    /// their own. Default: 10 MiB.
    public var maximumResponseSize: Int
    /// The maximum time for a whole call, with all attempts, redirects and delays. It also limits each event stream and
    /// WebSocket. A call that takes longer ends with the error `timedOut`. Default: 30 seconds.
    public var totalTime: Duration

    /// The limits with all defaults.
    public static let standard = UntrustedURLLimits()

    /// Creates limits.
    /// - Parameters:
    ///   - allowedAddresses: The addresses to which connections may be opened. Default: `publicOnly`, without proxies.
    ///   - allowedPorts: The ports of URLs; nil for all ports. Default: 80 and 443.
    ///   - maximumRedirects: The maximum number of redirects that a call follows. Default: 5.
    ///   - maximumResponseSize: The maximum number of bytes of the decoded content of a response. Default: 10 MiB.
    ///   - totalTime: The maximum time for a whole call. Default: 30 seconds.
    public init(
        allowedAddresses: AllowedAddresses = .publicOnly,
        allowedPorts: Set<Int>? = [80, 443],
        maximumRedirects: Int = 5,
        maximumResponseSize: Int = 10 << 20,
        totalTime: Duration = .seconds(30)
    ) {
        self.allowedAddresses = allowedAddresses
        self.allowedPorts = allowedPorts
        self.maximumRedirects = maximumRedirects
        self.maximumResponseSize = maximumResponseSize
        self.totalTime = totalTime
    }

    /// The configuration of the sessions: nothing is stored, and nothing that other sessions have stored is used.
    var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        configuration.timeoutIntervalForResource = totalTime.timeInterval
        return configuration
    }
}
