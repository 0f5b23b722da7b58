#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Requests with empty content", .timeLimit(.minutes(5)))
struct EmptyContentTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/empty", .status(200))
    }

    private func check(_ method: String) throws {
        let request = try #require(server.requests.last)
        #expect(request.method == method)
        #expect(request.body.isEmpty)
        #expect(request.headers["Content-Type"] == nil)
        #expect(request.headers["Transfer-Encoding"] == nil)
        #expect(request.headers["Expect"] == nil)
        #expect(request.headers["Content-Length"] == (["POST", "PUT", "PATCH", "QUERY"].contains(method) ? "0" : nil))
    }

    static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "QUERY"]

    @Test("An empty body counts as no content", arguments: methods)
    func data(method: String) async throws {
        for body in [Data(), nil] {
            let request = URLRequest(server.url("/empty"), method, body: body)
            let outcome = try await Style.handler.send(request)
            #expect(outcome.status == 200)
            try check(method)
        }
    }

    @Test("An upload of empty data counts as no content", arguments: methods)
    func upload(method: String) async throws {
        let file = URL(filePath: NSTemporaryDirectory()).appending(path: "empty-\(UUID().uuidString)")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        let request = URLRequest(server.url("/empty"), method)
        let outcomes = Recorder<Outcome>()
        session.uploadTask(with: request, from: Data()) {
            outcomes.record(Outcome(data: $0, response: $1, error: $2))
        }.resume()
        #expect(try await outcomes.first().status == 200)
        try check(method)
        let others = Recorder<Outcome>()
        session.uploadTask(with: request, fromFile: file) {
            others.record(Outcome(data: $0, response: $1, error: $2))
        }.resume()
        #expect(try await others.first().status == 200)
        try check(method)
    }

    @Test("The caller's Content-Type of an empty body is sent")
    func ownType() async throws {
        let request = URLRequest(server.url("/empty"), "POST", body: Data(), headers: ["Content-Type": "a/b"])
        _ = try await Style.handler.send(request)
        #expect(server.requests.last?.headers["Content-Type"] == "a/b")
        #expect(server.requests.last?.headers["Content-Length"] == "0")
    }
}
#endif
