import LarkspurTesting
import LarkspurTransport
import Testing

@testable import Larkspur

/// Sends random calls with secrets in random places to servers that answer, redirect to another origin, challenge and
/// break, and searches everything that a call leaves.
///
/// LARKSPUR_SECRETS sets the number of calls.
@Suite("No secret of a random scenario leaks", .seeded, .timeLimit(.minutes(30)))
struct SecretScenarioTests {
    private typealias Found = Recorder<(place: String, text: String)>

    private static let callCount = ProcessInfo.processInfo.environment["LARKSPUR_SECRETS"].flatMap { Int($0) } ?? 60

    @Test("No printed text, file or request to another origin contains the secret")
    func everywhere() async throws {
        var generator = CanaryGenerator(seed: TestSeed.value)
        let servers = try SecretServers()
        var counts: [String: Int] = [:]
        // The transport's error has the URL with its query, and so has a stored response.
        let showsURLs = ["transport's error", "cache file"]
        for number in 0..<Self.callCount {
            let scenario = SecretScenario(using: &generator)
            let folder = TemporaryFolder()
            servers.begin(scenario)
            let found = Found()
            try await perform(scenario, servers, folder.url, found)

            for text in servers.elsewhere(scenario) {
                found.record(("request to another origin", text))
                #expect(
                    !CanaryGenerator.isFound(SecretScenario.boundWord, in: text),
                    "\(number), \(scenario): another origin got \(text)"
                )
            }
            for text in servers.atOrigin(scenario) where CanaryGenerator.isFound(SecretScenario.boundWord, in: text) {
                counts["secrets at the origin", default: 0] += 1
            }
            for (place, text) in found.values {
                counts[place, default: 0] += 1
                if place == "request to another origin" { continue }
                #expect(
                    (showsURLs.contains(place) || !CanaryGenerator.isFound(in: text))
                        && !CanaryGenerator.isFound(SecretScenario.boundWord, in: text),
                    "\(number), \(scenario): \(place) shows \(text)"
                )
            }
        }
        print("\(Self.callCount) calls, \(TestSeed.variable)=\(TestSeed.value): \(counts.sorted { $0.key < $1.key })")
        // Otherwise there was nothing to find.
        let places = [
            "secrets at the origin", "request to another origin", "log", "archive", "error", "command", "cassette",
            "cache file", "value", "open WebSocket", "WebSocket", "page",
        ]
        for place in places where Self.callCount >= 300 { #expect(counts[place, default: 0] > 0, "\(place)") }
    }

    private func perform(
        _ scenario: SecretScenario,
        _ servers: SecretServers,
        _ folder: URL,
        _ found: Found
    ) async throws {
        let client = try scenario.makeClient(servers, folder)
        let manager = client.manager
        let recorder = HARRecorder()
        manager.observers = [
            ConsoleLogger(level: .content, contentLimit: 1 << 20) { found.record(("log", $0)) }, recorder,
            HTTPMeasurements { found.record(("measurement", "\($0)")) },
        ]
        manager.observe { found.record(("event", "\($0) \(String(reflecting: $0))")) }
        manager.failureWriter = { found.record(("report of a failure", $0)) }

        try await call(scenario, servers, manager, folder, found)
        try await manager.finishAll()

        let archive = folder.appendingPathComponent("calls.har")
        try recorder.write(to: archive)
        found.record(("archive", try String(contentsOf: archive, encoding: .utf8)))
        try client.cassette?.save()
        found.record(("manager", "\(manager) \(String(reflecting: manager))"))
        for value in client.values {
            var dumped = ""
            dump(value, to: &dumped)
            found.record(("value", "\(value) \(String(reflecting: value)) \(dumped)"))
        }
        manager.invalidate(cancelingTasks: true, resettingSession: true)
        search(folder, found)
    }

    private func call(
        _ scenario: SecretScenario,
        _ servers: SecretServers,
        _ manager: SessionManager,
        _ folder: URL,
        _ found: Found
    ) async throws {
        let request = try scenario.makeRequest(servers)
        let task: SessionTask
        var error: LarkspurError?
        switch scenario.kind {
        case .await, .chain:
            let data = manager.dataTask(with: request, options: scenario.callOptions)
            if scenario.kind == .chain { data.response(as: .json) { found.record(("response", "\($0)")) } }
            let response = await data.response()
            (task, error) = (data, response.error)
            found.record(("response", "\(response) \(String(reflecting: response))"))
        case .upload:
            let upload = manager.uploadTask(with: request, options: scenario.callOptions)
            error = await upload.response().error
            task = upload
        case .download:
            let destination = folder.appendingPathComponent("downloaded")
            let download = manager.downloadTask(
                with: request,
                options: scenario.callOptions,
                to: .file(destination)
            )
            let response = await download.response()
            (task, error) = (download, response.error)
            found.record(("response", "\(response) \(String(reflecting: response))"))
        case .cancelledDownload:
            let download = manager.downloadTask(with: request, options: scenario.callOptions)
            let data = Recorder<Data?>()
            let hasBegun = Recorder<Void>()
            download.downloadProgress { if $0.completedUnitCount >= 5_000 { hasBegun.record(()) } }
                .response { _ in hasBegun.record(()) }
            try await hasBegun.wait()
            download.cancel { data.record($0) }
            error = await download.response().error
            if let data = try await data.first() {
                found.record(("resume data", String(decoding: data, as: UTF8.self)))
                CurlURLSession.discardResumeData(data)
            }
            task = download
        case .events:
            let data = manager.dataTask(with: request, options: scenario.callOptions)
            do throws(LarkspurError) { for try await _ in data.events {} } catch let failure { error = failure }
            task = data
        case .webSocket:
            return await openWebSocket(request, manager, found)
        case .pages:
            return await loadPages(request, scenario, manager, found)
        case .stream:
            let data = manager.dataTask(with: request, options: scenario.callOptions)
            do throws(LarkspurError) { for try await _ in data.chunks {} } catch let failure { error = failure }
            task = data
        }
        found.record(("command", task.cURLDescription()))
        found.record(("task", "\(task) \(String(reflecting: task))"))
        if let error { record(error, found) }
    }

    private func openWebSocket(_ request: URLRequest, _ manager: SessionManager, _ found: Found) async {
        let url = request.url?.absoluteString ?? ""
        let socket = manager.webSocket(url, headers: request.headers)
        do {
            try await socket.open()
            try await socket.send("a")
            _ = try await socket.receive()
            found.record(("open WebSocket", "\(socket) \(String(reflecting: socket))"))
            try await socket.close()
        } catch {
            record(error, found)
        }
        found.record(("WebSocket", "\(socket) \(String(reflecting: socket))"))
    }

    private func loadPages(
        _ request: URLRequest,
        _ scenario: SecretScenario,
        _ manager: SessionManager,
        _ found: Found
    ) async {
        let pages = manager.pages(
            request.url?.absoluteString ?? "",
            headers: request.headers,
            options: scenario.callOptions,
            as: [Int].self,
            by: .links
        )
        do {
            for try await page in pages { found.record(("page", "\(page)")) }
        } catch {
            record(error, found)
        }
    }

    private func record(_ error: any Error, _ found: Found) {
        // A WebSocket throws what the transport throws.
        if error is URLError { return found.record(("transport's error", "\(error) \(String(reflecting: error))")) }
        var dumped = ""
        dump(error, to: &dumped)
        let texts = [
            "\(error)", String(reflecting: error), error.localizedDescription, "\(error as NSError)",
            "\((error as NSError).userInfo)", dumped,
        ]
        for text in texts { found.record(("error", text)) }
        if let error = (error as? LarkspurError)?.underlyingError {
            found.record(("transport's error", "\(error) \(String(reflecting: error))"))
        }
    }

    /// Reads the files in a folder, except for content that the program has asked for.
    private func search(_ folder: URL, _ found: Found) {
        for path in FileManager.default.enumerator(atPath: folder.path)?.compactMap({ $0 as? String }) ?? [] {
            guard let data = FileManager.default.contents(atPath: folder.path + "/" + path) else { continue }
            let place = path.hasPrefix("cassette") ? "cassette" : path.hasPrefix("cache") ? "cache file" : "file"
            found.record((place, String(decoding: data, as: UTF8.self)))
        }
    }

    @Test("The search finds a secret in each encoding")
    func control() {
        for padding in ["", "p", "pp"] {
            let secret = padding + SecretScenario.boundWord
            let escaped = secret.utf8.map { "%" + String($0, radix: 16) }.joined()
            let texts =
                [secret, escaped] + ["ada:\(secret)", "\(secret)x"].map { Data($0.utf8).base64EncodedString() }
            for text in texts { #expect(CanaryGenerator.isFound(SecretScenario.boundWord, in: text), "\(text)") }
        }
        #expect(!CanaryGenerator.isFound(SecretScenario.boundWord, in: Data("ada:password".utf8).base64EncodedString()))
    }
}
