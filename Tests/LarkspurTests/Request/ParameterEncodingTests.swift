import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Parameters as a literal, a dictionary and a value", .timeLimit(.minutes(5)))
struct ParameterEncodingTests {
    private struct Filter: Encodable, Sendable {
        enum Order: String, Encodable { case newest }

        var order = Order.newest
        var page = 2
        var tags = ["x", "y"]
        var missing: String?
    }

    private static let query = "order=newest&page=2&tags%5B%5D=x&tags%5B%5D=y"

    /// The three forms of the same parameters.
    private static var forms: [Parameters] {
        let fields: [String: any Sendable] = ["order": "newest", "page": 2, "tags": ["x", "y"]]
        return [["order": "newest", "page": 2, "tags": ["x", "y"]], .dictionary(fields), .encodable(Filter())]
    }

    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/x", .json("[]"))
        server.route("/events", .data(Data("data: 1\n\n".utf8), contentType: "text/event-stream"))
        server.webSocket("/socket") { _ in }
    }

    @Test("Every function with a query accepts all forms of parameters", arguments: TestTransport.allCases)
    func queries(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let body = RequestBody.data(Data("body".utf8))
        for parameters in Self.forms {
            _ = try await manager.get("x", parameters: parameters).data
            _ = try await manager.delete("x", parameters: parameters).data
            _ = try await manager.head("x", parameters: parameters).data
            _ = try await manager.request("REPORT", "x", parameters: parameters, body: body).data
            _ = try await manager.post("x", parameters: parameters, body: body).data
            _ = try await manager.upload("x", from: body, parameters: parameters).data
            _ = await manager.download("x", parameters: parameters).response()
            for try await _ in manager.pages("x", parameters: parameters, as: [Int].self, by: .links) {}
        }
        #expect(server.requests.map(\.target) == Array(repeating: "/x?\(Self.query)", count: 24))
    }

    @Test("Event streams and WebSockets accept all forms of parameters")
    func connections() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        for parameters in Self.forms {
            for try await _ in manager.events("events", parameters: parameters, reconnection: .never) {}
            let socket = manager.webSocket("socket", parameters: parameters)
            try await socket.open()
            socket.cancel()
        }
        let targets = ["/events?\(Self.query)", "/socket?\(Self.query)"]
        #expect(server.requests.map(\.target) == targets + targets + targets)
    }

    @Test("Every function with content accepts all forms of parameters", arguments: TestTransport.allCases)
    func contents(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        for parameters in Self.forms {
            _ = try await manager.post("x", parameters: parameters).data
            _ = try await manager.put("x", parameters: parameters).data
            _ = try await manager.patch("x", parameters: parameters).data
            _ = try await manager.request("REPORT", "x", parameters: parameters).data
        }
        #expect(server.requests.map(\.text) == Array(repeating: Self.query, count: 12))
    }

    @Test("All forms of parameters become the same JSON", arguments: TestTransport.allCases)
    func json(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        manager.requestSerializer = .json
        for parameters in Self.forms {
            _ = try await manager.post("x", parameters: parameters).data
        }
        let contents = try server.requests.map { try JSONDecoder().decode(JSONValue.self, from: Data($0.text.utf8)) }
        #expect(contents == Array(repeating: ["order": "newest", "page": 2, "tags": ["x", "y"]], count: 3))
    }

    @Test("The parameters of a pagination replace parameters of the call")
    func pagination() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let pages = manager.pages("x", parameters: .encodable(Filter()), as: [Int].self, by: .number(until: \.isEmpty))
        for try await _ in pages {}
        #expect(server.requests.first?.query("page") == "1" && server.requests.first?.query("order") == "newest")
    }

    @Test("The last value for a name counts")
    func repeatedName() throws {
        #expect(try QueryEncoder().encode(["a": 1, "a": 2]) == "a=2")
    }
}
