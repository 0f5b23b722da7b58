import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("The progress of a refresh", .timeLimit(.minutes(5)))
struct RefreshProgressTests {
    /// A step of a refresh.
    enum Step: Sendable {
        /// The authenticator reports its requests.
        case begin
        case send
        case response(Int)
        /// A failure that a server reports with the status 200.
        case failure
        case error(any Error)
        /// An attempt of a session manager's call.
        case attempt(Result<Int, any Error>)
    }

    private static let lost = LarkspurError(.connectionLost, "lost")
    private static let unconnected = LarkspurError(.cannotFindHost, "no name")
    private static let refusal = LarkspurError(
        .credentialRefreshFailed,
        "refused",
        underlyingError: OAuth2Failure(code: "invalid_grant", statusCode: 400)
    )

    /// The steps, and whether the refresh then cannot have used the credential.
    private static let table: [([Step], Bool)] = [
        ([.begin], true), ([.begin, .send], false), ([.begin, .send, .error(lost)], false),
        ([.begin, .send, .error(unconnected)], true), ([.begin, .send, .response(400)], true),
        // Another transport may report so that a request was lost.
        ([.begin, .send, .error(LarkspurError(.cannotConnectToHost, "refused"))], false),
        ([.begin, .send, .failure], true), ([.begin, .send, .response(503)], false),
        ([.begin, .send, .response(302)], false), ([.begin, .send, .response(200)], false),
        // Another request says nothing about the first one.
        ([.begin, .send, .error(lost), .send, .response(400)], false),
        ([.begin, .send, .error(lost), .begin, .send, .error(unconnected)], false),
        ([.begin, .send, .error(unconnected), .begin, .send, .error(unconnected)], true),
        ([.begin, .send, .response(400), .send, .error(unconnected)], true),
        ([.begin, .send, .response(200), .send, .response(400)], false),
        ([.begin, .send, .response(503), .send, .response(400)], false),
        // Nor does another attempt.
        ([.begin, .send, .attempt(.failure(lost)), .error(unconnected)], false),
        ([.begin, .send, .attempt(.success(503)), .response(400)], false),
        ([.begin, .send, .attempt(.failure(unconnected)), .error(unconnected)], true),
        ([.begin, .send, .attempt(.success(429)), .attempt(.failure(refusal)), .response(400)], true),
        // The error of an authenticator that reports nothing decides alone.
        ([.error(lost)], false), ([.error(unconnected)], true), ([.error(refusal)], true),
        ([.attempt(.failure(lost)), .error(unconnected)], false), ([.attempt(.failure(lost)), .error(refusal)], false),
    ]

    @Test("Each request, attempt and response counts")
    func steps() throws {
        for (index, (steps, isUnused)) in Self.table.enumerated() {
            let progress = RefreshProgress()
            var last: any Error = Self.lost
            for step in steps {
                switch step {
                case .begin: progress.begin()
                case .send: progress.willSend()
                case .response(let status): progress.didReceive(status: status, failure: nil)
                case .failure: progress.didReceive(status: 200, failure: OAuth2Failure(code: "invalid_grant"))
                case .error(let error):
                    progress.didFail(with: error)
                    last = error
                case .attempt(let result): progress.didEnd(try Self.attempt(result))
                }
            }
            #expect(progress.provesUnused(last) == isUnused, "\(index): \(steps)")
        }
    }

    private static func attempt(_ result: Result<Int, any Error>) throws -> Result<InterceptedResponse, any Error> {
        let url = try #require(URL(string: "https://id.test/token"))
        switch result {
        case .success(let status):
            let head = try httpResponse(status, url: "https://id.test/token")
            return .success(InterceptedResponse(request: URLRequest(url: url), response: head))
        case .failure(let error): return .failure(error)
        }
    }

    @Test(
        "An error of the engine tells whether the request was sent, whatever its code is",
        arguments: [
            URLError.Code.timedOut, .secureConnectionFailed, .cannotConnectToHost, .cannotFindHost,
            .serverCertificateUntrusted,
        ]
    )
    func engine(_ code: URLError.Code) {
        for wasSent in [true, false] {
            let cause = URLError(code, userInfo: [RequestSending.userInfoKey: wasSent])
            let error = LarkspurError(transportError: cause)
            let outer = LarkspurError(.credentialRefreshFailed, "failed", underlyingError: error)
            for error in [cause, error, outer] as [any Error] {
                #expect(RefreshProgress().provesUnused(error) == !wasSent)
            }
        }
    }

    @Test(
        "A refusal after a redirect is not one of the endpoint",
        arguments: [
            ("https://id.test/token", true), ("https://ID.test:443/token", true), ("https://id.test/login", false),
            ("https://other.test/token", false),
        ]
    )
    func redirect(_ text: String, _ isUnused: Bool) async throws {
        let endpoint = try #require(URL(string: "https://id.test/token"))
        let authenticator = OAuth2Authenticator(tokenEndpoint: endpoint, clientID: "app") { _ in
            (Data(), try httpResponse(405, url: text))
        }
        let progress = RefreshProgress()
        let error = await RefreshProgress.$current.withValue(progress) {
            await #expect(throws: LarkspurError.self) {
                try await authenticator.refresh(OAuth2Credential(accessToken: "a", refreshToken: "r"), after: nil)
            }
        }
        #expect(progress.provesUnused(try #require(error)) == isUnused)
    }

    @Test("A failure of a store is one before the sending, unless it follows a response")
    func store() throws {
        let cause = URLError(.timedOut, userInfo: [RequestSending.userInfoKey: true])
        let error = LarkspurError(.sharedStoreUnavailable, "failed", underlyingError: cause)
        #expect(RefreshProgress().provesUnused(error))
        let response = try httpResponse(401, url: "https://id.test/token")
        let late = error.filled(request: nil, response: response, responseData: nil)
        #expect(!RefreshProgress().provesUnused(late))
    }

    @Test(
        "The attempts of a session manager's call count, although an interceptor has the last word",
        arguments: [(.closeBeforeHeader, false), (nil, true)] as [(LoopbackServer.Fault?, Bool)]
    )
    func call(_ fault: LoopbackServer.Fault?, _ isUnused: Bool) async throws {
        let server = try LoopbackServer()
        let manager = TestTransport.curl.makeManager(for: server)
        manager.interceptors.call = [
            .custom { request, _, next in
                _ = try? await next(request)
                throw LarkspurError(.circuitOpen, "open")
            }
        ]
        let unreachable = try #require(URL(string: "http://127.0.0.1:1/token"))
        let endpoint = fault.map { server.url($0.path) } ?? unreachable
        let authenticator = OAuth2Authenticator(tokenEndpoint: endpoint, clientID: "app") { request in
            let response = await manager.dataTask(with: request).response()
            guard response.error == nil, let head = response.response else { throw response.error ?? Self.lost }
            return (response.data, head)
        }
        let progress = RefreshProgress()
        let error = await RefreshProgress.$current.withValue(progress) {
            await #expect(throws: LarkspurError.self) {
                try await authenticator.refresh(OAuth2Credential(accessToken: "a", refreshToken: "r"), after: nil)
            }
        }
        let failure = try #require(error)
        #expect(failure.contains(.circuitOpen))
        #expect(progress.provesUnused(failure) == isUnused)
    }
}
