#if canImport(FoundationNetworking)
internal import HTTPSyntax
internal import Larkspur
import Synchronization

/// A route of a stub transport: a method, a pattern of URLs, and the replies.
struct StubRoute: Sendable {
    enum Answer: Sendable {
        case queue(ReplyQueue)
        case handler(StubTransport.Handler)

        static func queue(_ replies: [StubURLSession.Reply]) -> Answer { .queue(ReplyQueue(replies)) }
    }

    /// The method; nil for all.
    private let method: HTTPMethod?
    private let pattern: String
    private let answer: Answer
    /// The origin of the pattern, such as `https://example.com`; nil if the pattern is a path.
    private let origin: Origin?
    /// Whether the pattern has an origin. If the origin is malformed, no request matches.
    private let hasOrigin: Bool
    private let path: PathPattern
    private let query: [URLQueryItem]

    init(_ method: HTTPMethod?, _ pattern: String, _ answer: Answer) {
        self.method = method
        self.pattern = pattern
        self.answer = answer
        var rest = pattern.before("?")
        query = FormDecoding.items(of: String(pattern.cut(at: "?")?.after ?? ""))
        if let scheme = rest.utf8.firstRange(of: "://".utf8) {
            let end = rest.utf8[scheme.upperBound...].firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            origin = URL(string: String(rest[..<end])).flatMap(Origin.init)
            hasOrigin = true
            rest = rest[end...]
        } else {
            origin = nil
            hasOrigin = false
        }
        path = PathPattern(rest.begins(with: "/") || rest == "*" ? String(rest) : "/" + rest)
    }

    /// Returns whether the route is for the same requests as another one.
    func replaces(_ other: StubRoute) -> Bool { method == other.method && pattern == other.pattern }

    /// Returns the segments for the placeholders; nil if the request does not match.
    func match(_ request: StubTransport.Request, headAsGet: Bool) -> [String: String]? {
        guard allows(request.method, headAsGet: headAsGet) else { return nil }
        if hasOrigin { guard let origin, origin == Origin(request.url) else { return nil } }
        let items = query.isEmpty ? [] : request.queryItems
        guard query.allSatisfy(items.contains) else { return nil }
        return path.match(request.rawPath.parts(separatedBy: "/", omittingEmptyParts: false))
    }

    private func allows(_ given: HTTPMethod, headAsGet: Bool) -> Bool {
        guard let method else { return true }
        return headAsGet ? given == .head && method == .get : given == method
    }

    func reply(to request: StubTransport.Request) throws -> StubURLSession.Reply {
        switch answer {
        case .queue(let queue): queue.next()
        case .handler(let handler): try handler(request)
        }
    }

    /// Returns the distance to a request that does not match, for the text of an error.
    func distance(to request: StubTransport.Request) -> Int {
        let target = hasOrigin ? request.url.absoluteString : request.rawPath
        let isOtherMethod = method != nil && method != request.method
        return Nearness.distance(target, pattern) * 2 + (isOtherMethod ? 3 : 0)
    }

    var description: String { "\(method?.rawValue ?? "any method") \(pattern)".onOneLine }
}

/// A queue of replies. The last reply is repeated.
final class ReplyQueue: Sendable {
    private let replies: [StubURLSession.Reply]
    private let position = Mutex(0)

    init(_ replies: [StubURLSession.Reply]) { self.replies = replies }

    func next() -> StubURLSession.Reply {
        guard !replies.isEmpty else { return .respond() }
        let index = position.withLock { position in
            defer { position = min(position + 1, replies.count - 1) }
            return position
        }
        return replies[index]
    }
}
#endif
