import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("The encoding of the parameters of one call", .timeLimit(.minutes(5)))
struct CallParameterEncodingTests {
    /// An encoding, and the request that it leads to.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let encoding: ParameterEncoding?
        let method: HTTPMethod
        let target: String
        let content: String
        let type: String?
    }

    private static let noBrackets: QueryEncoder = {
        var encoder = QueryEncoder()
        encoder.arrayStyle = .noBrackets
        return encoder
    }()

    private static let rows: [Row] = {
        let query = "tags%5B%5D=a&tags%5B%5D=b"
        let form = "application/x-www-form-urlencoded"
        let json = #"{"tags":["a","b"]}"#
        return [
            Row("none, GET", nil, .get, query: query),
            Row("none, POST", nil, .post, query, form),
            Row("query, POST", .query, .post, query: query),
            Row("query, GET", .query, .get, query: query),
            Row("query with an encoder", .query(noBrackets), .put, query: "tags=a&tags=b"),
            Row("form, DELETE", .form, .delete, query, form),
            Row("form with an encoder", .form(noBrackets), .post, "tags=a&tags=b", form),
            Row("JSON, POST", .json, .post, json, "application/json"),
            Row("JSON, DELETE", .json, .delete, json, "application/json"),
            Row("a serializer", .content(JSONRequestSerializer()), .patch, json, "application/json"),
        ]
    }()

    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/x", .json("{}"))
    }

    @Test("Parameters are encoded by the options of the call", arguments: TestTransport.allCases, rows)
    func encodings(_ transport: TestTransport, _ row: Row) async throws {
        let manager = transport.makeManager(for: server)
        let options = row.encoding.map { CallOptions(parameterEncoding: $0) }
        let parameters: Parameters = ["tags": ["a", "b"]]
        _ = try await manager.request(row.method, "x", parameters: parameters, options: options).data
        let request = try #require(server.requests.first)
        #expect(request.target == row.target)
        #expect(request.text == row.content && request.headers["Content-Type"] == row.type)
        // The next call has the settings of the manager.
        _ = try await manager.post("x", parameters: parameters).data
        #expect(server.requests.last?.text == "tags%5B%5D=a&tags%5B%5D=b")
    }

    @Test("Every kind of call uses the encoding of its options", arguments: TestTransport.allCases)
    func kinds(_ transport: TestTransport) async throws {
        struct Value: Decodable, Sendable {}
        let manager = transport.makeManager(for: server)
        let options = CallOptions(parameterEncoding: .query(Self.noBrackets))
        let parameters: Parameters = ["tags": ["a", "b"]]
        _ = try await manager.post("x", parameters: parameters, options: options).value(as: Value.self)
        _ = await manager.download("x", method: .post, parameters: parameters, options: options).response()
        let body = RequestBody.data(Data("body".utf8))
        _ = try await manager.upload("x", from: body, parameters: parameters, options: options).data
        _ = try await manager.put("x", parameters: parameters, body: body, options: options).data
        #expect(server.requests.map(\.target) == Array(repeating: "/x?tags=a&tags=b", count: 4))
        #expect(server.requests.map(\.text) == ["", "", "body", "body"])
    }

    @Test("An encoder of the call takes precedence over the custom query of the manager")
    func customQuery() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        manager.requestSettings.customQuery = { _, _ in "custom" }
        _ = try await manager.get("x", parameters: ["a": 1], options: CallOptions(parameterEncoding: .query)).data
        let options = CallOptions(parameterEncoding: .query(QueryEncoder()))
        _ = try await manager.get("x", parameters: ["a": 1], options: options).data
        #expect(server.requests.map(\.target) == ["/x?custom", "/x?a=1"])
    }
}

extension CallParameterEncodingTests.Row {
    fileprivate init(_ name: String, _ encoding: ParameterEncoding?, _ method: HTTPMethod, query: String) {
        self.init(
            testDescription: name,
            encoding: encoding,
            method: method,
            target: "/x?" + query,
            content: "",
            type: nil
        )
    }

    fileprivate init(
        _ name: String,
        _ encoding: ParameterEncoding?,
        _ method: HTTPMethod,
        _ content: String,
        _ type: String
    ) {
        self.init(
            testDescription: name,
            encoding: encoding,
            method: method,
            target: "/x",
            content: content,
            type: type
        )
    }
}
