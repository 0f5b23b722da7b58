#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import LarkspurTransport

/// The delegate that is given to an async method, which returns the content as well.
@Suite("Delegates of async methods", .timeLimit(.minutes(5)))
struct AsyncDelegateTests {
    let server: LoopbackServer
    let folder: TemporaryDirectory

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryDirectory()
    }

    enum Method: String, CaseIterable, Sendable {
        case dataForRequest, dataFromURL, uploadData, uploadFile
        /// Foundation's own method, as code that was compiled without this module calls it.
        case handed
    }

    private func send(
        _ method: Method,
        _ path: String,
        with session: URLSession,
        _ delegate: any URLSessionTaskDelegate
    ) async throws -> Data {
        let url = server.url(path)
        switch method {
        case .dataForRequest: return try await session.data(for: URLRequest(url: url), delegate: delegate).0
        case .dataFromURL: return try await session.data(from: url, delegate: delegate).0
        case .uploadData:
            return try await session.upload(for: URLRequest(url, "PUT"), from: Data("up".utf8), delegate: delegate).0
        case .uploadFile:
            let file = try folder.file(Data("up".utf8))
            return try await session.upload(for: URLRequest(url, "PUT"), fromFile: file, delegate: delegate).0
        case .handed:
            let delegate: (any URLSessionTaskDelegate)? = delegate
            return try await session.data(for: URLRequest(url: url), delegate: delegate).0
        }
    }

    @Test(
        "The delegate of an async call receives the response and the content once, and the caller all content",
        arguments: Method.allCases
    )
    func content(method: Method) async throws {
        let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        server.route("/large", .data(content))
        server.route("/redirected", .redirect(to: "/large", status: 307))
        server.route("/nothing", .status(204))
        let others = DelegateLog()
        let session = CurlURLSession(configuration: .testing, delegate: others, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        for (path, expected) in [("/large", content), ("/redirected", content), ("/nothing", Data())] {
            let log = DelegateLog()
            let result = try await send(method, path, with: session, log)
            // A difference of so many bytes takes long to describe.
            // Foundation's client hands the content of a URLProtocol, which carries these calls, to no delegate.
            let delivered = method == .handed ? Data() : expected
            let (isReturned, isDelivered) = (result == expected, log.data == delivered)
            #expect(isReturned && isDelivered, "\(path): \(result.count), \(log.data.count)")
            var names = ["response"]
            if path == "/redirected" { names.insert("redirect", at: 0) }
            if !delivered.isEmpty { names.append("data") }
            #expect(log.names.filter { $0 != "sent" } == names)
            #expect(log.events.values.filter { $0.name == "response" }.count == 1)
        }
        #expect(others.names.isEmpty)
    }

    @Test("The delegate of an async call receives a response from the cache too")
    func cached() async throws {
        server.route("/x", .text("stored").adding("Cache-Control", "max-age=600"))
        let session = CurlURLSession(configuration: .testing { $0.urlCache = HTTPCache() })
        defer { session.finishTasksAndInvalidate() }
        for _ in 0..<2 {
            let log = DelegateLog()
            #expect(try await send(.dataFromURL, "/x", with: session, log) == Data("stored".utf8))
            #expect(log.names == ["response", "data"])
            #expect(log.data == Data("stored".utf8))
        }
        #expect(server.requests.count == 1)
    }

    @Test("The delegate's disposition can cancel an async call, and has no other effect")
    func dispositions() async throws {
        server.route("/x", .text("content"))
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        let downloads = URLSession.ResponseDisposition(rawValue: 2) ?? .allow
        for disposition in [URLSession.ResponseDisposition.allow, downloads] {
            let log = DelegateLog(.with { $0.response = { _, answer in answer(disposition) } })
            #expect(try await send(.dataForRequest, "/x", with: session, log) == Data("content".utf8))
            #expect(log.names == ["response", "data"])
        }
        // A handler that is released without a call refuses.
        for log in [
            DelegateLog(.with { $0.response = { _, answer in answer(.cancel) } }),
            DelegateLog(.with { $0.response = { _, _ in } }),
        ] {
            let error = await #expect(throws: URLError.self) {
                try await send(.dataForRequest, "/x", with: session, log)
            }
            #expect(error?.code == .cancelled)
        }
    }

    @Test("The delegate of a task with a completion handler receives no content, as with FoundationNetworking")
    func completionHandlers() async throws {
        let outcomes = Recorder<Outcome>()
        let log = DelegateLog()
        for kind in TestSession.allCases {
            let session = kind.make()
            defer { session.finishTasksAndInvalidate() }
            let task = session.dataTask(with: server.url("/bytes/9")) {
                outcomes.record(Outcome(data: $0, response: $1, error: $2))
            }
            task.delegate = log
            task.resume()
        }
        #expect(try await outcomes.wait(for: 2).allSatisfy { $0.data?.count == 9 })
        #expect(log.names.isEmpty)
    }
}
#endif
