import LarkspurTesting
import Testing

@testable import Larkspur

/// Everything that a server can do wrong ends in exactly one outcome.
@Suite("Faults of servers", .timeLimit(.minutes(5)))
struct ServerFaultTests {
    typealias Fault = LoopbackServer.Fault

    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    /// The faults that FoundationNetworking cannot be given in the process of other tests: it ends the process, or
    /// keeps the work queue that all its sessions share busy for seconds; `FoundationLimitTests` has these in processes
    /// of their own. Or it takes an endless body as fast as that comes, with nothing to hold it back: gigabytes in
    /// memory or in a file before a busy machine gets to cancel it.
    static let contained: Set<Fault> = [
        .closeInHeader, .chunkTrailer, .endlessHeader, .endlessInformational, .endlessBody,
    ]

    static let cases: [(TestTransport, Fault)] = TestTransport.allCases.flatMap { transport in
        Fault.allCases.filter { transport != .foundation || !contained.contains($0) }.map { (transport, $0) }
    }

    /// What the error says about a fault that is no whole response.
    private static func expectedCode(_ fault: Fault, isDownload: Bool) -> LarkspurError.Code? {
        switch fault {
        case .noResponse, .slowBody: .timedOut
        case .endlessBody: isDownload ? .timedOut : .contentTooLarge
        case .closeBeforeHeader, .resetBeforeHeader, .closeInHeader, .shortBody, .resetInBody, .missingLastChunk:
            .connectionLost
        case .garbageStatusLine, .endlessHeader, .endlessInformational, .conflictingLengths, .brokenChunk:
            .malformedResponse
        case .truncatedGzip, .falseGzip: .contentDecodingFailed
        case .oneByteAtATime, .noReasonPhrase, .chunkTrailer, .bareLineFeeds, .sloppyHeader, .longBody,
            .unannouncedClose:
            nil
        }
    }

    /// Why FoundationNetworking makes something else of a fault.
    private static func knownIssue(_ fault: Fault, _ transport: TestTransport) -> Comment? {
        guard transport == .foundation else { return nil }
        return switch fault {
        case .truncatedGzip: "A gzip body that ends too early is reported as whole"
        case .conflictingLengths: "The first of two lengths is believed"
        case .noReasonPhrase, .bareLineFeeds, .sloppyHeader: "The header is parsed more strictly than RFC 9112 asks for"
        default: nil
        }
    }

    /// A manager whose tasks give up after a mebibyte, and after a second if nothing else ends them.
    private func makeManager(_ transport: TestTransport, for fault: Fault) -> SessionManager {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 45
        configuration.timeoutIntervalForResource = fault.outcome == .endless ? 1 : 45
        let manager = transport.makeManager(for: server, configuration: configuration)
        manager.maximumContentSize = 1 << 20
        return manager
    }

    private func check(
        _ result: Result<Data?, LarkspurError>,
        _ fault: Fault,
        _ transport: TestTransport,
        isDownload: Bool
    ) {
        let expected = Self.expectedCode(fault, isDownload: isDownload)
        let issue = Self.knownIssue(fault, transport)
        withKnownIssue(issue) {
            switch result {
            case .success(let data):
                #expect(expected == nil)
                if let data { #expect(data == Data(Fault.body.utf8)) }
            case .failure(let error): #expect(error.code == expected)
            }
        } when: {
            issue != nil
        }
        if case .failure(let error) = result {
            #expect(error.code != .transportFailed && error.code != .cancelled)
            #expect(error.message.count > 10)
            #expect(error.request?.url?.path == fault.path)
        }
    }

    @Test(
        "A data task ends once, with the error that names the fault",
        arguments: cases
    )
    func data(_ transport: TestTransport, _ fault: Fault) async throws {
        try await checkDataTask(transport, fault)
    }

    func checkDataTask(_ transport: TestTransport, _ fault: Fault) async throws {
        let manager = makeManager(transport, for: fault)
        let results = Recorder<Result<Data?, LarkspurError>>()
        let task = manager.dataTask(with: URLRequest(url: server.url(fault.path)), as: DataResponseSerializer()) {
            results.record($0.result.map(Optional.some))
        }
        let notifications = NotificationRecorder(task)

        task.resume()
        try await manager.finishAll()

        #expect(results.values.count == 1)
        #expect(notifications.names == [SessionTask.didResumeNotification, SessionTask.didCompleteNotification])
        #expect(manager.tasks.isEmpty)
        check(try await results.first(), fault, transport, isDownload: false)
    }

    @Test(
        "A download ends once, with the error that names the fault, and leaves no file",
        arguments: cases
    )
    func download(_ transport: TestTransport, _ fault: Fault) async throws {
        try await checkDownload(transport, fault)
    }

    func checkDownload(_ transport: TestTransport, _ fault: Fault) async throws {
        let manager = makeManager(transport, for: fault)
        let results = Recorder<Result<Data?, LarkspurError>>()

        manager.downloadTask(with: URLRequest(url: server.url(fault.path))) { response in
            results.record(response.result.map { try? Data(contentsOf: $0) })
        }.resume()
        try await manager.finishAll()

        #expect(results.values.count == 1)
        #expect(manager.tasks.isEmpty)
        check(try await results.first(), fault, transport, isDownload: true)
    }

    @Test("Content above the memory limit of a task is an error", arguments: TestTransport.allCases)
    func contentLimit(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        manager.maximumContentSize = 100_000

        let tooMuch = try await manager.call(.get, "bytes/300000", serializer: DataResponseSerializer())
        let enough = try await manager.call(.get, "bytes/100000", serializer: DataResponseSerializer())

        #expect(tooMuch.error?.code == .contentTooLarge)
        #expect((tooMuch.error?.responseData?.count ?? 0) <= 100_000)
        #expect(enough.error == nil)
    }

    @Test("The error names a host that cannot be found or connected to", arguments: TestTransport.allCases)
    func noServer(_ transport: TestTransport) async throws {
        let manager = transport.makeManager()
        let closed = try LoopbackServer()
        let url = closed.url("/")
        closed.stop()

        #expect(try await manager.call(.get, url.absoluteString).error?.code == .cannotConnectToHost)
        #expect(try await manager.call(.get, "http://no-such-host.invalid/").error?.code == .cannotFindHost)
        #expect(try await manager.call(.get, "gopher://127.0.0.1/").error?.code == .unsupportedURL)
    }

    @Test(
        "A timeout of any length neither ends the process nor ends a request at once",
        arguments: TestTransport.allCases,
        [.infinity, .greatestFiniteMagnitude, 1e16, 0, -5, .nan]
    )
    func timeouts(_ transport: TestTransport, _ timeout: TimeInterval) async throws {
        server.route("/later", .json("[]").delayed(by: .milliseconds(100)))
        let manager = transport.makeManager(for: server)
        manager.requestSettings.timeoutInterval = timeout

        let call = try await manager.call(.get, "later")

        #expect(call.error == nil)
    }

    @Test(
        "The timeout of a configuration neither ends the process nor ends a request at once",
        arguments: TestTransport.allCases,
        [.infinity, -1]
    )
    func timeoutOfConfiguration(_ transport: TestTransport, _ timeout: TimeInterval) async throws {
        server.route("/later", .json("[]").delayed(by: .milliseconds(100)))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout

        #expect(
            try await transport.makeManager(for: server, configuration: configuration).call(.get, "later").error == nil
        )
    }

    @Test("A sub-second timeout ends a request without a response", arguments: TestTransport.allCases)
    func subSecondTimeout(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        manager.requestSettings.timeoutInterval = 0.3

        #expect(try await manager.call(.get, "fault/no-response").error?.code == .timedOut)
    }

    @Test("Configuration fields that are not strings are sent as strings", arguments: TestTransport.allCases)
    func configurationFields(_ transport: TestTransport) async throws {
        let configuration = URLSessionConfiguration.testing
        configuration.httpAdditionalHeaders = ["X-Number": 5, 6: "X"]
        configuration.protocolClasses = [NSObject.self]

        let call = try await transport.makeManager(for: server, configuration: configuration).call(.get, "headers")

        #expect(call.error == nil)
        #expect(server.requests.first?.headers["X-Number"] == "5")
    }

    @Test("Configuration fields with a line break are refused", arguments: TestTransport.allCases)
    func malformedConfigurationFields(_ transport: TestTransport) async throws {
        let configuration = URLSessionConfiguration.testing
        configuration.httpAdditionalHeaders = ["X-Field": "a\r\nX-Injected: b"]

        let call = try await transport.makeManager(for: server, configuration: configuration).call(.get, "headers")

        #expect(call.error?.code == .invalidHeaderField)
        #expect(server.requests.isEmpty)
    }
}
