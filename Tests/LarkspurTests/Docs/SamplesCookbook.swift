import Larkspur
import LarkspurReachability
import LarkspurTesting
import Testing

/// The samples of `Docs/Cookbook.md`, each between two markers; what they print is recorded.
struct CookbookSamples: Sendable {
    struct User: Codable, Sendable {
        var name: String
    }

    let manager: SessionManager
    let baseURL: URL
    let file: URL
    let folder: URL
    let output = Recorder<String>()

    private func print(_ items: Any...) {
        output.record(items.map { "\($0)" }.joined(separator: " "))
    }

    // MARK: Responses

    func waiting() {
        // sample: cookbook, wait at the end of a program
        manager.get("users/1", as: User.self) { _, user in
            print(user.name)
        } failure: { _, error in
            print(error)
        }

        manager.completionGroup.wait()
        // end
    }

    func queues() -> [SessionManager] {
        // sample: cookbook, main queue
        let manager = SessionManager(baseURL: baseURL, completionQueue: .main)
        let worker = SessionManager(baseURL: baseURL, completionQueue: DispatchQueue(label: "responses"))
        // end
        return [manager, worker]
    }

    func many(_ ids: [Int]) async throws {
        // sample: cookbook, many requests
        let users = try await withThrowingTaskGroup(of: User.self) { group in
            for id in ids {
                group.addTask { try await manager.get(.path("users/\(id)")).value(as: User.self) }
            }
            var users: [User] = []
            for try await user in group { users.append(user) }
            return users
        }
        print(users.count)
        // end
    }

    func decoding() async throws {
        // sample: cookbook, JSON into a type
        nonisolated struct Page: Decodable, Sendable {
            var total: Int
            var users: [User]
        }

        let page = try await manager.get("pages/1").value(as: Page.self)
        let users: [User] = try await manager.get("users").value()
        print(page.total, users.map(\.name))
        // end
    }

    func dates() async throws {
        // sample: cookbook, dates
        nonisolated struct Post: Decodable, Sendable {
            var createdAt: Date
        }

        manager.jsonDecoder.dateDecodingStrategy = .iso8601
        manager.jsonDecoder.keyDecodingStrategy = .convertFromSnakeCase

        let post = try await manager.get("posts/1").value(as: Post.self)
        print(post.createdAt.timeIntervalSince1970)
        // end
    }

    func decodingErrors() async throws {
        // sample: cookbook, reason of a decoding error
        do {
            let user = try await manager.get("broken").value(as: User.self)
            try Data(user.name.utf8).write(to: file)
        } catch let error as LarkspurError {
            if case DecodingError.keyNotFound(let key, _)? = error.underlyingError {
                print("no \(key.stringValue) in", String(decoding: error.responseData ?? Data(), as: UTF8.self))
            }
        }
        // end
    }

    func contentTypes() async throws {
        // sample: cookbook, another content type
        let user = try await manager.get("mislabelled")
            .validate(contentType: ["application/json", "text/html"])
            .value(as: User.self)
        print(user.name)
        // end
    }

    func errorBody() async {
        // sample: cookbook, content of an error
        nonisolated struct Problem: Decodable, Sendable {
            var reason: String
        }

        let response = await manager.get("users/0").response(as: User.self)
        if let error = response.error {
            print(error.statusCode ?? 0, error.failure(as: Problem.self)?.reason ?? error.message)
        }
        // end
    }

    func fields() async {
        // sample: cookbook, status and header fields
        let response = await manager.get("users/1").response(as: User.self)
        print(response.statusCode ?? 0)
        print(response.httpResponse?.headers["ETag"] ?? "no tag")
        // end
    }

    func empty() async throws {
        // sample: cookbook, no content
        _ = try await manager.delete("users/1").value(as: Empty.self)
        let user = try await manager.get("maybe").value(as: User?.self)
        print(user?.name ?? "nobody")
        // end
    }

    // MARK: Requests

    func json() async throws {
        // sample: cookbook, send JSON
        let user = try await manager.post("users", body: .json(User(name: "Ada"))).value(as: User.self)
        print(user.name)
        // end
    }

    func jsonArray() async throws {
        // sample: cookbook, send an array
        let users = [User(name: "Ada"), User(name: "Grace")]
        let answer = try await manager.put("users", body: .json(users)).string
        let event = try await manager.put("users", body: .jsonObject(["name": "login", "count": 1])).string
        print(answer, event)
        // end
    }

    func form() async throws {
        // sample: cookbook, send a form
        let text = try await manager.post("login", parameters: ["user": "ada", "remember": true]).string
        print(text)
        // end
    }

    func query() async throws {
        // sample: cookbook, arrays in a query
        manager.requestSettings.queryEncoder.arrayStyle = .noBrackets
        manager.requestSettings.queryEncoder.booleanStyle = .literal

        let text = try await manager.get("search", parameters: ["tag": ["new", "vip"], "active": true]).string
        print(text)
        // end
    }

    func headers() async throws {
        // sample: cookbook, header fields of every request
        manager.headers["X-Client"] = "my-tool"
        let text = try await manager.get("notes", headers: ["X-Request-ID": "42"]).string
        print(text)
        // end
    }

    // MARK: Failures and time

    func timeout() async {
        // sample: cookbook, a timeout
        manager.timeouts = Timeouts(total: .seconds(60), idle: .seconds(20))

        let response = await manager.get("slow").timeout(total: .milliseconds(200)).response()
        print(response.error?.code == .timedOut ? "too slow" : "in time")
        // end
    }

    func retry() async throws {
        // sample: cookbook, retry
        manager.interceptors.call = [.retry(maximumAttempts: 4, baseDelay: .milliseconds(100))]

        let text = try await manager.get("unsteady").string
        print(text)
        // end
    }

    func once() async throws {
        // sample: cookbook, a POST that may be sent twice
        let key = UUID().uuidString
        let receipt = try await manager.post("orders", parameters: ["item": "tea"], headers: ["Idempotency-Key": key])
            .string
        print(receipt)
        // end
    }

    func canceling() async {
        // sample: cookbook, cancel
        let task = manager.get("slow") { _, _ in
        } failure: { _, error in
            print(error.label)
        }
        task.cancel()

        for task in manager.tasks { task.cancel() }
        // end
    }

    func rate() {
        // sample: cookbook, requests per second
        manager.interceptors.attempt = [.rateLimit(10, per: .seconds(1)), .concurrencyLimit(4)]
        // end
    }

    func connections() -> SessionManager {
        // sample: cookbook, connections to a host
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 20
        let manager = SessionManager(baseURL: baseURL, configuration: configuration)
        // end
        return manager
    }

    func offline(_ reachability: NetworkReachabilityManager) async {
        // sample: cookbook, wait for the network
        reachability.startMonitoring()
        var response = await manager.get("notes").response()
        if response.error != nil, response.response == nil {
            for await status in reachability.statusUpdates where status.isReachable { break }
            response = await manager.get("notes").response()
        }
        print(response.error?.label ?? "loaded")
        // end
    }

    // MARK: Credentials

    func token() async throws {
        // sample: cookbook, a token
        manager.requestSettings.setAuthorization(bearerToken: "secret")
        print(try await manager.get("account").string)
        // end
    }

    func refreshing() async throws {
        // sample: cookbook, refresh a token
        struct Renewal: RequestAuthenticator {
            let tokens: SessionManager

            func apply(_ token: String, to request: inout URLRequest) {
                request.headers["Authorization"] = "Bearer \(token)"
            }

            func refresh(_ token: String, after refusal: InterceptedResponse?) async throws -> String {
                try await tokens.post("token", parameters: ["old": token]).redirect { _, _, _ in nil }.string
            }
        }

        let renewal = Renewal(tokens: SessionManager(baseURL: baseURL))
        manager.interceptors.call = [.authentication("expired", authenticator: renewal, for: baseURL)]
        print(try await manager.get("account").string)
        // end
    }

    func password() async throws {
        // sample: cookbook, name and password
        let text = try await manager.get("basic-auth/ada/secret")
            .authenticate(username: "ada", password: "secret")
            .string

        manager.requestSettings.setAuthorization(username: "ada", password: "secret")
        print(text.count, try await manager.get("hidden-basic-auth/ada/secret").string.count)
        // end
    }

    func cookies() -> [SessionManager] {
        // sample: cookbook, cookies of one user
        let users = ["ada", "grace"].map { _ in
            SessionManager(baseURL: baseURL, configuration: .ephemeral)
        }
        // end
        return users
    }

    // MARK: Files and streams

    func upload() async throws {
        // sample: cookbook, upload with progress
        let text = try await manager.upload("files/1", from: .file(file), method: .put)
            .uploadProgress { progress in print(progress.completedUnitCount, "of", progress.totalUnitCount) }
            .string
        print(text)
        // end
    }

    func multipart() async throws {
        // sample: cookbook, multipart form
        let form = RequestBody.multipart { form in
            try form.append(file: file, name: "portrait", contentType: "image/jpeg")
        }
        let text = try await manager.post("portraits", parameters: ["author": "Ada"], body: form).string
        print(text)
        // end
    }

    func download() async throws {
        // sample: cookbook, download with progress
        let file = try await manager.download("disk.iso", to: .folder(folder, replacing: true, makingFolders: true))
            .downloadProgress { progress in print(progress.completedUnitCount, "of", progress.totalUnitCount) }
            .file
        print(file.lastPathComponent)
        // end
    }

    func resuming() async throws {
        // sample: cookbook, download that continues
        let task = manager.download("disk.iso", maximumResumptions: 10, to: .folder(folder, replacing: true))
        print("saved", try await task.file.lastPathComponent)
        // end
    }

    func chunks() async throws {
        // sample: cookbook, large content
        var count = 0
        for try await chunk in manager.get("disk.iso").chunks {
            count += chunk.count
        }
        print(count)
        // end
    }

    func events() async throws {
        // sample: cookbook, server-sent events
        for try await event in manager.events("updates") {
            print(event.type, event.data)
        }
        // end
    }

    // MARK: Debugging and tests

    func command() async {
        // sample: cookbook, the request as a command
        let task = manager.post("users", body: .json(User(name: "Ada")))
        let response = await task.response()
        print(task.cURLDescription())
        print(response.statusCode ?? 0, String(decoding: response.data, as: UTF8.self))
        // end
    }

    func log() async throws {
        // sample: cookbook, log of all requests
        manager.observers = [ConsoleLogger(level: .attempts) { line in print(line) }]
        _ = try await manager.get("notes").string
        // end
    }

    func cache() -> SessionManager {
        // sample: cookbook, no cache
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = nil
        let manager = SessionManager(baseURL: baseURL, configuration: configuration)
        // end
        return manager
    }

    func redirects() async throws {
        // sample: cookbook, no redirects
        let response = await manager.get("moved").redirect { task, response, request in nil }.response()
        print(response.statusCode ?? 0, response.httpResponse?.headers["Location"] ?? "")
        // end
    }
}

// sample: cookbook, a test with a server
@Test func theUserIsDecoded() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/users/1", .status(503), .json(#"{"name": "Ada"}"#))
    let manager = SessionManager(baseURL: server.baseURL)
    manager.interceptors.call = [.retry(baseDelay: .zero)]

    let name = try await manager.get("users/1").value(as: [String: String].self)["name"]

    #expect(name == "Ada")
    #expect(server.requests.count == 2)
}
// end

#if canImport(FoundationNetworking)
extension CookbookSamples {
    func selfSigned(certificate: URL) throws -> SessionManager {
        // sample: cookbook, self-signed certificate
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only(try TLSCertificate.certificates(contentsOf: certificate))
        let manager = SessionManager(baseURL: baseURL, transport: .curl(options))
        // end
        return manager
    }

    func pin() throws -> SessionManager {
        // sample: cookbook, pin a key
        var options = CurlURLSession.Options()
        options.tls.pins = [
            try HostPins(
                "api.example.com",
                pins: [PublicKeyPin(sha256: "xqDFoXHXh8jP+wM80yIs6PsaRmHbGGM8xdiuhC4RRf4=")],
                backupPins: [PublicKeyPin(sha256: "rQLwORZM2ja9tYPwgMCjeLjbS0v3On/pG+zIq8Q8QrY=")]
            )
        ]
        let manager = SessionManager(baseURL: baseURL, transport: .curl(options))
        // end
        return manager
    }

    func proxy(host: String, port: Int) -> SessionManager {
        // sample: cookbook, a proxy
        var options = CurlURLSession.Options()
        options.proxy = .server(ProxyServer(host: host, port: port), exceptions: ["localhost", "10.0.0.0/8"])
        let manager = SessionManager(transport: .curl(options))
        // end
        return manager
    }
}
#endif
