import HTTPSyntax
import LarkspurCredentials
import LarkspurTestSupport
import LarkspurTesting
import TestSupport

/// A loopback server with the endpoints of an authorization server, whose responses the tests choose.
struct AuthorizationServer: Sendable {
    let loopback: LoopbackServer
    let manager: SessionManager

    init(_ transport: TestTransport = TestTransport.allCases[0]) throws {
        loopback = try LoopbackServer()
        manager = transport.makeManager(for: loopback)
    }

    var issuer: String { loopback.baseURL.absoluteString }

    var server: OAuth2Server {
        OAuth2Server(
            issuer: issuer,
            tokenEndpoint: loopback.url("/token"),
            authorizationEndpoint: loopback.url("/authorize?tenant=a"),
            deviceAuthorizationEndpoint: loopback.url("/device")
        )
    }

    func client(secret: String? = nil) -> OAuth2Client {
        OAuth2Client("app: 1", secret: secret, server: server, manager: manager)
    }

    /// The fields of the form of a request.
    func forms(to path: String) -> [[String: String]] {
        loopback.requests(to: path).map { request in
            Dictionary(request.form.map { ($0.name, $0.value ?? "") }) { first, _ in first }
        }
    }

    /// Advances a clock to the end of each of its next sleeps.
    static func advance(_ clock: TestClock, sleeps count: Int) async throws {
        for number in 1...count {
            let sleeps = try await clock.waitForSleeps(number)
            clock.advance(by: sleeps[number - 1])
        }
    }
}

/// Everything that a program may print of an error.
func printed(_ error: LarkspurError) -> String {
    var text = "\(error) \(String(reflecting: error)) \(error.localizedDescription) \(error as NSError)"
    text += " \((error as NSError).userInfo) \(error.oauth2Failure.map { "\($0) \(String(reflecting: $0))" } ?? "")"
    dump(error, to: &text)
    return text
}
