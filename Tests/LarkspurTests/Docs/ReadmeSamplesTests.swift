import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `README.md`.
@Suite("The README", .timeLimit(.minutes(5)))
struct ReadmeSamplesTests {
    let server: LoopbackServer
    let samples: ReadmeSamples

    init() throws {
        server = try LoopbackServer()
        samples = ReadmeSamples(manager: TestTransport.allCases[0].makeManager(for: server))
    }

    @Test("A call with closures gets the value or the error")
    func closures() async throws {
        server.route("/users/1", .json(#"{"name": "Ada"}"#), .json(#"{"message": "There is no user 1."}"#, status: 404))
        for _ in 1...2 {
            samples.closures()
            try await samples.manager.finishAll()
        }
        #expect(samples.output.values == ["Ada", "404 Request failed: Not Found (404): There is no user 1"])
    }

    @Test("The chain answers a challenge, reports progress and decodes the response")
    func chain() async throws {
        let challenge = LoopbackServer.Response.status(401).adding("WWW-Authenticate", #"Basic realm="orders""#)
        server.route("/orders/7") { request in
            guard request.headers["Authorization"] != nil else { return challenge }
            return .data(request.body, contentType: "application/json")
        }
        let order = try await samples.chain(ReadmeSamples.Order(item: "tea", count: 2))
        #expect(order.item == "tea" && order.count == 2)
        #expect(samples.output.values.last == "24 bytes sent")
    }

    @Test("The README has at most 150 lines")
    func length() throws {
        let page = try #require(Documentation.page("README.md"))
        #expect(page.lines.dropLast().count <= 150)
    }
}
