#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport

/// A server, and sessions with one cache.
struct CacheLab: Sendable {
    let server: LoopbackServer
    let cache: URLCache?
    let session: CurlURLSession

    init(_ cache: URLCache? = HTTPCache(), policy: URLRequest.CachePolicy = .useProtocolCachePolicy) throws {
        self.cache = cache
        server = try LoopbackServer()
        session = CurlURLSession(
            configuration: .testing {
                $0.urlCache = cache
                $0.requestCachePolicy = policy
            }
        )
    }

    /// Another session with the same cache.
    func makeSession(_ delegate: (any URLSessionDelegate)? = nil, queue: OperationQueue? = nil) -> CurlURLSession {
        CurlURLSession(configuration: .testing { $0.urlCache = cache }, delegate: delegate, delegateQueue: queue)
    }

    /// Where a response came from: "network", "cache" or "validated".
    struct Reply: Sendable {
        let outcome: Outcome
        let metrics: [TransactionMetrics]

        var text: String? { outcome.text }
        var status: Int? { outcome.status }

        var source: String {
            switch metrics.last?.source {
            case .validatedCache: "validated"
            case let source?: source.description
            case nil: "none"
            }
        }
    }

    func get(
        _ path: String,
        _ headers: [String: String] = [:],
        method: String = "GET",
        body: Data? = nil,
        timeout: TimeInterval = 60,
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) async throws -> Reply {
        var request = URLRequest(server.url(path), method, body: body, timeout: timeout, headers: headers)
        request.cachePolicy = policy
        return try await send(request)
    }

    func send(_ request: URLRequest) async throws -> Reply {
        let outcomes = Recorder<Outcome>()
        let task = session.dataTask(with: request) { outcomes.record(Outcome(data: $0, response: $1, error: $2)) }
        task.resume()
        let outcome = try await outcomes.first()
        return Reply(outcome: outcome, metrics: task.transactionMetrics)
    }

    /// Answers a path with numbered responses with these fields, and conditions with a 304.
    func route(_ path: String, _ fields: [String: String], status: Int = 200, notModified: [String: String]? = nil) {
        let server = server
        server.route(path) { request in
            var response: LoopbackServer.Response
            let isConditional =
                request.headers["If-None-Match"] != nil || request.headers["If-Modified-Since"] != nil
            if isConditional {
                response = .status(304)
            } else {
                let count = server.requests(to: path).count
                response = .text("\(count)", status: status)
            }
            for (name, value) in isConditional ? notModified ?? fields : fields {
                response.headers.append(name, value)
            }
            return response
        }
    }

    func requestCount(_ path: String) -> Int { server.requests(to: path).count }
}
#endif
