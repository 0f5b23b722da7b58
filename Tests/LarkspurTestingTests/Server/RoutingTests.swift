import Foundation
import Larkspur
import Testing

@testable import LarkspurTesting

@Suite struct RoutingTests {
    private struct Oops: Error {}

    @Test("Responses follow one another, and the last one repeats")
    func script() throws {
        let server = try LoopbackServer()
        server.route("/", .status(503), .text("two", status: 201), .text("three"))
        let statuses = try (0..<4).map { _ in try server.answer("/").status }
        #expect(statuses == [503, 201, 200, 200])
        server.route("/empty", [])
        #expect(try server.answer("/empty").status == 200)
    }

    @Test("A later route replaces an earlier one, and every custom route precedes the built-in ones")
    func precedence() throws {
        let server = try LoopbackServer()
        #expect(try server.answer("/get").fields["Content-Type"] == "application/json")
        server.route("/*", .text("any"))
        server.route("/get", .text("one"))
        #expect(try server.answer("/get").text == "one")
        server.route("/get", .text("two"))
        #expect(try server.answer("/get").text == "two")
        #expect(try server.answer("/post", method: "POST").text == "any")
    }

    @Test("The error for a missing route names the nearest routes, and its content lists all routes")
    func missingRoute() async throws {
        struct Problem: Decodable {
            let routes: [String]
        }
        let server = try LoopbackServer()
        let manager = SessionManager(baseURL: server.baseURL, configuration: .ephemeral)
        let none = await manager.get("usrs/1").response().error
        #expect(none?.message.hasSuffix(" (404): There is no route for GET /usrs/1: the test has set none") == true)

        server.route("/users/{id}", method: "PUT", .text("Ada"))
        let one = await manager.get("usrs/1").response().error
        #expect(one?.message.hasSuffix("the only one is PUT /users/{id}") == true)
        server.route("/files/*", .text("f"))
        server.route("/accounts") { _ in .text("a") }
        server.route("/a/long/way/to/the/end", .text("l"))
        for path in ["uses/id", "users/7/x"] {
            let error = await manager.get(path).response().error
            #expect(
                error?.message.hasPrefix(
                    "Request failed: Not Found (404): There is no route for GET /\(path): the nearest of 4 are PUT /users/{id}, "
                ) == true,
                "\(error?.message ?? "")"
            )
            let routes = ["PUT /users/{id}", "any method /files/*", "any method /accounts"]
            #expect(error?.failure(as: Problem.self)?.routes == routes + ["any method /a/long/way/to/the/end"])
        }
        let method = await manager.delete("users/1").response().error
        #expect(method?.message.contains("has not the method DELETE, but OPTIONS, PUT") == true)
    }

    @Test("Routes are separate for each method, HEAD falls back to GET, and other methods get a 405")
    func methods() throws {
        let server = try LoopbackServer()
        server.route("/a", method: "GET", .text("got", status: 201))
        server.route("/a", method: "PUT", .text("put", status: 202))
        #expect(try server.answer("/a").status == 201)
        #expect(try server.answer("/a", method: "PUT").status == 202)
        #expect(try server.answer("/a", method: "HEAD").status == 201)
        let refusal = try server.answer("/a", method: "PATCH")
        #expect(refusal.status == 405)
        #expect(refusal.fields["Allow"] == "GET, HEAD, OPTIONS, PUT")
        #expect(try server.answer("/a", method: "OPTIONS").status == 200)
        server.route("/a", method: "HEAD", .status(204))
        server.route("/a", method: "GET", .text("again", status: 203))
        #expect(try server.answer("/a", method: "HEAD").status == 204)
        #expect(try server.answer("/b").status == 404)
    }

    @Test("A handler gets the request and the placeholders of its path")
    func handler() throws {
        let server = try LoopbackServer()
        server.route("/users/{id}/*") { request in
            .text(
                "\(request.method) \(request.parameters["id"] ?? "") \(request.parameters["*"] ?? "") \(request.text)"
            )
        }
        #expect(try server.answer("/users/a%20b/c/d", method: "PUT", body: "body").text == "PUT a b c/d body")
    }

    @Test("An error that a handler throws becomes a 500")
    func throwingHandler() throws {
        let server = try LoopbackServer()
        server.route("/") { _ in throw Oops() }
        let response = try server.answer("/")
        #expect(response.status == 500)
        #expect(response.text.contains("Oops"))
    }

    @Test("A star matches every target, also those of requests to a proxy")
    func proxy() throws {
        let server = try LoopbackServer()
        server.route("*") { .text("\($0.method) \($0.target) \($0.path)") }
        #expect(try server.answer("http://example.com/a?b").text == "GET http://example.com/a?b /a")
        let client = try RawClient(server)
        try client.get("example.com:443", method: "CONNECT")
        let header = String(decoding: try client.read(through: "\r\n\r\n"), as: UTF8.self)
        #expect(!header.contains("Content-Length"))
    }

    @Test("A request has its target, fields, query, form and JSON")
    func request() throws {
        let server = try LoopbackServer()
        _ = try server.answer(
            "/anything/a%20b?x=1&x=2&y",
            method: "POST",
            headers: "x-One: 1\r\nX-ONE: 2\r\nContent-Type: application/x-www-form-urlencoded; charset=utf-8\r\n",
            body: "k=v+w&k=2"
        )
        _ = try server.answer("/anything", method: "POST", headers: "Content-Type: application/json\r\n", body: "[1,2]")

        let request = try #require(server.requests(to: "/anything/a b").first)
        #expect(request.target == "/anything/a%20b?x=1&x=2&y")
        #expect(request.headers["X-One"] == "1, 2")
        #expect(request.headers.map(\.name).prefix(3) == ["Host", "x-One", "X-ONE"])
        #expect(request.queryItems.map(\.name) == ["x", "x", "y"])
        #expect(request.query("x") == "1")
        #expect(request.query("z") == nil)
        #expect(request.form.map(\.value) == ["v w", "2"])
        #expect(request.description.hasPrefix("POST /anything/a%20b?x=1&x=2&y HTTP/1.1\nHost: test\n"))
        #expect(try server.requests[1].json(as: [Int].self) == [1, 2])
        #expect(throws: (any Error).self) { try server.requests[1].json(as: String.self) }
        #expect(server.requests[1].form.isEmpty)
    }

    @Test("A script sends interim responses, reasons, types and custom JSON")
    func responses() throws {
        struct User: Encodable {
            let name = "Ada"
        }
        let server = try LoopbackServer()
        var response = try LoopbackServer.Response.json(encoding: User(), status: 299)
            .preceded(byInformational: 103, headers: ["Link": "</a>"])
        response.reason = "Quite Fine"
        server.route("/", response)

        let client = try RawClient(server)
        try client.get("/")
        let hints = try client.response()
        #expect(hints.statusLine == "HTTP/1.1 103 Early Hints")
        #expect(hints.fields == ["Link": "</a>"])
        let final = try client.response()
        #expect(final.statusLine == "HTTP/1.1 299 Quite Fine")
        #expect(final.text == #"{"name":"Ada"}"#)
        #expect(final.fields["Date"] != nil)
    }

    @Test("A raw response is sent unchanged, and closes the connection")
    func raw() throws {
        let server = try LoopbackServer()
        server.route("/", .raw([.text("any"), .text("thing")]))
        let client = try RawClient(server)
        try client.get("/")
        #expect(try client.readToEnd() == Data("anything".utf8))
    }

    @Test("A URL of the server can be requested")
    func urls() throws {
        let server = try LoopbackServer()
        #expect(server.baseURL.absoluteString == "http://127.0.0.1:\(server.port)")
        #expect(server.url("/a b?c=d").absoluteString == "http://127.0.0.1:\(server.port)/a%20b?c=d")
    }
}
