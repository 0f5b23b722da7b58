import HTTPSyntax
import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

/// The fields of the manager and of its configuration, for the base URL's origin, another origin, and a named origin.
@Suite("Credentials of a session manager", .timeLimit(.minutes(5)))
struct ManagerCredentialTests {
    /// A way to make a request of a URL.
    enum Way: String, CaseIterable, Sendable {
        case get, post, form, upload, download, events, pages, resumable, built
        #if canImport(FoundationNetworking)
        case webSocket
        #endif

        func call(_ manager: SessionManager, _ target: String, _ headers: HTTPHeaders? = nil) async throws {
            let data = RequestBody.data(Data("ab".utf8))
            switch self {
            case .get: _ = try await manager.get(target, headers: headers).data
            case .post: _ = try await manager.post(target, parameters: ["a": 1], headers: headers).data
            case .form:
                let form = RequestBody.multipart { $0.append(text: "value", name: "name") }
                _ = try await manager.post(target, body: form, headers: headers).data
            case .upload: _ = try await manager.upload(target, from: data, headers: headers).data
            case .download:
                let response = await manager.download(target, headers: headers).response()
                _ = try response.result.get()
            case .events:
                for try await _ in manager.events(target, headers: headers, reconnection: .never) { break }
            case .pages:
                for try await _ in manager.pages(target, headers: headers, as: [Int].self, by: .links) {}
            case .resumable:
                let task = manager.upload(target, from: data, headers: headers, resumable: .tus(metadata: [:]))
                _ = try await task.data
            case .built:
                let request = try manager.makeRequest(.get, target, headers: headers)
                _ = try await manager.dataTask(with: request).data
            #if canImport(FoundationNetworking)
            case .webSocket:
                let socket = manager.webSocket(target, headers: headers)
                try await socket.open()
                socket.cancel()
            #endif
            }
        }

        static func all(_ transport: TestTransport) -> [Way] {
            #if canImport(FoundationNetworking)
            if transport == .foundation { return allCases.filter { $0 != .webSocket } }
            #endif
            return allCases
        }
    }

    private static let managers = ["Authorization": "Bearer manager", "Cookie": "a=manager", "X-Auth-Token": "manager"]
    private static let configurations = ["X-Api-Key": "configuration", "Private-Token": "configuration"]

    let server: LoopbackServer
    let other: LoopbackServer
    private let named: LoopbackServer
    private let lines = Recorder<String>()

    init() throws {
        (server, other, named) = (try LoopbackServer(), try LoopbackServer(), try LoopbackServer())
        for server in [server, other, named] { Self.addRoutes(to: server) }
    }

    static func addRoutes(to server: LoopbackServer) {
        server.route("*", .json("[1]"))
        server.route("/events", .stream([.text("data: 1\n\n")], contentType: "text/event-stream", framing: .chunked))
        server.route("/resumable", .status(201, headers: ["Location": "/resource", "Tus-Resumable": "1.0.0"]))
        server.route("/resource", .status(204, headers: ["Upload-Offset": "2", "Tus-Resumable": "1.0.0"]))
        server.webSocket("/webSocket") { _ in }
    }

    private static func configuration() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.testing
        configuration.httpAdditionalHeaders = configurations.merging(["X-App": "app"]) { own, _ in own }
        return configuration
    }

    func manager(_ transport: Transport, base: (any RequestTarget)?) -> SessionManager {
        let manager = SessionManager(baseURL: base, configuration: Self.configuration(), transport: transport)
        manager.requestSettings.setAuthorization(bearerToken: "manager")
        manager.headers["Cookie"] = "a=manager"
        manager.headers["X-Auth-Token"] = "manager"
        manager.headers["X-Trace"] = "1"
        manager.reportsUnhandledFailures = true
        manager.failureWriter = { [lines] in lines.record($0) }
        return manager
    }

    func manager(_ transport: TestTransport) -> SessionManager {
        manager(transport.transport, base: server.baseURL)
    }

    /// Checks the requests that a server has received since the last check.
    func check(
        _ server: LoopbackServer,
        after count: Int,
        has credentials: [String: String],
        lacks absent: [String] = [],
        _ comment: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let requests = server.requests.dropFirst(count)
        #expect(!requests.isEmpty, comment, sourceLocation: sourceLocation)
        for request in requests {
            for (name, value) in credentials {
                #expect(request.headers[name] == value, "\(comment) \(name)", sourceLocation: sourceLocation)
            }
            for name in absent {
                #expect(request.headers[name] == nil, "\(comment) \(name)", sourceLocation: sourceLocation)
            }
            #expect(request.headers["X-Trace"] == "1", comment, sourceLocation: sourceLocation)
            #expect(request.headers["X-App"] == "app", comment, sourceLocation: sourceLocation)
        }
    }

    static var all: [String: String] { managers.merging(configurations) { own, _ in own } }

    @Test(
        "In every way to make a request, credentials go to the base URL's origin and to named origins only",
        arguments: TestTransport.allCases
    )
    func ways(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        manager.requestSettings.credentialOrigins = [named.url("/some/path")]
        for way in Way.all(transport) {
            let path = way.rawValue
            let foreign = "//127.0.0.1:\(other.port)/\(path)"
            let targets = [
                (path, server, true), ("/\(path)", server, true), (server.url("/\(path)").absoluteString, server, true),
                ("//localhost:\(server.port)/\(path)", server, false),
                (foreign, other, false), (other.url("/\(path)").absoluteString, other, false),
                (named.url("/\(path)").absoluteString, named, true),
            ]
            for (target, server, isOwn) in targets {
                let count = server.requests.count
                try await way.call(manager, target)
                check(
                    server,
                    after: count,
                    has: isOwn ? Self.all : [:],
                    lacks: isOwn ? [] : Array(Self.all.keys),
                    "\(way) \(target)"
                )
            }
        }
    }

    @Test(
        "A request of the caller gets the configuration's credentials at these origins only, and keeps its own fields",
        arguments: TestTransport.allCases
    )
    func ownRequests(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        manager.requestSettings.credentialOrigins = [named.url("/")]
        for (server, isOwn) in [(server, true), (other, false), (named, true)] {
            var request = URLRequest(url: server.url("/built"))
            request.headers = ["Authorization": "caller", "x-api-key": "caller", "X-Trace": "1"]
            _ = try await manager.dataTask(with: request).data
            request.httpMethod = "POST"
            _ = try await manager.uploadTask(with: request, from: .data(Data("a".utf8))).data
            _ = try await manager.downloadTask(with: request).response().result.get()
            check(
                server,
                after: 0,
                has: ["Authorization": "caller", "X-Api-Key": "caller"],
                lacks: isOwn ? [] : ["Private-Token"],
                "\(server.url("/"))"
            )
            if isOwn { check(server, after: 0, has: ["Private-Token": "configuration"], "\(server.url("/"))") }
            #expect(server.requests.count == 3)
        }
    }

    @Test("The fields of a call and of an interceptor go to every origin", arguments: TestTransport.allCases)
    func fieldsOfCalls(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        manager.interceptors.call = [
            .adapting { $0.headers["X-Vault-Token"] = "interceptor" }
        ]
        for way in Way.all(transport) where way != .resumable {
            let count = other.requests.count
            let own: HTTPHeaders = ["authorization": "call", "X-Api-Key": "call"]
            try await way.call(manager, other.url("/\(way.rawValue)").absoluteString, own)
            check(
                other,
                after: count,
                has: ["Authorization": "call", "X-Api-Key": "call", "X-Vault-Token": "interceptor"],
                lacks: ["Cookie", "X-Auth-Token", "Private-Token"],
                "\(way)"
            )
        }
    }

    @Test("Without a base URL, every origin gets the credentials", arguments: TestTransport.allCases)
    func withoutBase(_ transport: TestTransport) async throws {
        let manager = manager(transport.transport, base: nil)
        for way in Way.all(transport) {
            for server in [server, other] {
                let count = server.requests.count
                try await way.call(manager, server.url("/\(way.rawValue)").absoluteString)
                check(server, after: count, has: Self.all, "\(way)")
            }
        }
        #expect(manager.session.configuration.httpAdditionalHeaders?.count == 3)
        try await manager.finishAll()
        #expect(lines.values.isEmpty)
    }

    @Test(
        "A redirect from the base URL's origin to another origin, or back, has no credentials of the configuration",
        arguments: TestTransport.allCases
    )
    func redirects(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        server.route("/away", .redirect(to: other.url("/back").absoluteString))
        other.route("/back", .redirect(to: server.url("/last").absoluteString))
        server.route("/here", .redirect(to: "/there"))

        _ = try await manager.get("away").data
        check(other, after: 0, has: [:], lacks: Array(Self.all.keys), "away")
        check(server, after: 1, has: [:], lacks: Array(Self.all.keys), "back")
        #expect(server.requests.first?.headers["X-Api-Key"] == "configuration")
        _ = try await manager.get("here").data
        check(server, after: 2, has: Self.all, "here")
        _ = try await manager.get(other.url("/back").absoluteString).data
        check(server, after: 4, has: [:], lacks: Array(Self.all.keys), "from another origin")
    }

    @Test(
        "The next page and an upload's resource at another origin have no credentials",
        arguments: TestTransport.allCases
    )
    func linked(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        server.route("/list", .json("[1]").adding("Link", "<\(other.url("/list"))>; rel=next"))
        server.route("/files", .status(201, headers: ["Location": other.url("/resource").absoluteString]))

        for try await _ in manager.pages("list", as: [Int].self, by: .links) {}
        _ = try await manager.upload("files", from: .data(Data("ab".utf8)), resumable: .tus(metadata: [:])).data

        #expect(server.requests.allSatisfy { $0.headers["X-Api-Key"] == "configuration" })
        #expect(other.requests.map(\.path) == ["/list", "/resource"])
        for name in Self.all.keys { #expect(other.requests.allSatisfy { $0.headers[name] == nil }, "\(name)") }
        #expect(other.requests.allSatisfy { $0.headers["X-App"] == "app" })
    }

    @Test("A stored request is not sent with the credentials of another origin", arguments: TestTransport.allCases)
    func memos(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        let target = other.url("/x").absoluteString
        func last(_ target: String, _ server: LoopbackServer) async throws -> [String?] {
            _ = try await manager.get(target).data
            _ = try await manager.post(target, parameters: ["a": 1]).data
            let requests = server.requests.suffix(2)
            return requests.map { $0.headers["Authorization"] } + requests.map { $0.headers["X-Api-Key"] }
        }
        let (all, none) = (
            ["Bearer manager", "Bearer manager", "configuration", "configuration"], [String?](repeating: nil, count: 4)
        )
        for _ in 0..<3 {
            #expect(try await last("x", server) == all)
            #expect(try await last("x", server) == all)
            #expect(try await last(target, other) == none)
            #expect(try await last(target, other) == none)
            #expect(try await last(server.url("/x").absoluteString, server) == all)
            manager.requestSettings.credentialOrigins = [other.url("/")]
            #expect(try await last(target, other) == all)
            manager.requestSettings.credentialOrigins = []
            #expect(try await last(target, other) == none)
        }
        manager.requestSettings.clearAuthorization()
        #expect(try await last(target, other) == none)
        manager.requestSettings.setAuthorization(bearerToken: "manager")
        #expect(try await last(target, other) == none)
        #expect(try await last("x", server) == all)
    }

    @Test("A request that is built, but not sent, has only the credentials for its origin")
    func building() throws {
        let manager = SessionManager(baseURL: "https://a.test/v1")
        manager.reportsUnhandledFailures = false
        manager.headers["Proxy-Authorization"] = "Basic YTpi"
        manager.requestSettings.setAuthorization(username: "ada", password: "secret")
        let names = ["Authorization", "Proxy-Authorization"]

        let own = try manager.makeRequest(.get, "users").headers
        let foreign = try manager.makeRequest(.get, "https://b.test/users").headers
        let form = try manager.makeRequest(.post, "//b.test", body: .multipart { $0.append(text: "a", name: "b") })

        for name in names {
            #expect(own[name] != nil && foreign[name] == nil && form.headers[name] == nil, "\(name)")
        }
        #expect(foreign["User-Agent"] == own["User-Agent"])
    }

    @Test(
        "The first request to an origin without the credentials is reported in one line",
        arguments: TestTransport.allCases
    )
    func reports(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        func line(_ target: String, _ names: String) -> String {
            "Larkspur: \(target) is sent without the manager's \(names), because its origin is not that of the base URL. "
                + "Name the origin in RequestSettings.credentialOrigins, or pass the field with the call. "
                + "Set SessionManager.reportsUnhandledFailures to false for no such line."
        }
        let own: HTTPHeaders = [
            "Authorization": "a", "Cookie": "b", "X-Auth-Token": "c", "X-Api-Key": "d", "Private-Token": "e",
        ]

        _ = try await manager.get("x").data
        _ = try await manager.get(other.url("/x").absoluteString, headers: own).data
        try await manager.finishAll()
        #expect(lines.values.isEmpty)
        for _ in 0..<3 { _ = try await manager.get(other.url("/x?q=secret").absoluteString).data }
        _ = try await manager.dataTask(with: URLRequest(url: named.url("/y"))).data
        manager.reportsUnhandledFailures = false
        _ = try await manager.get("//localhost:\(server.port)/z").data
        manager.completionQueue.sync {}

        #expect(lines.values.count == 2)
        #expect(lines.values.first == line("GET \(other.url("/x"))?…", "Authorization, Cookie, X-Auth-Token"))
        let names = ["Private-Token, X-Api-Key", "X-Api-Key, Private-Token"]
        #expect(names.map { line("GET \(named.url("/y"))", $0) }.contains(lines.values.last ?? ""))
    }

    @Test("With a base URL, a custom session's configuration has no credentials, and the manager's copy has them")
    func configurations() async throws {
        let given = Recorder<[String]>()
        let transport = Transport.custom { configuration, delegate, queue in
            given.record((configuration.httpAdditionalHeaders ?? [:]).keys.map { "\($0)" }.sorted())
            return StubURLSession(configuration: configuration, delegate: delegate, delegateQueue: queue) { request in
                .text(request.headers["X-Api-Key"] ?? "none")
            }
        }
        let manager = manager(transport, base: "https://a.test/")

        #expect(try await manager.get("x").string == "configuration")
        #expect(try await manager.get("https://b.test/x").string == "none")
        #expect(try await manager.copy().get("https://b.test/x").string == "none")
        #expect(try await manager.copy().get("x").string == "configuration")
        #expect(manager.configuration.httpAdditionalHeaders?.count == 3)
        _ = try await self.manager(transport, base: nil).get("https://b.test/x").string

        #expect(given.values.prefix(3) == [["X-App"], ["X-App"], ["X-App"]])
        #expect(given.values.last == ["Private-Token", "X-Api-Key", "X-App"])
    }

    @Test("If the base URL is invalid, a request of the caller gets no credentials of the configuration")
    func invalidBase() async throws {
        let manager = manager(.automatic, base: "a.test")

        _ = try await manager.dataTask(with: URLRequest(url: other.url("/x"))).data

        #expect(other.requests.last?.headers["X-Api-Key"] == nil)
        #expect(other.requests.last?.headers["X-App"] == "app")
    }
}
