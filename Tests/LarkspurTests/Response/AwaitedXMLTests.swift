import LarkspurTesting
import Testing

@testable import Larkspur
@testable import LarkspurXML

struct AwaitedXMLTests {
    @Test(
        "A document's value can be awaited, and its closure gets nil if there is no content",
        arguments: TestTransport.allCases
    )
    func values(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        server.route(
            "/people",
            .data(Data("<people><name>Ada</name><name>Grace</name></people>"), contentType: "text/xml"),
            .data(Data("<people>"), contentType: "text/xml"),
            .status(204),
            .data(Data("<people><name>Eve</name></people>"), contentType: "text/xml", status: 503)
        )
        let manager = transport.makeManager(for: server)
        let calls = Recorder<Bool>()
        func names() async throws(LarkspurError) -> [String]? {
            try await manager.get("people").value(as: .xmlDocument) { document in
                calls.record(document != nil)
                return try document?.nodes(forXPath: "//name").compactMap(\.stringValue)
            }
        }
        #expect(try await names() == ["Ada", "Grace"])
        let malformed = await #expect(throws: LarkspurError.self) { try await names() }
        #expect(malformed?.code == .responseSerializationFailed)
        #expect(try await names() == nil)
        let refused = await #expect(throws: LarkspurError.self) { try await names() }
        #expect(refused?.code == .unacceptableStatusCode && refused?.underlyingError == nil)
        #expect(calls.values == [true, false])
    }

    @Test("Each serializer that returns objects can be awaited", arguments: TestTransport.allCases)
    func everySerializer(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        server.route("/json", .data(Data(#"{"a": 1}"#), contentType: "application/json"))
        server.route("/xml", .data(Data("<a><b/></a>"), contentType: "text/xml"))
        let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .xml, options: 0)
        server.route("/list", .data(list, contentType: "application/x-plist"))
        let manager = transport.makeManager(for: server)

        let json = try await manager.get("json").value(as: .json) { ($0 as? [String: Any])?.count }
        let list1 = try await manager.get("list").value(as: .propertyList) { ($0 as? [String: Any])?.count }
        let compound = try await manager.get("xml").value(as: .compound([.json, .xmlDocument])) { $0 is XMLDocument }
        let isParsed = try await manager.get("xml").value(as: .xmlParser) { parser in parser?.parse() == true }
        let name = await manager.get("xml").response(
            as: XMLDocumentResponseSerializer().map { document in document?.rootElement()?.name }
        )
        let file = try await manager.download("xml").value(as: .xmlDocument) { $0?.rootElement()?.name }

        #expect(json == 1 && list1 == 1 && compound && isParsed && name.value == "a" && file == "a")
    }

    @Test("An error of the closure becomes the underlying error") func errors() async throws {
        struct Missing: Error {}
        let server = try LoopbackServer()
        server.route("/xml", .data(Data("<a/>"), contentType: "text/xml"))
        let manager = TestTransport.curl.makeManager(for: server)

        let error = await #expect(throws: LarkspurError.self) {
            try await manager.get("xml").value(as: .xmlDocument) { _ in throw Missing() }
        }

        #expect(error?.code == .responseSerializationFailed && error?.underlyingError is Missing)
    }

    @Test("A mapped serializer decodes with the manager's decoder") func decoder() async throws {
        struct Account: Decodable { let accountName: String }
        let server = try LoopbackServer()
        server.route("/json", .data(Data(#"{"account_name": "Ada"}"#), contentType: "application/json"))
        let manager = TestTransport.curl.makeManager(for: server)
        manager.jsonDecoder.keyDecodingStrategy = .convertFromSnakeCase

        let name = try await manager.get("json").value(as: .decodable(Account.self)) { $0.accountName }

        #expect(name == "Ada")
    }

    @Test("If a serializer's output is optional, the response's value is not a nested optional")
    func oneOptional() async throws {
        let server = try LoopbackServer()
        server.route("/xml", .data(Data("<a/>"), contentType: "text/xml"), .status(204), .status(503))
        let manager = TestTransport.curl.makeManager(for: server)
        let names = Recorder<String?>()
        for _ in 1...3 {
            await withCheckedContinuation { continuation in
                manager.get("xml").response(as: .xmlDocument) { response in
                    let document: XMLDocument? = response.value
                    names.record(document?.rootElement()?.name)
                    continuation.resume()
                }
            }
        }
        #expect(names.values == ["a", nil, nil])
        if let document = DataResponse<XMLDocument?>(result: .success(XMLDocument())).value {
            #expect(document.rootElement() == nil)
        }
    }
}
