import Larkspur
import LarkspurTesting
import Shelf
import Testing

/// The tests of the client, against a server in the same process.
@Suite("A client of a bookshelf", .timeLimit(.minutes(5)))
struct ShelfTests {
    let server: LoopbackServer
    let shelf: Shelf

    init() throws {
        server = try LoopbackServer()
        shelf = Shelf(
            server.baseURL,
            token: OAuth2Credential(accessToken: "t1", refreshToken: "r1"),
            clientID: "reader",
            clock: ImmediateClock()
        )
    }

    @Test("A book is decoded, and the token is sent")
    func book() async throws {
        server.route("/books/7", .json(#"{"id": 7, "title": "Sketch", "page_count": 40}"#))

        #expect(try await shelf.book(7) == Book(id: 7, title: "Sketch", pageCount: 40))
        #expect(server.requests(to: "/books/7").first?.headers["Authorization"] == "Bearer t1")
    }

    @Test("A request to a busy server is sent again, and a POST with the same idempotency key")
    func retry() async throws {
        server.route(
            "/books",
            .status(503),
            .json(#"{"id": 8, "title": "Notes", "page_count": 66}"#, status: 201)
        )

        #expect(try await shelf.add(BookDraft(title: "Notes", pageCount: 66)).id == 8)

        let requests = server.requests(to: "/books")
        #expect(requests.count == 2 && requests[0].headers["Idempotency-Key"] == requests[1].headers["Idempotency-Key"])
        #expect(String(decoding: requests[1].body, as: UTF8.self).contains("page_count"))
    }

    @Test("Many calls with an expired token share one refresh")
    func refresh() async throws {
        server.route("/token", .json(#"{"access_token": "t2", "token_type": "Bearer"}"#))
        server.route("/books/*") { request in
            request.headers["Authorization"] == "Bearer t2"
                ? .json(#"{"id": 1, "title": "Sketch", "page_count": 40}"#) : .status(401)
        }

        let titles = try await withThrowingTaskGroup(of: String.self) { group in
            for id in 1...20 { group.addTask { try await shelf.book(id).title } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }

        #expect(titles == ["Sketch"])
        #expect(server.requests(to: "/token").count == 1)
    }

    @Test("All pages of a list are read")
    func pages() async throws {
        server.route(
            "/books",
            .json(#"[{"id": 1, "title": "A", "page_count": 1}]"#).adding("Link", "</books?page=2>; rel=next"),
            .json(#"[{"id": 2, "title": "B", "page_count": 2}]"#)
        )
        var titles: [String] = []

        for try await page in shelf.books(by: "Ada") { titles += page.map(\.title) }

        #expect(titles == ["A", "B"])
        #expect(server.requests.first?.target == "/books?author=Ada")
    }

    @Test("Failures have the API's message")
    func errors() async throws {
        server.route(
            "/books/2",
            .data(
                Data(#"{"detail": "The book is lent."}"#.utf8),
                contentType: "application/problem+json",
                status: 409
            )
        )
        server.route("/token", .status(400))
        server.route("/books/3", .status(401))
        server.route("/books/4", .status(500))

        await #expect { try await shelf.book(1) } throws: { if case ShelfError.notFound = $0 { true } else { false } }
        await #expect { try await shelf.book(2) } throws: {
            if case ShelfError.refused("The book is lent.") = $0 { true } else { false }
        }
        await #expect { try await shelf.removeBook(3) } throws: {
            if case ShelfError.loggedOut = $0 { true } else { false }
        }
        await #expect { try await shelf.book(4) } throws: {
            if case ShelfError.unavailable = $0 { true } else { false }
        }
        #expect(server.requests(to: "/books/4").count == 3)
    }
}

/// A clock that stands still. Delays between attempts end immediately; limits of time are never reached.
private struct ImmediateClock: Clock {
    typealias Instant = ContinuousClock.Instant

    let now = Instant.now
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        // The client's delays are shorter than its limits.
        if now.duration(to: deadline) > .seconds(15) { try await Task.sleep(for: .seconds(3600)) }
    }
}
