import Larkspur

/// The samples of `Docs/Interceptors.md`, each between two markers; what they print is noted.
struct InterceptorSamples: Sendable {
    let manager: SessionManager
    let output = Recorder<String>()

    private func print(_ items: Any...) { output.record(items.map { "\($0)" }.joined(separator: " ")) }

    private func signature(of request: URLRequest) -> String { "signed \(request.url?.path ?? "")" }

    func first() async throws {
        // sample: interceptor
        manager.interceptors.attempt = [
            .custom { request, context, next in
                let start = ContinuousClock.now
                let response = try await next(request)
                print(request.url?.path ?? "", response.statusCode ?? 0, ContinuousClock.now - start < .seconds(60))
                return response
            }
        ]
        print(try await manager.get("notes").string)
        // end
    }

    func levels() async throws {
        // sample: levels of interceptors
        manager.interceptors = RequestInterceptors(
            call: [.compression(), .retry()],
            attempt: [.rateLimit(10), .traceContext()]
        )
        let text = try await manager.get("notes").interceptAttempts(with: .concurrencyLimit(2)).string
        print(text)
        // end
    }

    func adapting() {
        // sample: adapting requests
        manager.interceptors.attempt = [
            .adapting { request in
                request.headers["X-Signature"] = signature(of: request)
            }
        ]
        // end
    }

    func withholding() async throws {
        // sample: fields for one origin
        let key = ClosureInterceptor { request, context, next in
            var request = request
            request.headers["X-API-Key"] = "k3y"
            context.withholdFromOtherOrigins(["X-API-Key"])
            return try await next(request)
        }
        print(try await manager.get("notes").intercept(with: key).string)
        // end
    }

    // sample: own interceptor
    struct Fixtures: RequestInterceptor {
        let texts: [String: String]

        func intercept(
            _ request: URLRequest,
            context: RequestContext,
            next: RequestContext.Next
        ) async throws -> InterceptedResponse {
            guard let url = request.url, let text = texts[url.path] else { return try await next(request) }
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
            return InterceptedResponse(request: request, response: response, data: Data(text.utf8))
        }
    }
    // end

    func limits() {
        // sample: limits of attempts
        manager.interceptors.attempt = [
            .rateLimit(100, per: .seconds(60), burst: 10),
            .concurrencyLimit(4) { request in
                request.url?.path.hasPrefix("/search") == true ? 1 : 0
            },
        ]
        // end
    }

    func coalescing(_ login: some RequestInterceptor) {
        // sample: coalescing
        manager.interceptors.call = [login, .coalescing()]
        // end
    }

    func circuit() async {
        // sample: circuit breaker
        manager.interceptors = RequestInterceptors(call: [.retry()], attempt: [.circuitBreaker(failures: 5)])
        let response = await manager.get("report").response()
        if response.error?.code == .circuitOpen { print("not asked") }
        // end
    }
}
