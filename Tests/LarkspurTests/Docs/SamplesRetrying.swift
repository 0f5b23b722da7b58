import Larkspur

/// The samples of `Docs/Interceptors.md` about retries, each between two markers; what they print is noted.
struct RetryingSamples: Sendable {
    let manager: SessionManager
    let output = Recorder<String>()

    private func print(_ items: Any...) { output.record(items.map { "\($0)" }.joined(separator: " ")) }

    func first() async throws {
        // sample: retry
        manager.interceptors.call = [.retry()]

        let text = try await manager.get("report").string
        let patient = try await manager.get("report").intercept(with: .retry(maximumAttempts: 6)).string
        print(text, patient)
        // end
    }

    func key() async throws {
        // sample: idempotency key
        struct Order: Encodable {
            var item: String
        }

        let receipt =
            try await manager
            .post("orders", body: .json(Order(item: "tea")), headers: ["Idempotency-Key": UUID().uuidString])
            .string
        print(receipt)
        // end
    }

    func budget(reader: SessionManager, writer: SessionManager) {
        // sample: retry budget
        let budget = RetryBudget(maximumTokens: 20, tokenRatio: 0.2)
        reader.interceptors.call = [.retry(budget: budget)]
        writer.interceptors.call = [.retry(maximumAttempts: 2, budget: budget)]
        // end
    }

    // sample: own retry policy
    struct OneMoreTime: RequestInterceptor {
        func intercept(
            _ request: URLRequest,
            context: RequestContext,
            next: RequestContext.Next
        ) async throws -> InterceptedResponse {
            let response = try await next(request)
            guard response.statusCode == 202, context.canRepeatBody else { return response }
            try await context.clock.sleep(for: .seconds(1))
            return try await next(request)
        }
    }
    // end
}
