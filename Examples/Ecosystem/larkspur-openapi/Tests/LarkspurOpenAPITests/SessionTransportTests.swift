import HTTPTypes
import Larkspur
import LarkspurOpenAPI
import LarkspurTesting
import Testing

@Suite("A transport of OpenAPI clients", .timeLimit(.minutes(5)))
struct OpenAPITests {
    let server: LoopbackServer
    let manager: SessionManager
    let client: PetClient

    init() throws {
        server = try LoopbackServer()
        manager = SessionManager(configuration: .ephemeral)
        client = PetClient(serverURL: server.url("/api/v1/"), transport: SessionTransport(manager))
    }

    @Test("The URL of an operation is appended to the server's URL, and the manager's settings apply")
    func operation() async throws {
        manager.headers["X-Key"] = "k"
        server.route("/api/v1/pets/7", method: "PUT", .text("renamed"))

        #expect(try await client.renamePet("7", to: ["T", "om"]) == "renamed")

        let request = try #require(server.requests.first)
        #expect(request.target == "/api/v1/pets/7" && request.text == "Tom" && request.headers["X-Key"] == "k")
    }

    @Test("A response of any status is returned, and may have no content")
    func statuses() async throws {
        server.route("/api/v1/pets/8", .status(404))
        let (response, body) = try await client.send(HTTPRequest(path: "/pets/8"))
        #expect(response.status == .notFound && body == nil)
    }

    @Test("Content is delivered as it arrives")
    func stream() async throws {
        let goOn = LoopbackServer.Gate()
        server.route("/api/v1/pets", .stream([.text("Tom"), .wait(goOn), .text("Ada")]))

        let (response, body) = try await client.send(HTTPRequest(path: "/pets"))
        #expect(response.status == .ok)
        var chunks = try #require(body).makeAsyncIterator()
        #expect(try await chunks.next().map { Array($0) } == Array("Tom".utf8))
        goOn.open()
        #expect(try await chunks.next().map { Array($0) } == Array("Ada".utf8))
        #expect(try await chunks.next() == nil)
    }

    @Test("Content that is not read to its end cancels the call")
    func release() async throws {
        let never = LoopbackServer.Gate()
        server.route("/api/v1/pets", .stream([.text("Tom"), .wait(never)]))
        do {
            let (_, body) = try await client.send(HTTPRequest(path: "/pets"))
            #expect(body != nil)
        }
        await withCheckedContinuation { continuation in
            manager.completionGroup.notify(queue: .global()) { continuation.resume() }
        }
        #expect(manager.tasks.isEmpty)
    }
}

/// A client as the generator writes one, by hand.
struct PetClient {
    let serverURL: URL
    let transport: any ClientTransport

    func renamePet(_ id: String, to name: [String]) async throws -> String {
        var text = ""
        let body = HTTPBody(
            AsyncThrowingStream { continuation in
                for part in name { continuation.yield(ArraySlice(part.utf8)) }
                continuation.finish()
            },
            length: .unknown
        )
        let (_, content) = try await send(HTTPRequest(method: .put, path: "/pets/\(id)"), body)
        if let content { for try await chunk in content { text += String(decoding: chunk, as: UTF8.self) } }
        return text
    }

    func send(_ request: HTTPRequest, _ body: HTTPBody? = nil) async throws -> (HTTPResponse, HTTPBody?) {
        try await transport.send(request, body: body, baseURL: serverURL, operationID: "pets")
    }
}

extension HTTPRequest {
    init(method: Method = .get, path: String) {
        self.init(method: method, scheme: nil, authority: nil, path: path)
    }
}
