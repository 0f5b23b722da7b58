internal import Synchronization

/// A path, the methods for which it is there, and what it answers.
struct Route: Sendable {
    typealias Handler = @Sendable (LoopbackServer.Request) throws -> LoopbackServer.Response

    enum Answer: Sendable {
        case script(Script)
        case handler(Handler)
    }

    let path: String
    /// Nil for all.
    let methods: Set<String>?
    let answer: Answer
    let pattern: PathPattern

    init(_ path: String, methods: Set<String>?, answer: Answer) {
        self.path = path
        self.methods = methods
        self.answer = answer
        pattern = PathPattern(path)
    }

    /// Whether the route answers that method; a route for GET answers HEAD unless another is there for it.
    func allows(_ method: String, headAsGet: Bool) -> Bool {
        guard let methods else { return true }
        return methods.contains(method) || (headAsGet && method == "HEAD" && methods.contains("GET"))
    }
}

extension Route {
    /// A queue of responses, the last of which repeats.
    final class Script: Sendable {
        private let responses: [LoopbackServer.Response]
        private let position = Mutex(0)

        init(_ responses: [LoopbackServer.Response]) {
            self.responses = responses
        }

        func next() -> LoopbackServer.Response {
            let index = position.withLock { position in
                defer { position = min(position + 1, responses.count - 1) }
                return position
            }
            return responses.indices.contains(index) ? responses[index] : .status(200)
        }
    }
}
