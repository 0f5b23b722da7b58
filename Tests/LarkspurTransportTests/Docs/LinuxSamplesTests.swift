#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

/// Runs the samples of `Docs/Linux.md` that need a server, and those of the overloads with a session that notes who
/// made a task.
@Suite("Samples of the page on Linux", .timeLimit(.minutes(5)))
struct LinuxSamplesTests {
    let server: LoopbackServer
    let samples: LinuxSamples

    init() throws {
        server = try LoopbackServer()
        server.route("/list", .text("one\ntwo"))
        samples = LinuxSamples(url: server.url("/list"))
    }

    @Test func dropIn() async throws {
        try await samples.dropIn()
        #expect(samples.output.values == ["200, 7 bytes"])
    }

    @Test func availability() throws {
        samples.availability()
        let version = try #require(CurlURLSession.libcurlVersion)
        #expect(samples.output.values == ["libcurl \(version)"])
    }

    @Test func choice() throws {
        let version = try #require(CurlURLSession.libcurlVersion)
        samples.choice(URL(fileURLWithPath: try #require(EngineReport().libcurlPath)))
        #expect(samples.output.values.isEmpty)
        samples.choice(URL(fileURLWithPath: "/missing/libcurl.so.4"))
        #expect(samples.output.values.count == 1)
        let text = "other-in-use: The process already uses libcurl \(version) ("
        #expect(samples.output.values.first?.hasPrefix(text) == true)
    }

    @Test func http3() {
        let session = samples.http3()
        #expect(samples.output.values == ["\(session.offersHTTP3)"])
        session.invalidateAndCancel()
    }

    @Test(arguments: TransportOfSample.allCases)
    func content(_ transport: TransportOfSample) async throws {
        let session = transport.makeSession()
        defer { session.finishTasksAndInvalidate() }
        try await samples.lines(session)
        #expect(samples.output.values == ["one", "two"])
    }

    @Test func cause() async throws {
        let port = server.port
        server.stop()
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        let samples = LinuxSamples(url: url)
        try await samples.cause(CurlURLSession(configuration: .ephemeral))
        #expect(samples.output.values.first?.hasPrefix("-1004: ") == true)
        #expect(samples.output.values.last == "libcurl's code 7")
    }

    @Test func metrics() async throws {
        let printer = MetricsPrinter()
        let session = CurlURLSession(configuration: .ephemeral, delegate: printer, delegateQueue: nil)
        session.dataTask(with: server.url("/list")).resume()
        session.finishTasksAndInvalidate()
        try await eventually(2) { printer.output.values.count }
        #expect(printer.output.values.first?.hasSuffix(" s, 0 redirects, 1 requests") == true)
        #expect(printer.output.values.last == "http/1.1, 7 bytes")
    }

    @Test("The module's overloads make tasks of a subclass, and Foundation's overloads do not")
    func overloads() async throws {
        let url = server.url("/list")
        let request = URLRequest(url: url)
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        let session = ScriptedSession(ScriptedSession.Script(onResume: { $0(response, nil) }, data: Data()))

        try await samples.foundationsOverloads(session, request)
        typealias Load = (URLRequest, (any URLSessionTaskDelegate)?) async throws -> (Data, URLResponse)
        let load: Load = session.data(for:delegate:)
        _ = try await load(request, nil)
        #expect(session.factories.isEmpty)

        try await samples.overloads(session, request, NoDelegate())
        #expect(session.factories.count == 2)
    }
}

/// The session that a sample is run with.
enum TransportOfSample: CaseIterable, Sendable {
    case curl, foundation

    func makeSession() -> URLSession {
        switch self {
        case .curl: CurlURLSession(configuration: .ephemeral)
        case .foundation: URLSession(configuration: .ephemeral)
        }
    }
}

private final class NoDelegate: NSObject, URLSessionTaskDelegate {}
#endif
