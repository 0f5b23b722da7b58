import Larkspur

/// The content of a prompt.
struct Prompt: Codable, Sendable {
    var prompt: String
    var stream = true
}

/// A part of an answer.
struct Delta: Codable, Sendable {
    var text: String
}

/// The two kinds of streams: events of a URL, and the answer to a prompt.
struct Streams {
    let manager: SessionManager

    /// Prints the events of a URL until the server has no more. Returns their IDs.
    @discardableResult
    func follow(_ url: String) async throws -> [String] {
        var ids: [String] = []
        for try await event in manager.events(url) {
            print("\(event.event) \(event.id): \(event.data)")
            ids.append(event.id)
        }
        return ids
    }

    /// Posts a prompt, and prints the answer as it arrives. Returns the answer.
    @discardableResult
    func ask(_ url: String, _ prompt: String) async throws -> String {
        var answer = ""
        let events = manager.post(url, body: .json(Prompt(prompt: prompt))).events
        for try await delta in events.decoded(as: Delta.self, until: "[DONE]") {
            print(delta.text, terminator: "")
            // The line has no end yet.
            fflush(nil)
            answer += delta.text
        }
        print()
        return answer
    }
}
