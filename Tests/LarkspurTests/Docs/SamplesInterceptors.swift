import Larkspur

/// The samples of `Docs/Interceptors.md`, each between two markers; what they print is noted.
struct InterceptorSamples: Sendable {
    let manager: SessionManager
    let output = Recorder<String>()

    private func print(_ items: Any...) { output.record(items.map { "\($0)" }.joined(separator: " ")) }

    private func signature(of request: URLRequest) -> String { "signed \(request.url?.path ?? "")" }

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

    func standard() {
        // sample: the standard interceptors
        manager.interceptors = .standard()
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

    func sharedLimits(_ shared: any SharedStore) {
        // sample: limits of many processes
        manager.interceptors.attempt = [
            .rateLimit(200, store: shared, key: "search", shareWithoutStore: 0.25)
        ]
        // end
    }

    func serverLimits(_ baseURL: URL) async throws {
        // sample: limits of a server
        let limits = ServerRateLimits(maximumWait: .seconds(30))
        manager.interceptors.attempt = [limits]

        print(try await manager.get("notes").string)
        for limit in limits.limits(for: URLRequest(url: baseURL)) {
            print(limit.name, limit.remaining)
        }
        // end
    }

    func coalescing(_ login: some RequestInterceptor) {
        // sample: coalescing
        manager.interceptors.call = [login, .coalescing()]
        // end
    }
}
