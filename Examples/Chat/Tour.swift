import Larkspur
import LarkspurTesting

/// A demonstration of both kinds of streams, from an embedded server.
struct Tour {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/updates") { Self.updates(after: $0.headers["Last-Event-ID"]) }
        server.route("/chat", method: "POST") { try Self.answer(to: $0.json(as: Prompt.self).prompt) }
    }

    /// Runs the demonstration, and returns the exit status.
    func run() async throws -> Int32 {
        defer { server.stop() }
        let streams = Streams(manager: SessionManager(baseURL: server.baseURL))

        print("== Events; the server ends each connection after two of them")
        let ids = try await streams.follow("updates")
        print("\(server.requests(to: "/updates").count) connections, and no event twice or never.")

        print("\n== The answer of a model, word by word")
        let answer = try await streams.ask("chat", "What is a larkspur?")
        return ids == ["1", "2", "3", "4"] && answer == Self.text + "." ? 0 : 1
    }

    /// Returns the next two events; 204 if there are no more.
    private static func updates(after lastID: String?) -> LoopbackServer.Response {
        let last = lastID.flatMap { Int($0) } ?? 0
        guard last < 4 else { return .status(204) }
        let events = (last + 1...last + 2).map { id in
            LoopbackServer.Response.Step.text("id: \(id)\nevent: update\ndata: number \(id)\n\n")
        }
        return stream([.text("retry: 300\n\n")] + events)
    }

    private static let text = "A larkspur is a plant with blue flowers, of the family of buttercups"

    /// Returns the words of an answer, each as an event.
    private static func answer(to prompt: String) throws -> LoopbackServer.Response {
        let words = prompt.isEmpty ? [] : (text + ".").split(separator: " ", omittingEmptySubsequences: false)
        var steps: [LoopbackServer.Response.Step] = []
        for (index, word) in words.enumerated() {
            let delta = try JSONEncoder().encode(Delta(text: index == 0 ? String(word) : " \(word)"))
            steps += [.text("data: \(String(decoding: delta, as: UTF8.self))\n\n"), .pause(.milliseconds(50))]
        }
        return stream(steps + [.text("data: [DONE]\n\n")])
    }

    private static func stream(_ steps: [LoopbackServer.Response.Step]) -> LoopbackServer.Response {
        .stream(steps, contentType: "text/event-stream", framing: .chunked)
    }
}
