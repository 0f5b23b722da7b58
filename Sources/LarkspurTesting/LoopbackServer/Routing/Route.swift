internal import Synchronization

/// A route: a path, its methods, and its responses.
struct Route: Sendable {
    typealias Handler = @Sendable (LoopbackServer.Request) throws -> LoopbackServer.Response

    enum Answer: Sendable {
        case script(Script)
        case handler(Handler)
    }

    let path: String
    /// The methods of the route; nil for all.
    let methods: Set<String>?
    let answer: Answer
    let pattern: PathPattern

    init(_ path: String, methods: Set<String>?, answer: Answer) {
        self.path = path
        self.methods = methods
        self.answer = answer
        pattern = PathPattern(path)
    }

    /// Returns whether the route applies to a method. A route for GET also applies to HEAD, unless HEAD has a route of
    /// its own.
    func allows(_ method: String, headAsGet: Bool) -> Bool {
        guard let methods else { return true }
        return methods.contains(method) || (headAsGet && method == "HEAD" && methods.contains("GET"))
    }
}

extension Route {
    /// A queue of responses, of which the last repeats.
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
