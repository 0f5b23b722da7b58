internal import Foundation
internal import HTTPSyntax
internal import Synchronization

/// A router that finds the route of a request. Routes of the test take precedence over built-in routes, and later
/// routes over earlier routes.
final class Router: Sendable {
    /// The result of routing. It is determined as soon as the head of the request has arrived.
    struct Resolution: Sendable {
        enum Reply: Sendable {
            case response(LoopbackServer.Response)
            case handler(Route.Handler)
            case webSocket(WebSocketRoute)
        }

        var reply: Reply
        var parameters: [String: String] = [:]

        var requestBody: LoopbackServer.Response.RequestBodyHandling {
            if case .response(let response) = reply { response.requestBody } else { .read }
        }
    }

    /// The routes of the test, the latest first.
    private let ownRoutes = Mutex<[Route]>([])
    private let builtInRoutes = BuiltInRoutes().all

    func add(_ route: Route) {
        ownRoutes.withLock { routes in
            routes.removeAll { $0.path == route.path && $0.methods == route.methods }
            routes.insert(route, at: 0)
        }
    }

    func removeAll() {
        // The closures are released outside the lock, because releasing objects that they own may call the server.
        _ = ownRoutes.withLock { routes in
            defer { routes = [] }
            return routes
        }
    }

    func resolve(_ head: ReceivedHead) -> Resolution {
        let segments = head.rawPath.parts(separatedBy: "/", omittingEmptyParts: false)
        let ownCandidates = candidates(among: ownRoutes.withLock { $0 }, segments)
        let builtInCandidates = candidates(among: builtInRoutes, segments)
        for candidates in [ownCandidates, builtInCandidates] {
            for headAsGet in [false, true] {
                if let (route, parameters) = candidates.first(where: { $0.0.allows(head.method, headAsGet: headAsGet) })
                {
                    return resolution(route, parameters)
                }
            }
        }
        let methods = (ownCandidates + builtInCandidates).flatMap { $0.0.methods ?? [] }
        let routes = ownRoutes.withLock { $0 }
        return Resolution(reply: .response(Self.refusal(of: head, allowing: Set(methods), routes)))
    }

    private func candidates(among routes: [Route], _ segments: [Substring]) -> [(Route, [String: String])] {
        routes.compactMap { route in route.pattern.match(segments).map { (route, $0) } }
    }

    private func resolution(_ route: Route, _ parameters: [String: String]) -> Resolution {
        switch route.answer {
        case .script(let script): Resolution(reply: .response(script.next()), parameters: parameters)
        case .handler(let handler): Resolution(reply: .handler(handler), parameters: parameters)
        case .webSocket(let route): Resolution(reply: .webSocket(route), parameters: parameters)
        }
    }

    /// Returns the response to a request without a route. Its content is a problem (RFC 9457). A `LarkspurError` has
    /// the problem's detail in its message, so that a failed test shows the existing routes.
    private static func refusal(
        of head: ReceivedHead,
        allowing methods: Set<String>,
        _ routes: [Route]
    ) -> LoopbackServer.Response {
        guard !methods.isEmpty else {
            let nearest = Nearness.nearest(3, of: routes.reversed()) { route in
                let isOther = route.methods.map { !$0.contains(head.method) } ?? false
                return Nearness.distance(head.rawPath, route.path) * 2 + (isOther ? 3 : 0)
            }
            let names = nearest.map(\.description).joined(separator: ", ")
            let all = routes.reversed().map(\.description)
            let sentence =
                switch all.count {
                case 0: "the test has set none"
                case 1: "the only one is \(names)"
                case let count: "the nearest of \(count) are \(names)"
                }
            return .problem(404, "There is no route for \(head.method) \(head.rawPath): \(sentence)", routes: all)
        }
        let implied = methods.contains("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"]
        let allowed = methods.union(implied).sorted().joined(separator: ", ")
        guard head.method != "OPTIONS" else { return .status(200, headers: ["Allow": allowed]) }
        let detail = "The route for \(head.rawPath) has not the method \(head.method), but \(allowed)"
        return .problem(405, detail, routes: routes.reversed().map(\.description)).adding("Allow", allowed)
    }
}

extension LoopbackServer.Response {
    /// Returns the description of a failure (RFC 9457), with the routes of the test.
    fileprivate static func problem(_ status: Int, _ detail: String, routes: [String]) -> Self {
        let object: [String: Any] = ["status": status, "detail": detail.onOneLine, "routes": routes]
        // Strings and a number can always be written as JSON.
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        let content = (try? JSONSerialization.data(withJSONObject: object, options: options)) ?? Data()
        return .data(content, contentType: "application/problem+json", status: status)
    }
}

/// A route: a path, its methods, and its responses.
struct Route: Sendable {
    typealias Handler = @Sendable (LoopbackServer.Request) throws -> LoopbackServer.Response

    enum Answer: Sendable {
        case script(Script)
        case handler(Handler)
        case webSocket(WebSocketRoute)
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

    /// The methods and the path, for the text of an error.
    var description: String {
        "\(methods.map { $0.sorted().joined(separator: "/") } ?? "any method") \(path)".onOneLine
    }

    /// Returns whether the route applies to a method. A route for GET also applies to HEAD, unless there is a route for
    /// HEAD.
    func allows(_ method: String, headAsGet: Bool) -> Bool {
        guard let methods else { return true }
        return methods.contains(method) || (headAsGet && method == "HEAD" && methods.contains("GET"))
    }
}

extension Route {
    /// A queue of responses. The last response is repeated.
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

/// A path in which `{name}` stands for one segment, and a final `*` for all remaining segments.
struct PathPattern: Sendable, Equatable {
    private enum Segment: Equatable {
        case literal(String)
        case placeholder(String)
    }

    private let segments: [Segment]
    private let matchesRest: Bool

    init(_ pattern: String) {
        var parts = pattern.parts(separatedBy: "/", omittingEmptyParts: false).map(String.init)
        matchesRest = parts.last == "*"
        if matchesRest { parts.removeLast() }
        segments = parts.map { part in
            part.begins(with: "{") && part.ends(with: "}")
                ? .placeholder(String(Substring(part.utf8.dropFirst().dropLast()))) : .literal(part.percentDecoded())
        }
    }

    /// Returns the decoded segments for the placeholders; nil if the path does not match.
    ///
    /// - Parameter rawSegments: The segments of a path. They are not decoded yet, so that an escaped slash does not
    ///   separate segments.
    func match(_ rawSegments: [Substring]) -> [String: String]? {
        guard matchesRest ? rawSegments.count >= segments.count : rawSegments.count == segments.count else {
            return nil
        }
        var parameters: [String: String] = [:]
        for (segment, raw) in zip(segments, rawSegments) {
            let value = raw.utf8.contains(UInt8(ascii: "%")) ? String(raw).percentDecoded() : String(raw)
            switch segment {
            case .literal(let literal): if value != literal { return nil }
            case .placeholder(let name):
                if value.isEmpty { return nil }
                parameters[name] = value
            }
        }
        if matchesRest {
            parameters["*"] = rawSegments.dropFirst(segments.count).joined(separator: "/").percentDecoded()
        }
        return parameters
    }
}
