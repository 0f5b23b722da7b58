import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("Trailers", .timeLimit(.minutes(5)))
struct TrailerTests {
    let server: LoopbackServer
    private let sum: HTTPHeaders = ["X-Sum": "1, 2"]

    init() throws {
        server = try LoopbackServer()
        let trailers: LoopbackServer.Fields = ["X-Sum": "1", "x-sum": "2", "Content-Type": "a/b"]
        server.route("/sum", .chunked([Data("ok".utf8)], trailers: trailers))
        server.route("/none", .chunked([Data("ok".utf8)]))
    }

    // Trailers end a process that uses FoundationNetworking.
    @Test("A response and its task have the trailers", arguments: [TestTransport.curl, .delegate])
    func response(_ transport: TestTransport) async throws {
        let task = transport.makeManager(for: server).get("sum")
        let response = await task.response(as: .data)
        #expect(response.value == Data("ok".utf8))
        #expect(response.trailers == sum)
        #expect(task.trailers == sum)
        #expect(response.httpResponse?.value(forHTTPHeaderField: "X-Sum") == nil)
        #expect(response.map { $0.count }.trailers == sum)
        #expect(response.tryMap { $0.count }.trailers == sum)
        #expect(response.mapError { $0 }.trailers == sum)
    }

    @Test("A download and the response of a handler have the trailers")
    func download() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let download = await manager.download("sum").response()
        try FileManager.default.removeItem(at: #require(download.fileURL))
        #expect(download.trailers == sum)
        let handled = Recorder<HTTPHeaders?>()
        manager.get("sum").response(as: .string) { handled.record($0.trailers) }
        #expect(try await handled.first() == sum)
    }

    @Test("The trailers follow the content of a sequence")
    func sequence() async throws {
        let gate = LoopbackServer.Gate()
        var slow = LoopbackServer.Response.chunked([], trailers: ["X-Sum": "3"])
        slow.body = [.bytes(Data("o".utf8)), .wait(gate), .bytes(Data("k".utf8))]
        server.route("/slow", slow)
        let task = TestTransport.curl.makeManager(for: server).get("slow")
        var content = Data()
        for try await chunk in task.chunks {
            if content.isEmpty {
                #expect(task.trailers == nil)
                gate.open()
            }
            content += chunk
        }
        #expect(content == Data("ok".utf8))
        #expect(task.trailers == ["X-Sum": "3"])
    }

    @Test("Without trailers, the value is nil")
    func none() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let task = manager.get("none")
        let response = await task.response(as: .data)
        #expect(response.value == Data("ok".utf8))
        #expect(response.trailers == nil)
        #expect(task.trailers == nil)
    }

    @Test("Interceptors see the trailers of each attempt, and the call has those of the last attempt")
    func interceptors() async throws {
        var busy = LoopbackServer.Response.chunked([Data("no".utf8)], trailers: ["X-Sum": "9"])
        busy.status = 503
        server.route("/busy", busy)
        let manager = TestTransport.curl.makeManager(for: server)
        let seen = Recorder<HTTPHeaders?>()
        let retrying = ClosureInterceptor { [server] request, context, next in
            let first = try await next(request)
            seen.record(first.trailers)
            return try await next(URLRequest(url: server.url("/none")))
        }
        let response = await manager.get("busy").intercept(with: retrying).response(as: .data)
        #expect(seen.values == [["X-Sum": "9"]])
        #expect(response.value == Data("ok".utf8))
        #expect(response.trailers == nil)

        let replacing = ClosureInterceptor { request, context, next in
            var response = try await next(request)
            response.trailers?["X-Sum"] = "changed"
            return response
        }
        let replaced = await manager.get("sum").intercept(with: replacing).response(as: .data)
        #expect(replaced.trailers == ["X-Sum": "changed"])
    }

    @Test("A response for tests has the trailers that it is created with")
    func made() {
        let data = DataResponse(trailers: sum, result: .success(1))
        let download = DownloadResponse(trailers: sum, result: .success(server.baseURL))
        #expect(data.trailers == sum)
        #expect(download.trailers == sum)
        #expect(DataResponse(result: .success(1)).trailers == nil)
        #expect(DownloadResponse(result: .success(server.baseURL)).trailers == nil)
    }
}
