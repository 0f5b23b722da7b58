/// The interceptor that continues a download after its connection is lost, with the rules of ``RetryPolicy``.
///
/// Each attempt continues the file of the previous attempt. The delay grows with each loss, and starts again from its
/// base when content has arrived.
struct DownloadResumption: RequestInterceptor {
    /// The maximum number of resumptions in total.
    let limit: Int

    /// The rules for the next attempt. No status code is followed by another attempt, because the server would refuse
    /// the request again.
    static let policy: RetryPolicy = {
        var policy = RetryPolicy(
            maximumAttempts: .max,
            baseDelay: .milliseconds(250),
            maximumDelay: .seconds(30),
            deadline: nil,
            budget: nil
        )
        policy.statusCodes = []
        policy.urlErrorCodes = []
        return policy
    }()

    func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        var remaining = limit
        var lossesInSuccession = 0
        var received: Int64 = 0
        var loss: LarkspurError?
        while true {
            let failure: LarkspurError
            do {
                return try await next(request)
            } catch let error as LarkspurError {
                // The earlier loss explains the failure better than the invalidation of the session, and has the resume
                // data.
                if let loss, error.code == .sessionInvalidated { throw loss }
                guard remaining > 0, error.resumeData != nil else { throw error }
                failure = error
                loss = error
            }
            remaining -= 1
            lossesInSuccession = context.receivedBytes > received ? 1 : lossesInSuccession + 1
            received = context.receivedBytes
            // The count determines the delay only: `limit` ends the resumptions, and the policy has no deadline.
            let attempt = RetryAttempt(
                request: request,
                count: lossesInSuccession,
                result: .failure(failure),
                elapsed: .zero
            )
            let decision = Self.policy.decision(after: attempt, random: Self.policy.random(), now: Date())
            guard case .retry(let delay) = decision else { throw failure }
            try await context.clock.sleep(for: delay)
        }
    }
}
