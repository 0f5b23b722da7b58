/// The routes of every server: those of httpbin.org, and the faults.
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

    private mutating func addFaults() {
        for fault in LoopbackServer.Fault.allCases {
            add(fault.path, nil) { _ in .fault(fault) }
        }
    }
}
