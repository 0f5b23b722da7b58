internal import Foundation
import HTTPSyntax

/// The routes that every server has: the routes of httpbin.org, routes for WebSocket, and the faults.
struct BuiltInRoutes: Sendable {
    typealias Request = LoopbackServer.Request
    typealias Response = LoopbackServer.Response

    /// The error for a value in a path or query that the route does not accept. The response is a 400.
    struct InvalidValue: Error {
        let name: String
    }

    private(set) var all: [Route] = []

    init() {
        addEchoes()
        addStatusAndRedirects()
        addTiming()
        addRepresentations()
        addGeneratedData()
        addAuthentication()
        addCookies()
        addConditions()
        addFaults()
        addWebSockets()
    }

    /// Adds a route for a set of methods; nil for all. Default: only GET.
    mutating func add(_ path: String, _ methods: Set<String>? = ["GET"], _ handler: @escaping Route.Handler) {
        let answer = Route.Answer.handler { request in
            do {
                return try handler(request)
            } catch let error as InvalidValue {
                return .text("Invalid value: \(error.name)\n", status: 400)
            }
        }
        all.append(Route(path, methods: methods, answer: answer))
    }

    mutating func add(_ path: String, _ route: WebSocketRoute) {
        all.append(Route(path, methods: ["GET"], answer: .webSocket(route)))
    }

    private mutating func addFaults() {
        for fault in LoopbackServer.Fault.allCases {
            add(fault.path, nil) { _ in .fault(fault) }
        }
    }
}

/// Routes for status codes and redirects.
extension BuiltInRoutes {
    mutating func addStatusAndRedirects() {
        add("/status/{code}", nil) { Self.status(try $0.number("code", 100...999)) }

        for path in ["/redirect/{n}", "/relative-redirect/{n}"] {
            add(path, nil) { .redirect(to: Self.next("/relative-redirect", after: try $0.number("n", 1...1_000))) }
        }
        add("/absolute-redirect/{n}", nil) { request in
            let path = Self.next("/absolute-redirect", after: try request.number("n", 1...1_000))
            return .redirect(to: "http://\(request.headers["Host"] ?? "127.0.0.1")\(path)")
        }
        add("/redirect-to", nil) { request in
            .redirect(to: try request.value("url"), status: try request.number("status_code", 300...399, default: 302))
        }
    }

    private static func next(_ path: String, after count: Int) -> String {
        count > 1 ? "\(path)/\(count - 1)" : "/get"
    }

    private static func status(_ code: Int) -> Response {
        // A client waits for a final response after the interim response, so a 200 follows.
        if code < 200 { return .status(200).preceded(byInformational: code) }
        var response = Response.status(code, headers: ["Content-Type": "text/html; charset=utf-8"])
        switch code {
        case 301, 302, 303, 305, 307, 308: response.headers["Location"] = "/redirect/1"
        case 401: response.headers["WWW-Authenticate"] = #"Basic realm="Fake Realm""#
        case 407: response.headers["Proxy-Authenticate"] = #"Basic realm="Fake Realm""#
        default: break
        }
        return response
    }
}

extension LoopbackServer.Request {
    /// Returns the text of a placeholder in the path. If there is no such placeholder, returns the value of the query
    /// item.
    func value(_ name: String) throws -> String {
        guard let value = parameters[name] ?? query(name) else { throw BuiltInRoutes.InvalidValue(name: name) }
        return value
    }

    /// Returns a whole number in the path or query, within bounds.
    ///
    /// - Parameter defaultValue: The number that is used if the request has none; nil if the request must have one.
    func number(_ name: String, _ bounds: ClosedRange<Int>, default defaultValue: Int? = nil) throws -> Int {
        guard let text = parameters[name] ?? query(name) else {
            if let defaultValue { return defaultValue }
            throw BuiltInRoutes.InvalidValue(name: name)
        }
        guard let number = Int(text), bounds.contains(number) else { throw BuiltInRoutes.InvalidValue(name: name) }
        return number
    }

    /// Returns a number of seconds in the path or query.
    func seconds(_ name: String, default defaultValue: Duration) throws -> Duration {
        guard let text = parameters[name] ?? query(name) else { return defaultValue }
        guard let seconds = Double(text), seconds.isFinite, seconds >= 0 else {
            throw BuiltInRoutes.InvalidValue(name: name)
        }
        // `Duration` ends the process for a number that it cannot represent.
        return .seconds(min(seconds, 1e9))
    }
}

extension BuiltInRoutes {
    /// The maximum number of bytes that a route generates. It is enough for every test, and does not exhaust the
    /// memory.
    static let maximumByteCount = 256 << 20

    static let byteCounts = 0...maximumByteCount
}

/// Routes whose responses are delayed.
extension BuiltInRoutes {
    mutating func addTiming() {
        add("/delay/{seconds}", nil) { request in
            try .echo(request, [.url, .args, .form, .data, .origin, .headers, .files])
                .delayed(by: try request.seconds("seconds", default: .zero))
        }
        add("/drip") { request in
            let count = try request.number("numbytes", 1...10_000_000, default: 10)
            let pause = try request.seconds("duration", default: .seconds(2)) / count
            let byte = Response.Step.text("*")
            return .stream([byte, .repeated([.pause(pause), byte], times: count - 1)])
                .with { $0.status = (try? request.number("code", 200...999, default: 200)) ?? 200 }
                .delayed(by: try request.seconds("delay", default: .zero))
        }
    }
}
