import LarkspurTesting
import Testing

@testable import Larkspur

/// The content of calls: parameters, values that encode themselves, and the encoders and decoders of a session manager.
@Suite("Content of calls", .timeLimit(.minutes(5)))
struct CallContentTests {
    private struct Item: Codable, Sendable, Equatable {
        var firstName = "Ada"
        var note: String?
    }

    /// The requests that a stub has got.
    private let requests = Recorder<URLRequest>()

    private func makeManager(_ reply: String = "{}") -> SessionManager {
        .stubbed { [requests] request in
            requests.record(request)
            return .json(reply)
        }
    }

    /// Makes calls, and returns the content of each in the order in which they were made.
    private func contents(_ call: (SessionManager) throws -> DataTask) async throws -> (URLRequest?, String) {
        let manager = makeManager()
        let task = try call(manager)
        try await manager.finishAll()
        let request = task.originalRequest
        return (request, String(decoding: request?.httpBody ?? Data(), as: UTF8.self))
    }

    @Test("Literals, variables and values of all kinds are accepted as parameters and as a body")
    func kinds() async throws {
        let variable: [String: Any] = ["a": 1, "b": "x"]
        let optional: [String: Any]? = nil
        let texts = ["a": "1"]
        let item: Item? = Item()
        let missing: Item? = nil
        func expect(_ content: String, _ call: (SessionManager) -> DataTask) async throws {
            #expect(try await contents(call).1 == content)
        }
        try await expect("a=1&b=x") { $0.post("x", parameters: ["a": 1, "b": "x"]) { _, _ in } }
        try await expect("a=1&b=x") { $0.post("x", parameters: .dictionary(variable)) { _, _ in } }
        try await expect("") { $0.post("x", parameters: optional.map(Parameters.dictionary)) { _, _ in } }
        try await expect("a=1") { $0.post("x", parameters: .dictionary(texts)) { _, _ in } }
        try await expect("") { $0.post("x", parameters: [:]) { _, _ in } }
        try await expect("") { $0.post("x", parameters: nil) { _, _ in } }
        try await expect(#"{"firstName":"Ada"}"#) { $0.post("x", body: .json(Item())) { _, _ in } }
        try await expect(#"{"firstName":"Ada"}"#) { $0.post("x", body: .json(item)) { _, _ in } }
        try await expect("null") { $0.post("x", body: .json(missing)) { _, _ in } }
        try await expect("") { $0.post("x", body: missing.map { .json($0) }) { _, _ in } }
        try await expect("") { $0.post("x", body: nil) { _, _ in } }
        try await expect("[1,2]") { $0.post("x", body: .json([1, 2])) { _, _ in } }
        try await expect(#"{"a":1}"#) { $0.post("x", body: .json(["a": 1])) { _, _ in } }
        try await expect(#"{"a":"1"}"#) { $0.put("x", body: .json(texts), as: [String: Int].self) { _, _ in } }
        try await expect(#""text""#) {
            $0.patch("x", body: .json("text"), as: .data) { _, _ in
            } failure: { _, _ in
            }
        }
        try await expect("true") {
            $0.request(
                "REPORT",
                "x",
                body: .json(true),
                options: CallOptions(uploadProgress: { _ in
                })
            ) { _, _ in
            }
        }
    }

    @Test("Every method with content accepts a body, and the parameters are then in the query")
    func bodyAndParameters() async throws {
        func expect(_ method: HTTPMethod, _ call: (SessionManager) -> DataTask) async throws {
            let (request, content) = try await contents(call)
            #expect(request?.httpMethod == method.rawValue)
            #expect(request?.url?.query == "a=1")
            #expect(content == #"{"firstName":"Ada"}"#)
            #expect(request?.headers["Content-Type"] == "application/json")
        }
        try await expect(.post) { $0.post("x", parameters: ["a": 1], body: .json(Item())) { _, _ in } }
        try await expect(.post) {
            $0.post("x", parameters: ["a": 1], body: .json(Item()), as: Empty.self) { _, _ in }
        }
        try await expect(.put) { $0.put("x", parameters: ["a": 1], body: .json(Item())) { _, _ in } }
        try await expect(.put) {
            $0.put("x", parameters: ["a": 1], body: .json(Item()), as: Empty.self) { _, _ in }
        }
        try await expect(.patch) { $0.patch("x", parameters: ["a": 1], body: .json(Item())) { _, _ in } }
        try await expect(.patch) {
            $0.patch("x", parameters: ["a": 1], body: .json(Item()), as: Empty.self) { _, _ in }
        }
        try await expect(.delete) { $0.delete("x", parameters: ["a": 1], body: .json(Item())) { _, _ in } }
        try await expect(.delete) {
            $0.delete("x", parameters: ["a": 1], body: .json(Item()), as: Empty.self) { _, _ in }
        }
        try await expect("REPORT") { $0.request("REPORT", "x", parameters: ["a": 1], body: .json(Item())) { _, _ in } }
        try await expect("REPORT") {
            $0.request("REPORT", "x", parameters: ["a": 1], body: .json(Item()), as: Empty.self) { _, _ in }
        }
    }

    @Test("The encoder of a call encodes its body and determines the type")
    func encoderOfCall() async throws {
        struct Lines: DataEncoder {
            let contentType = "text/lines"

            func encode<Value: Encodable>(_ value: Value) throws -> Data { Data("\(value)\n".utf8) }
        }

        let (own, content) = try await contents { $0.post("x", body: .encoded(7, by: Lines())) { _, _ in } }
        let (list, _) = try await contents {
            $0.post("x", body: .encoded(Item(), by: PropertyListEncoder())) { _, _ in }
        }
        let (named, _) = try await contents {
            $0.post("x", body: .encoded(7, by: Lines()), headers: ["Content-Type": "text/plain"]) { _, _ in }
        }

        #expect(content == "7\n" && own?.headers["Content-Type"] == "text/lines")
        #expect(list?.headers["Content-Type"] == "application/x-plist")
        #expect(try PropertyListDecoder().decode(Item.self, from: try #require(list?.httpBody)) == Item())
        #expect(named?.headers["Content-Type"] == "text/plain")
    }

    @Test("Bodies and typed responses use the manager's coders")
    func coders() async throws {
        let manager = makeManager(#"{"first_name": "Grace"}"#)
        manager.jsonEncoder.keyEncodingStrategy = .convertToSnakeCase
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        manager.jsonDecoder = decoder
        let names = Recorder<String>()

        manager.post("x", body: .json(Item()), as: Item.self) { names.record($1.firstName) }
        manager.copy().get("x", as: Item.self) { names.record($1.firstName) }
        manager.post(
            "x",
            body: .multipart {
                $0.append(text: "b", name: "a")
            },
            as: Item.self
        ) {
            names.record($1.firstName)
        }
        try await manager.finishAll()

        #expect(names.values == ["Grace", "Grace", "Grace"])
        let body = try #require(requests.values.first { $0.headers["Content-Type"] == "application/json" }?.httpBody)
        #expect(String(decoding: body, as: UTF8.self) == #"{"first_name":"Ada"}"#)
    }

    @Test("A body is written in the format of the manager's encoder")
    func formatting() async throws {
        let (_, pretty) = try await contents { manager in
            manager.jsonEncoder.outputFormatting = .prettyPrinted
            return manager.post("x", body: .json(["a": 1])) { _, _ in }
        }
        let (_, sorted) = try await contents { manager in
            manager.jsonEncoder.outputFormatting = .sortedKeys
            return manager.post("x", body: .json(["z": 3, "a": 1, "p": 2])) { _, _ in }
        }

        #expect(pretty == "{\n  \"a\" : 1\n}")
        #expect(sorted == #"{"a":1,"p":2,"z":3}"#)
    }

    @Test("The serializer of a call keeps its own decoder")
    func decoderOfSerializer() async throws {
        let manager = makeManager(#"{"firstName": "Grace", "first_name": "Ada"}"#)
        manager.jsonDecoder.keyDecodingStrategy = .convertFromSnakeCase
        let names = Recorder<String>()

        manager.get("x", as: Item.self) { names.record($1.firstName) }

        #expect(try await names.first() == "Grace")
    }

    @Test("If a body cannot be encoded, the error names the type of the faulty value, and nothing is sent")
    func unencodable() async throws {
        struct Refusal: Error {}
        struct Refusing: Encodable {
            func encode(to encoder: any Encoder) throws { throw Refusal() }
        }
        let list = PropertyListEncoder()
        list.outputFormat = .openStep
        func expect(_ text: String, _ call: (SessionManager, @escaping SessionManager.FailureHandler) -> Void)
            async throws
        {
            let errors = Recorder<(DataTask?, LarkspurError)>()
            call(makeManager()) { errors.record(($0, $1)) }
            let (task, error) = try await errors.first()
            #expect(task == nil && error.code == .parameterEncodingFailed)
            #expect(error.description.contains(text), "\(error)")
        }
        try await expect("this Double at `a`") {
            $0.post("x", body: .json(["a": Double.nan]), success: { _, _ in }, failure: $1)
        }
        try await expect("threw Refusal") { $0.post("x", body: .json(Refusing()), success: { _, _ in }, failure: $1) }
        try await expect("OpenStep") { $0.post("x", body: .encoded(1, by: list), success: { _, _ in }, failure: $1) }
        #expect(requests.values.isEmpty)
    }
}
