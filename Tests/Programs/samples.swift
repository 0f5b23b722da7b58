import Larkspur
import LarkspurActivity
import LarkspurCurlCommands
import LarkspurImages
import LarkspurTesting
import LarkspurTransport
import LarkspurXML

// The declarations that the samples of the doc comments take for granted.

nonisolated struct User: Codable, Sendable {
    var id: Int?
    var name: String
}

nonisolated struct Question: Codable, Sendable {
    var text: String
}

nonisolated struct Delta: Codable, Sendable {
    var text: String
}

nonisolated struct Report: Codable, Sendable {
    var title: String
}

nonisolated struct Change: Codable, Sendable {
    var version: Int
    var name: String
}

nonisolated struct APIFailure: Codable, Sendable {
    var reason: String
}

// None of this runs.
nonisolated func any<Value>() -> Value { fatalError() }

nonisolated let (manager, tokens): (SessionManager, SessionManager) = any()
nonisolated let session: CurlURLSession = any()
nonisolated let (baseURL, url, tokenURL, uploadURL): (URL, URL, URL, URL) = any()
nonisolated let (file, archive, image, photo, downloads): (URL, URL, URL, URL, URL) = any()
nonisolated let address: String = any()
nonisolated let ids: [Int] = any()
nonisolated let version: Int = any()
nonisolated let (user, question, filter): (User, Question, Delta) = any()
nonisolated let fields: [String: any Sendable] = any()
nonisolated let credential: OAuth2Credential = any()
nonisolated let authenticator: OAuth2Authenticator = any()
nonisolated let login: AuthenticationInterceptor<OAuth2Authenticator> = any()
nonisolated let server: LoopbackServer = any()
nonisolated(unsafe) let delegate: any URLSessionDelegate = any()
nonisolated(unsafe) let response: HTTPURLResponse = any()
nonisolated(unsafe) var request: URLRequest = any()
nonisolated(unsafe) var options: CurlURLSession.Options = any()
nonisolated(unsafe) var bar: ProgressBar = any()

nonisolated func sign(_ request: URLRequest) -> String { any() }

nonisolated func speak(_ writer: BodyWriter) async throws {}

// The declarations that the samples of a page take for granted, besides those above.

// page: README.md
struct Order: Codable, Sendable {
    var item: String
    var count: Int
}

static let order: Order = any()
