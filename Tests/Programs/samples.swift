import Larkspur
import LarkspurActivity
import LarkspurCredentials
import LarkspurCurlCommands
import LarkspurImages
import LarkspurReachability
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
nonisolated let (file, folder, archive, image, photo, downloads): (URL, URL, URL, URL, URL, URL) = any()
nonisolated let address: String = any()
nonisolated let ids: [Int] = any()
nonisolated let version: Int = any()
nonisolated let (user, question, filter): (User, Question, Report) = any()
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

nonisolated func decodeBitmap(_ data: Data, _ width: Int, _ height: Int) throws -> ImagePixels? { any() }

nonisolated func sign(_ request: URLRequest) -> String { any() }

nonisolated func speak(_ writer: BodyWriter) async throws {}

// The declarations that the samples of a page take for granted, besides those above.

// page: Authentication.md
nonisolated static let client: OAuth2Client = any()
nonisolated static let (registry, secret): (URL, String) = any()
nonisolated static let (store, key): (InMemorySharedStore, Data) = any()
nonisolated static let storage: URLCredentialStorage = any()
nonisolated static let completionHandler: Completion = any()

typealias Completion = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

// page: AuthenticationInterceptor+Store.swift
nonisolated static let store: InMemorySharedStore = any()

// page: BearerChallenge.swift
nonisolated static let registry: URL = any()

// page: Caching.md
nonisolated static let cache: URLCache = any()

// page: Connections.md
nonisolated static let registry: Registry = any()

nonisolated struct Registry: Sendable {
    func instances(of host: String) async throws -> [(address: String, port: Int)] { [] }
}

// page: Cookbook.md
nonisolated static let reachability: NetworkReachabilityManager = any()
nonisolated static let (certificate, host, port): (URL, String, Int) = any()

// page: Cookies.md
nonisolated static let jar: HTTPCookieStorage = any()

nonisolated static let cookies: CookieFile = any()

// page: Downloads.md
nonisolated static let (checksum, size): (String, Int64) = any()
nonisolated static let task: DownloadTask = any()
nonisolated static let (token, resumeData): (String, Data) = any()

// page: EncryptedStore.swift
nonisolated static let (store, key): (InMemorySharedStore, Data) = any()

// page: ExpectedContent.swift
nonisolated static let checksum: String = any()

// page: Images.md
nonisolated static let downloader: ImageDownloader = any()
nonisolated static let image: Image = any()

// page: Interceptors.md
nonisolated static let shared: InMemorySharedStore = any()
nonisolated static let (accessToken, refreshToken): (String, String) = any()
nonisolated static let (reader, writer): (SessionManager, SessionManager) = any()

nonisolated static func store(_ credential: OAuth2Credential) async {}
nonisolated static func signature(of request: URLRequest) -> String { any() }

// page: Linux.md
nonisolated(unsafe) static let configuration: URLSessionConfiguration = any()
nonisolated static let delegate: any URLSessionTaskDelegate = any()

// page: MigratingFromAlamofire.md
nonisolated enum ReportError: Error { case isCut }

nonisolated static let (newUser, token): (User, String) = any()

// page: MessageSignature.swift
nonisolated static let secret: Data = any()

// page: MessageSignatureVerification.swift
nonisolated static let secret: Data = any()

// page: ClientIdentity+Rotation.swift
nonisolated static let current: ClientIdentity = any()

// page: HostTLS.swift
nonisolated static let internalTLS: TLSConfiguration = any()

// page: OAuth2Client+Browser.swift
nonisolated static let client: OAuth2Client = any()

// page: OAuth2Client+ClientCredentials.swift
nonisolated static let client: OAuth2Client = any()

// page: OAuth2Client.swift
nonisolated static let server: OAuth2Server = any()

// page: OAuth2Failure.swift
nonisolated static let error: LarkspurError = any()

// page: PrivateKeyJWT.swift
nonisolated static let (server, key): (OAuth2Server, SigningKey) = any()

// page: Reachability.md
nonisolated static let reachability: NetworkReachabilityManager = any()

nonisolated static func load() async throws {}
nonisolated static func show(_ object: Any) {}

// page: Requests.md
nonisolated static let id: Int = any()

// page: Security.md
nonisolated static let (certificateFile, keyFile, publicKeyFile): (URL, URL, URL) = any()

// page: ServerTrustEvaluator.swift
nonisolated static let known: PublicKeyPin = any()

// page: SharedRateLimit.swift
nonisolated static let store: InMemorySharedStore = any()

// page: SigningKey.swift
nonisolated static let data: Data = any()

// page: StreamsAndEvents.md
nonisolated static let (api, key, lastID): (URL, String, String) = any()

// page: Tasks.md
nonisolated static let task: SessionTask = any()
nonisolated static let lines: Lines = any()

nonisolated struct Lines: Sendable {
    nonisolated func record(_ line: String) {}
}

// page: UntrustedURLs.md
nonisolated static let error: LarkspurError = any()

// page: Uploads.md
nonisolated static let (length, store): (Int64, URL) = any()

// page: WebSockets.md
nonisolated static let lines: [String] = any()

// page: README.md
nonisolated struct Order: Codable, Sendable {
    var item: String
    var count: Int
}

nonisolated static let order: Order = any()
