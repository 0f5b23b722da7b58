import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Failures that an API describes", .timeLimit(.minutes(5)))
struct TypedFailureTests {
    struct User: Codable, Equatable, Sendable {
        let userName: String
    }

    struct Refusal: Codable, Equatable, Sendable {
        let errorCode: Int
    }

    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/user", .json(#"{"user_name": "Ada"}"#))
        server.route("/refused", .json(#"{"error_code": 7}"#, status: 409))
        server.route("/other", .json("[]", status: 500))
        server.route(
            "/problem",
            .data(
                Data(#"{"title": "Out of credit", "detail": "30 are needed.", "status": 403, "instance": 1}"#.utf8),
                contentType: "application/problem+json; charset=utf-8",
                status: 403
            )
        )
    }

    @Test("The status decides into which type the content is decoded", arguments: TestTransport.allCases)
    func byStatus(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        manager.jsonDecoder.keyDecodingStrategy = .convertFromSnakeCase
        let handled = Recorder<Refusal?>()

        let user = try await manager.get("user").result(as: User.self, failure: Refusal.self)
        let refused = try await manager.get("refused").result(as: User.self, failure: Refusal.self)
        manager.get("refused").response(as: User.self) { [decoder = manager.jsonDecoder] response in
            handled.record(response.error?.failure(as: Refusal.self, decoder: decoder))
        }
        let other = await #expect(throws: LarkspurError.self) {
            try await manager.get("other").result(as: User.self, failure: Refusal.self)
        }

        #expect(user == .success(User(userName: "Ada")) && refused == .failure(Refusal(errorCode: 7)))
        #expect(try await handled.first() == Refusal(errorCode: 7))
        #expect(other?.code == .unacceptableStatusCode && other?.statusCode == 500)
    }

    @Test("Problem details are decoded, and are part of the message", arguments: TestTransport.allCases)
    func problem(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)

        let error = await manager.get("problem").response(as: User.self).error
        let plain = await manager.get("refused").response(as: User.self).error

        #expect(error?.problem == ProblemDetails(title: "Out of credit", status: 403, detail: "30 are needed."))
        #expect(error?.description.contains("30 are needed") == true)
        #expect(plain?.problem == nil && plain?.failure(as: Refusal.self) == nil)
    }
}
