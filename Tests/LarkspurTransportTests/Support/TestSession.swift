#if canImport(FoundationNetworking)
import LarkspurTransport

/// The sessions that a program may be given without knowing which.
enum TestSession: String, CaseIterable, Sendable {
    case curl
    case foundation

    func make(
        _ configuration: URLSessionConfiguration = .testing,
        delegate: (any URLSessionDelegate)? = nil,
        queue: OperationQueue? = nil
    ) -> URLSession {
        switch self {
        case .curl: CurlURLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
        case .foundation: URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
        }
    }
}

extension URLSessionConfiguration {
    /// A configuration that shares nothing with other tests.
    static func testing(_ change: (URLSessionConfiguration) -> Void) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.testing
        change(configuration)
        return configuration
    }
}

extension URLRequest {
    init(_ url: URL, _ method: String, body: Data? = nil, timeout: TimeInterval = 60, headers: [String: String] = [:]) {
        self.init(url: url, timeoutInterval: timeout)
        httpMethod = method
        httpBody = body
        for (name, value) in headers { setValue(value, forHTTPHeaderField: name) }
    }
}
#endif
