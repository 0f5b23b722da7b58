import HTTPSyntax
import LarkspurCredentials
import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

/// Two hosts: the address 127.0.0.1 and the name localhost.
@Suite("The netrc interceptor", .timeLimit(.minutes(5)))
struct NetrcInterceptorTests {
    private static let own = "Basic " + Data("ada:secret".utf8).base64EncodedString()
    private static let others = "Basic " + Data("bob:guess".utf8).base64EncodedString()

    let server: LoopbackServer
    let other: LoopbackServer

    init() throws { (server, other) = (try LoopbackServer(), try LoopbackServer()) }

    private func manager(
        _ transport: TestTransport,
        _ text: String = "machine 127.0.0.1 login ada password secret"
    ) throws -> SessionManager {
        let manager = transport.makeManager(for: server)
        manager.interceptors.call = [.netrc(try Netrc(text: text))]
        return manager
    }

    /// Returns the URL of a path at the server, with another name of the server's host.
    private func named(_ path: String) -> String { "http://localhost:\(server.port)\(path)" }

    private func authorization(_ server: LoopbackServer) -> [String?] {
        server.requests.map { $0.headers["Authorization"] }
    }

    @Test("An entry is sent to its own host, on each port and in each attempt", arguments: TestTransport.allCases)
    func hosts(_ transport: TestTransport) async throws {
        let manager = try manager(transport)
        server.route("/busy", .status(503), .text("done"))
        _ = try await manager.get("get").data
        _ = try await manager.post("post", parameters: ["a": 1]).data
        _ = try await manager.get("busy").intercept(with: .retry(baseDelay: .zero)).data
        _ = try await manager.get(named("/get")).data
        _ = try await manager.get(other.url("/get").absoluteString).data
        #expect(authorization(server) == [Self.own, Self.own, Self.own, Self.own, nil])
        #expect(authorization(other) == [Self.own])
    }

    @Test("The entry default is sent to the other hosts", arguments: TestTransport.allCases)
    func defaults(_ transport: TestTransport) async throws {
        let manager = try manager(
            transport,
            "machine 127.0.0.1 login ada password secret default login bob password guess"
        )
        _ = try await manager.get("get").data
        _ = try await manager.get(named("/get")).data
        #expect(authorization(server) == [Self.own, Self.others])
    }

    @Test(
        "A redirect to another host or port has no credentials, even if the file has an entry for it",
        arguments: TestTransport.allCases,
        [
            "machine 127.0.0.1 login ada password secret",
            "machine 127.0.0.1 login ada password secret machine localhost login bob password guess",
            "machine 127.0.0.1 login ada password secret default login bob password guess",
        ]
    )
    func redirects(_ transport: TestTransport, text: String) async throws {
        let manager = try manager(transport, text)
        server.route("/away", .redirect(to: named("/there")))
        server.route("/port", .redirect(to: other.url("/there").absoluteString))
        server.route("/here", .redirect(to: "/there"))
        server.route("/there", .text("there"))
        other.route("/there", .text("there"))
        _ = try await manager.get("away").data
        _ = try await manager.get("port").data
        _ = try await manager.get("here").data
        #expect(authorization(server) == [Self.own, nil, Self.own, Self.own, Self.own])
        #expect(authorization(other) == [nil])
    }

    @Test("No entry is looked up for a redirect", arguments: TestTransport.allCases)
    func redirectsToHost(_ transport: TestTransport) async throws {
        let manager = try manager(transport)
        server.route("/there", .text("there"))
        server.route("/to", .redirect(to: server.url("/there").absoluteString))
        _ = try await manager.get(named("/to")).data
        #expect(authorization(server) == [nil, nil])
    }

    @Test(
        "A page at another host or port has no credentials, even if the file has an entry, and neither have later pages",
        arguments: TestTransport.allCases
    )
    func pages(_ transport: TestTransport) async throws {
        let text = "machine 127.0.0.1 login ada password secret default login bob password guess"
        for link in [named("/b"), other.url("/b").absoluteString] {
            server.clearRequests()
            other.clearRequests()
            let manager = try manager(transport, text)
            server.route("/a", .json("[1]").adding("Link", "<\(server.url("/here"))>; rel=next"))
            server.route("/here", .json("[2]").adding("Link", "<\(link)>; rel=next"))
            for server in [server, other] {
                server.route("/b", .json("[3]").adding("Link", "<\(self.server.url("/c"))>; rel=next"))
            }
            server.route("/c", .json("[4]"))
            var pages: [[Int]] = []
            for try await page in manager.pages("a", as: [Int].self, by: .links) { pages.append(page) }
            #expect(pages == [[1], [2], [3], [4]])
            let all = (server.requests + other.requests).map { ($0.path, $0.headers["Authorization"]) }
            #expect(all.count == 4 && all.allSatisfy { $0.1 == (["/a", "/here"].contains($0.0) ? Self.own : nil) })
        }
    }

    @Test(
        "An upload resource at another host has no credentials, wherever the interceptor stands",
        arguments: [false, true],
        [false, true]
    )
    func uploads(isOfAttempts: Bool, isElsewhere: Bool) async throws {
        let manager = try manager(.curl, "default login bob password guess")
        if isOfAttempts {
            (manager.interceptors.attempt, manager.interceptors.call) = (manager.interceptors.call, [])
        }
        let resource = isElsewhere ? named("/resource") : server.url("/resource").absoluteString
        server.route("/files", LoopbackServer.Response.status(201).adding("Location", resource))
        server.route("/resource") { request in
            LoopbackServer.Response.status(204).adding("Upload-Offset", "\(request.body.count)")
        }
        let end = await manager.upload("files", from: .data(Data("abc".utf8)), resumable: .tus).response()
        #expect(end.error == nil)
        #expect(server.requests.map(\.method) == ["POST", "PATCH"])
        #expect(authorization(server) == [Self.others, isElsewhere ? nil : Self.others])
    }

    @Test("The deletion of a cancelled upload has no credentials at another host", arguments: [false, true])
    func deletion(isElsewhere: Bool) async throws {
        let manager = try manager(.curl, "default login bob password guess")
        let resource = isElsewhere ? named("/resource") : server.url("/resource").absoluteString
        server.route("/files", LoopbackServer.Response.status(201).adding("Location", resource))
        let gate = LoopbackServer.Gate()
        server.route("/resource", LoopbackServer.Response.status(204).held(until: gate), .status(204))
        var resumable = ResumableUpload.tus
        resumable.deletesWhenCancelled = true
        let task = manager.upload("files", from: .data(Data("abc".utf8)), resumable: resumable)
        let call = Task { await task.response() }
        try await server.waitForRequests(2)
        task.cancel()
        #expect(await call.value.error?.code == .cancelled)
        try await server.waitForRequests(3)
        try await manager.finishAll()
        gate.open()
        let sent = try #require(server.requests.first { $0.method == "DELETE" })
        #expect(sent.headers["Authorization"] == (isElsewhere ? nil : Self.others))
    }

    @Test(
        "A call's own field, credential and URL take precedence, and the manager's field",
        arguments: TestTransport.allCases
    )
    func precedence(_ transport: TestTransport) async throws {
        let manager = try manager(transport)
        _ = try await manager.get("get", headers: ["authorization": "Bearer own"]).data
        let credential = URLCredential(user: "ada", password: "own", persistence: .none)
        _ = try await manager.get("get", options: CallOptions(credential: credential)).data
        _ = try await manager.get("http://ada:own@127.0.0.1:\(server.port)/get").data
        manager.requestSettings.setAuthorization(bearerToken: "manager")
        _ = try await manager.get("get").data
        let sent = authorization(server)
        // Only FoundationNetworking sends the credential of a URL before it is challenged.
        let ofURL = transport == .curl ? nil : "Basic YWRhOm93bg=="
        #expect(sent == ["Bearer own", nil, ofURL, "Bearer manager"])
        // A refused credential of the call is not replaced.
        let refused = CallOptions(credential: URLCredential(user: "ada", password: "own", persistence: .none))
        let response = await manager.get("basic-auth/ada/secret", options: refused).response(as: .data)
        #expect(response.statusCode == 401)
        #expect(!authorization(server).contains { $0 == Self.own })
    }

    #if canImport(FoundationNetworking)
    @Test("The handshake of a WebSocket has the entry of its host")
    func webSockets() async throws {
        let manager = try manager(.curl)
        server.webSocket("/chat") { _ in }
        for host in ["127.0.0.1", "localhost"] {
            let socket = manager.webSocket("ws://\(host):\(server.port)/chat")
            try await socket.open()
            socket.cancel()
        }
        #expect(authorization(server) == [Self.own, nil])
    }
    #endif

    @Test("The password is in no error, no event and no archive")
    func secrecy() async throws {
        let manager = try manager(.curl)
        let recorder = HARRecorder()
        let lines = Recorder<String>()
        manager.observers = [recorder, ConsoleLogger(level: .content) { lines.record($0) }]
        let response = await manager.get("status/500").response(as: .data)
        let archive = String(decoding: recorder.data, as: UTF8.self)
        let text = "\(response) \(response.error.map { "\($0)" } ?? "") \(lines.values) \(archive)"
        #expect(authorization(server) == [Self.own] && archive.contains("status/500"))
        for secret in ["secret", String(Self.own.dropFirst(6))] { #expect(!text.contains(secret), "\(secret)") }
    }
}
