import Larkspur
import LarkspurTesting

/// A server for the program without arguments. Its first token has expired, and its first response is a failure.
struct ShelfServer {
    private let server: LoopbackServer

    init() throws {
        let server = try LoopbackServer()
        self.server = server
        server.route(
            "/token",
            method: "POST",
            .json(#"{"access_token": "new", "token_type": "Bearer", "expires_in": 600}"#)
        )
        let pages: [LoopbackServer.Response] = [
            .json(#"[{"id": 1, "title": "Sketch", "page_count": 40}, {"id": 2, "title": "Letters", "page_count": 60}]"#)
                .adding("Link", "</books?page=2>; rel=next"),
            .json(#"[{"id": 3, "title": "Notes", "page_count": 66}]"#),
        ]
        server.route("/books/*", method: "GET") { request in
            if let refusal = Self.authorized(request) { return refusal }
            guard let id = request.path.split(separator: "/").last.flatMap({ Int($0) }), id < 4 else {
                return .status(404)
            }
            // The server is too busy at first.
            if server.requests(to: "/books/1").count == 2 { return .status(503).adding("Retry-After", "0") }
            return .json(#"{"id": \#(id), "title": "Sketch", "page_count": 40}"#)
        }
        server.route("/books", method: "GET") { request in
            Self.authorized(request) ?? pages[request.target.contains("page=2") ? 1 : 0]
        }
        server.route("/books", method: "POST") { request in
            Self.authorized(request)
                ?? .json(#"{"id": 3, "title": "Notes on the Analytical Engine", "page_count": 66}"#, status: 201)
        }
    }

    var baseURL: URL { server.baseURL }

    private static func authorized(_ request: LoopbackServer.Request) -> LoopbackServer.Response? {
        request.headers["Authorization"] == "Bearer new" ? nil : .status(401)
    }
}
