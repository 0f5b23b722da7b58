package import Larkspur
import TestSupport
package import LarkspurTesting

/// The transports that every behaviour is tested on.
package enum TestTransport: String, CaseIterable, Sendable {
    case curl
    case foundation
    /// A `CurlURLSession` of a caller's closure, which calls its delegate: for a run of all tests in place of `curl`.
    case delegate

    /// The first two, or the one that the environment names.
    package static let allCases: [TestTransport] =
        ProcessInfo.processInfo.environment["LARKSPUR_TEST_TRANSPORT"].flatMap(TestTransport.init).map { [$0] }
        ?? [.curl, .foundation]

    package var transport: Transport {
        switch self {
        case .curl: .curl
        case .foundation: .foundation
        case .delegate:
            .custom { CurlURLSession(configuration: $0, delegate: $1, delegateQueue: $2) }
        }
    }

    /// A session manager on this transport.
    package func makeManager(
        for server: LoopbackServer? = nil,
        configuration: URLSessionConfiguration = .testing,
        completionQueue: DispatchQueue? = nil
    ) -> SessionManager {
        SessionManager(
            baseURL: server?.baseURL,
            configuration: configuration,
            transport: transport,
            completionQueue: completionQueue
        )
    }
}

extension SessionManager {
    /// A session manager whose session is a stub.
    package static func stubbed(
        baseURL: URL? = URL(string: "http://stub.test"),
        completionQueue: DispatchQueue? = nil,
        script: @escaping StubURLSession.Script = { _ in .json("{}") }
    ) -> SessionManager {
        SessionManager(
            baseURL: baseURL,
            transport: .custom { configuration, delegate, queue in
                StubURLSession(configuration: configuration, delegate: delegate, delegateQueue: queue, script: script)
            },
            completionQueue: completionQueue
        )
    }
}
