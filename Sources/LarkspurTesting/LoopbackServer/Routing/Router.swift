internal import Foundation
internal import Synchronization

/// A router that finds the route of a request. Routes of the test take precedence over the built-in ones, and later
/// ones over earlier ones.
final class Router: Sendable {
    /// The result of routing, which is determined when only the head of the request has arrived.
    struct Resolution: Sendable {
        enum Reply: Sendable {
            case response(LoopbackServer.Response)
            case handler(Route.Handler)
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
        // The closures are released outside the lock, because objects that they own may call the server when they are
        // released.
        _ = ownRoutes.withLock { routes in
            defer { routes = [] }
            return routes
        }
    }

    func resolve(_ head: RequestHead) -> Resolution {
        let segments = head.rawPath.split(separator: "/", omittingEmptySubsequences: false)
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
        return Resolution(reply: .response(Self.refusal(of: head, allowing: Set(methods))))
    }

    private func candidates(among routes: [Route], _ segments: [Substring]) -> [(Route, [String: String])] {
        routes.compactMap { route in route.pattern.match(segments).map { (route, $0) } }
    }

    private func resolution(_ route: Route, _ parameters: [String: String]) -> Resolution {
        switch route.answer {
        case .script(let script): Resolution(reply: .response(script.next()), parameters: parameters)
        case .handler(let handler): Resolution(reply: .handler(handler), parameters: parameters)
        }
    }

    private static func refusal(of head: RequestHead, allowing methods: Set<String>) -> LoopbackServer.Response {
        guard !methods.isEmpty else { return .text("There is no route for \(head.rawPath).\n", status: 404) }
        let implied = methods.contains("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"]
        let allowed = methods.union(implied).sorted().joined(separator: ", ")
        return .status(head.method == "OPTIONS" ? 200 : 405, headers: ["Allow": allowed])
    }
}
