import Foundation
import Larkspur
import TestSupport
import Testing

@testable import LarkspurTesting

@Suite(.timeLimit(.minutes(5))) struct ExpectationTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    /// Returns the failure without its last line, which names the place.
    private func failure() -> String? {
        do {
            try server.verify(fileID: "A/b.swift", line: 7)
            return nil
        } catch {
            let text = (error as? LoopbackServer.UnmetExpectations)?.description
            #expect(text?.hasSuffix("\nVerified at A/b.swift:7.") == true)
            return text.map { String($0.dropLast("\nVerified at A/b.swift:7.".count)) }
        }
    }

    @Test("A failed expectation is reported at the place of the call")
    func place() async throws {
        server.expect(.get("/get"))
        let line = Int(#line) + 1
        let now = #expect(throws: LoopbackServer.UnmetExpectations.self) { try server.verify() }
        #expect(now?.fileID == #fileID && now?.line == line)
        #expect(now?.description.hasSuffix("Verified at \(#fileID):\(line).") == true)
        let lateLine = Int(#line) + 1
        let late = await #expect(throws: LoopbackServer.UnmetExpectations.self) {
            try await server.verify(timeout: .zero)
        }
        #expect(late?.fileID == #fileID && late?.line == lateLine)
    }

    @Test("The number of requests may be exact, at least, at most or never")
    func counts() throws {
        server.expect(.get("/get"), times: 2)
        server.expect(.get("/ge{x}"), atLeast: 1)
        server.expect(.any("/get"), .atMost(2))
        server.expect(.delete("/get"), .never)
        #expect(failure()?.contains("Expected 2 times: GET /get\n    came: 0 times") == true)
        #expect(failure()?.hasSuffix("No request came.") == true)
        _ = try server.answer("/get")
        server.removeExpectations()
        server.expect(.get("/get"), times: 2)
        server.expect(.get("/get"), atLeast: 1)
        server.expect(.get("/get"), .never)
        #expect(
            failure() == """
                Expected 2 times: GET /get
                    came: once
                Expected never: GET /get
                    came: once
                The requests that came:
                    GET /get
                """
        )
        _ = try server.answer("/get")
        server.removeExpectations()
        server.expect(.get("/get"), 2)
        server.expect(.get("/get"), .atMost(2))
        #expect(failure() == nil)
    }

    @Test("The failure of an expectation names the nearest request and the difference")
    func nearest() throws {
        server.expect(.post("/post").query("a", "1").field("X-Kind", "big").json(encoding: ["name": "Ada"]))
        server.expect(.post("/pots").text("hello"))
        _ = try server.answer("/get")
        _ = try server.answer("/post?a=2", method: "POST", headers: "X-Kind: small\r\n", body: #"{ "name" : "Bob" }"#)
        let text = try #require(failure())
        #expect(
            text.contains(
                #"nearest: POST /post?a=2, but its query item a is “2”, and its field X-Kind is “small”, "#
                    + #"and its JSON is “{"name":"Bob"}”"#
            )
        )
        #expect(text.contains(#"nearest: POST /post?a=2, but its path is “/post”, and its content is"#))
    }

    @Test("Expectations compare JSON by its values")
    func json() throws {
        _ = try server.answer("/post", method: "POST", body: #"{ "b": [1, 2.0], "a": "é" }"#)
        server.expect(.post("/post").json(#"{"a":"\u00e9","b":[1,2]}"#))
        #expect(failure() == nil)
        server.removeExpectations()
        server.expect(.post("/post").json(#"{"a":"é","b":[2,1]}"#))
        server.expect(.post("/post").json("{"))
        server.expect(.post("/post").json(encoding: Double.nan))
        let text = try #require(failure())
        #expect(text.contains(#"its JSON is “{"a":"é","b":[1,2]}”"#))
        #expect(text.contains("the expected JSON is a text that is no JSON"))
        #expect(text.contains("the expected JSON is a value that cannot be encoded"))
    }

    @Test("Expectations have conditions on fields and requests")
    func conditions() throws {
        _ = try server.answer("/post", method: "POST", headers: "X-Kind: big\r\n", body: #"{"b":[1],"a":null}"#)
        struct Body: Encodable, Sendable {
            let a: Int? = nil
            let b = [1]
        }
        server.expect(.post("/post").field("x-kind") { $0?.hasPrefix("b") == true })
        server.expect(.post("/post").matching { $0.body.count > 5 })
        #expect(failure() == nil)
        server.expect(.post("/post").field("x-other") { $0 != nil })
        server.expect(.post("/post").matching("a big body") { $0.body.count > 500 })
        let text = try #require(failure())
        #expect(text.contains("but it has no field x-other") && text.contains("but it does not meet a big body"))
    }

    @Test("Control characters in a failure do not break its lines")
    func oddCharacters() throws {
        server.expect(.post("/\u{1b}[31m\n\u{0}").text("a\nb\u{7F}“"))
        server.route("/*", .status(200))
        _ = try server.answer("/%0A%1B", method: "POST", body: "x\r\n\u{1}\u{301}é")
        let text = try #require(failure())
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        #expect(text.split(separator: "\n").count == 5)
        server.removeExpectations()
        server.expect(.post("/a").text(String(repeating: "y", count: 1_000_000)))
        #expect(failure().map { $0.count < 2_000 } == true)
    }

    @Test("Verifying can wait for the requests, up to a limit")
    func waiting() async throws {
        server.expect(.get("/get"), times: 2)
        let manager = SessionManager(baseURL: server.baseURL, configuration: .ephemeral)
        manager.get("get") { _, _ in }
        manager.get("get") { _, _ in }
        try await server.verify(timeout: .seconds(30))
        server.expect(.get("/never"))
        await #expect(throws: LoopbackServer.UnmetExpectations.self) { try await server.verify(timeout: .zero) }
    }

    @Test("A recorded request can be written as a command line for curl")
    func curl() throws {
        _ = try server.answer("/post?token=t&a=1", method: "POST", headers: "Authorization: Bearer t\r\n", body: "it's")
        let request = try #require(server.requests.first)
        #expect(
            request.cURLDescription()
                == "curl --header 'Authorization: <redacted>' --header Content-Type: --data-raw 'it'\\''s' "
                + "'http://127.0.0.1:\(server.port)/post?token=redacted&a=1'"
                || request.cURLDescription().contains("--data-raw 'it'\\''s'")
        )
        #expect(!request.cURLDescription().contains("Bearer t"))
        #expect(request.cURLDescription(redaction: .none).contains("Authorization: Bearer t"))
        #expect(!request.cURLDescription().contains("Host:"))
    }
}
