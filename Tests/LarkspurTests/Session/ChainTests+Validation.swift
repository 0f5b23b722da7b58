import LarkspurTesting
import Testing

@testable import Larkspur

extension ChainTests {
    @Test("validate() replaces the rules of the serializers", arguments: TestTransport.allCases)
    func validation(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)

        let accepted = await manager.get("refused").validate(statusCode: 200..<500).response(as: [String: String].self)
        let status = await manager.get("user").validate(statusCode: [404]).response()
        let type = await manager.get("user").validate(contentType: ["text/*"]).response()

        #expect(accepted.value == ["message": "No name."])
        #expect(status.error?.code == .unacceptableStatusCode)
        #expect(type.error?.code == .unacceptableContentType)
    }

    /// Rules of a call, and the code of the error that they make of JSON with the status 201; nil for none.
    typealias Rules = (codes: StatusCodes?, types: Set<MediaRange>?, error: LarkspurError.Code?)

    static let ruleCases: [Rules] = [
        (StatusCodes(200..<300), nil, nil), ([201], nil, nil), ([200], nil, .unacceptableStatusCode),
        ([], nil, .unacceptableStatusCode), (nil, ["application/json"], nil),
        (nil, ["application/json; q=0.8; charset=utf-8"], nil), (nil, ["*/*"], nil), (nil, ["application/*"], nil),
        (nil, ["*/json"], nil), (nil, ["application/octet-stream"], .unacceptableContentType),
        (nil, [], .unacceptableContentType), ([201], ["application/json"], nil),
        (StatusCodes(400..<600), ["application/octet-stream"], .unacceptableStatusCode),
    ]

    @Test("The rules of a call apply to data and to a download", arguments: TestTransport.allCases, ruleCases)
    func rules(_ transport: TestTransport, _ rules: Rules) async throws {
        server.route("/made", .json("[1]", status: 201))
        let manager = transport.makeManager(for: server)
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        var data = manager.get("made")
        var file = manager.download("made", to: .folder(folder.url))
        if let codes = rules.codes {
            data = data.validate(statusCode: codes)
            file = file.validate(statusCode: codes)
        }
        if let types = rules.types {
            data = data.validate(contentType: types)
            file = file.validate(contentType: types)
        }

        for error in [await data.response().error, await file.response().error] {
            #expect(error?.code == rules.error)
            #expect(error == nil || error?.statusCode == 201)
            if rules.codes != nil, rules.types != nil, rules.error != nil {
                #expect(error?.contains(.unacceptableContentType) == true)
            }
        }
    }

    @Test("A response without content is acceptable without a content type", arguments: TestTransport.allCases)
    func typeWithoutContent(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }

        let data = await manager.get("status/204").validate(contentType: []).response()
        let file = await manager.download("status/204", to: .folder(folder.url)).validate(contentType: []).response()

        #expect(data.error == nil && file.error == nil)
    }

    @Test("A custom check rejects a response with its own error", arguments: TestTransport.allCases)
    func check(_ transport: TestTransport) async throws {
        struct Refused: Error {}
        let manager = transport.makeManager(for: server)

        let response = await manager.get("user")
            .validate { request, response, data in
                #expect(request?.httpMethod == "GET" && response.statusCode == 200 && data.count == 15)
                throw Refused()
            }
            .response(as: User.self)

        #expect(response.error?.code == .unacceptableResponse)
        #expect(response.error?.underlyingError is Refused)
        #expect(response.error?.statusCode == 200)
    }

    @Test("After a check throws, no later check is called")
    func checks() async throws {
        struct First: Error {}
        let asked = Recorder<String>()

        let response = await TestTransport.curl.makeManager(for: server).get("user")
            .validate { _, _, _ in asked.record("before") }
            .validate { _, _, _ in throw First() }
            .validate { _, _, _ in asked.record("after") }
            .response()

        #expect(response.error?.code == .unacceptableResponse && response.error?.underlyingError is First)
        #expect(asked.values == ["before"])
    }

    @Test(
        "A custom check sees the downloaded file before it is moved, and can reject the file",
        arguments: TestTransport.allCases
    )
    func fileCheck(_ transport: TestTransport) async throws {
        struct Refused: Error {}
        let manager = transport.makeManager(for: server)
        let folder = TemporaryFolder()
        let (kept, refused) = (folder.url.appendingPathComponent("kept"), folder.url.appendingPathComponent("refused"))
        let contents = Recorder<Data?>()

        let file = try await manager.download("user", to: .file(kept))
            .validate { request, response, file in
                #expect(request?.httpMethod == "GET" && response.statusCode == 200 && file.path != kept.path)
                #expect(!FileManager.default.fileExists(atPath: kept.path))
                contents.record(try Data(contentsOf: file))
            }
            .file
        let response = await manager.download("user", to: .file(refused))
            .validate { _, _, file in
                contents.record(try Data(contentsOf: file))
                throw Refused()
            }
            .response()

        let content = Data(#"{"name": "Ada"}"#.utf8)
        #expect(contents.values == [content, content])
        #expect(file.path == kept.path)
        #expect(try Data(contentsOf: file) == content)
        #expect(response.error?.code == .unacceptableResponse && response.error?.underlyingError is Refused)
        #expect(response.error?.statusCode == 200 && response.fileURL == nil)
        #expect(!FileManager.default.fileExists(atPath: refused.path))
        withExtendedLifetime(folder) {}
    }
}
