#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

/// Invalidation.
extension CacheRulesTests {
    struct Invalidation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let method: String
        let response: LoopbackServer.Response
        /// The paths that are still kept after it.
        let kept: [String]

        init(_ rule: String, _ method: String, _ response: LoopbackServer.Response, kept: [String]) {
            testDescription = rule
            self.method = method
            self.response = response
            self.kept = kept
        }
    }

    @Test(
        "Unsafe methods remove the stored responses that they may have changed (RFC 9111, section 4.4)",
        arguments: [
            Invalidation("POST", "POST", .text("done"), kept: ["/b", "/c?q"]),
            Invalidation("PUT", "PUT", .status(204), kept: ["/b", "/c?q"]),
            Invalidation("DELETE", "DELETE", .status(204), kept: ["/b", "/c?q"]),
            Invalidation("PATCH", "PATCH", .status(204), kept: ["/b", "/c?q"]),
            Invalidation("a method nobody knows", "FROB", .status(204), kept: ["/b", "/c?q"]),
            Invalidation("OPTIONS is safe", "OPTIONS", .status(204), kept: ["/a", "/b", "/c?q"]),
            Invalidation("QUERY is safe", "QUERY", .text("found"), kept: ["/a", "/b", "/c?q"]),
            Invalidation("PROPFIND is safe", "PROPFIND", .text("found"), kept: ["/a", "/b", "/c?q"]),
            Invalidation("REPORT is safe", "REPORT", .text("found"), kept: ["/a", "/b", "/c?q"]),
            Invalidation("SEARCH is safe", "SEARCH", .text("found"), kept: ["/a", "/b", "/c?q"]),
            Invalidation("a failure", "POST", .status(404), kept: ["/a", "/b", "/c?q"]),
            Invalidation("Location", "POST", .status(201).adding("Location", "/b"), kept: ["/c?q"]),
            Invalidation("Content-Location", "POST", .status(204).adding("Content-Location", "c?q"), kept: ["/b"]),
            Invalidation(
                "Location of another origin",
                "POST",
                .status(201).adding("Location", "http://b.test/b"),
                kept: ["/b", "/c?q"]
            ),
        ]
    )
    func invalidation(row: Invalidation) async throws {
        let lab = try CacheLab()
        let paths = ["/a", "/b", "/c?q"]
        for path in ["/a", "/b", "/c"] {
            lab.server.route(path, method: "GET", .text("content").adding("Cache-Control", "max-age=600"))
        }
        lab.server.route("/a", method: row.method, row.response)
        for path in paths { _ = try await lab.get(path) }
        _ = try await lab.get("/a", method: row.method)
        var kept: [String] = []
        for path in paths where try await lab.get(path).source == "cache" { kept.append(path) }
        #expect(kept == row.kept)
    }

    @Test(
        "The response to a QUERY request or another safe method with a query in its content is not stored",
        arguments: ["QUERY", "PROPFIND", "REPORT", "SEARCH"],
        [true, false]
    )
    func query(_ method: String, hasContent: Bool) async throws {
        let lab = try CacheLab()
        lab.server.route("/a", .text("found").adding("Cache-Control", "max-age=600").adding("ETag", "\"1\""))
        for _ in 0..<2 {
            let request = URLRequest(lab.server.url("/a"), method, body: hasContent ? Data("x".utf8) : nil)
            let ends = Recorder<Int>()
            lab.session.dataTask(with: request) { _, _, _ in ends.record(1) }.resume()
            _ = try await ends.first()
        }
        #expect(try await lab.get("/a").source == "network")
        #expect(lab.server.requests.map(\.method) == [method, method, "GET"])
        #expect(lab.server.requests.allSatisfy { $0.headers["If-None-Match"] == nil })
    }

    @Test("An upload removes the stored response")
    func upload() async throws {
        let lab = try CacheLab()
        lab.server.route("/x", method: "GET", .text("content").adding("Cache-Control", "max-age=600"))
        lab.server.route("/x", method: "PUT", .status(204))
        _ = try await lab.get("/x")
        let ends = Recorder<Int>()
        lab.session.uploadTask(with: URLRequest(lab.server.url("/x"), "PUT"), from: Data("new".utf8)) { _, _, _ in
            ends.record(1)
        }.resume()
        _ = try await ends.first()
        #expect(try await lab.get("/x").source == "network")
    }
}
#endif
