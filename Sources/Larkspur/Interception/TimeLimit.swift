/// An interceptor that limits the time of the rest of the chain: of a whole call, or of each attempt.
///
/// At the limit, the rest of the chain is cancelled, and the request ends with the error `timedOut`. For a download or
/// a stream, the limit ends when the head of a response has arrived. For an upload of a file or a stream, the limit
/// begins again while content is sent.
struct TimeLimit: RequestInterceptor {
    /// The part that is limited.
    enum Part: Sendable {
        case call, attempt
    }

    private enum End: Sendable {
        case ended(Result<InterceptedResponse, any Error>)
        case reached
        /// The limit does not apply any more.
        case lifted
    }

    let part: Part
    let limit: Duration

    /// Sends a request, and cancels it at the limit.
    /// - Throws: The error of the request; `timedOut` at the limit.
    func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        let result = await withoutActuallyEscaping(next) { await self.result(of: request, context, $0) }
        guard case .failure(let error) = result, error is LimitReached else { return try result.get() }
        // The call was cancelled at the same time.
        try Task.checkCancellation()
        var failure = LarkspurError(.timedOut, "The \(name) took longer than \(limit).", request: request)
        failure.resumeData = (error as? LimitReached)?.resumeData
        throw failure
    }

    private var name: String { part == .call ? "call" : "attempt" }

    /// The end of a request at the limit.
    private struct LimitReached: Error {
        /// The data with which another attempt can continue a download.
        let resumeData: Data?
    }

    /// Returns the result of a request, which is `LimitReached` if the limit was reached before.
    private func result(
        of request: URLRequest,
        _ context: RequestContext,
        _ next: @escaping RequestContext.Next
    ) async -> Result<InterceptedResponse, any Error> {
        await withTaskGroup(of: End.self) { group in
            group.addTask {
                do { return .ended(.success(try await next(request))) } catch { return .ended(.failure(error)) }
            }
            group.addTask { await waitForLimit(context) ? .reached : .lifted }
            var isReached = false
            while let end = await group.next() {
                switch end {
                case .ended(let result):
                    group.cancelAll()
                    // A response that has arrived at the last moment is not lost, and neither is another failure.
                    guard isReached, case .failure(let error) = result, Self.isCancellation(error) else {
                        return result
                    }
                    return .failure(LimitReached(resumeData: (error as? LarkspurError)?.resumeData))
                case .reached:
                    isReached = true
                    let kind = part == .call ? InterceptorLimit.callTime : .attemptTime
                    context.note(.limit(kind, reason: "the \(name) took longer than \(limit)"))
                    group.cancelAll()
                case .lifted: break
                }
            }
            return .failure(CancellationError())
        }
    }

    private static func isCancellation(_ error: any Error) -> Bool {
        error is CancellationError || (error as? LarkspurError)?.code == .cancelled
    }

    /// Waits until the limit is reached.
    /// - Returns: False if the limit does not apply any more: the head of a response has arrived that is not collected,
    ///   or the request has ended.
    private func waitForLimit(_ context: RequestContext) async -> Bool {
        let checks = context.sendsLargeBody ? Self.checks : 1
        var left = checks
        var last: Int64 = 0
        while left > 0 {
            // The wait is cancelled when the request has ended.
            guard await context.clock.wait(for: limit.bounded / checks) else { return false }
            let (sent, total) = context.sentBytes
            left = checks > 1 && (context.isProducing || sent != last || sent < total) ? checks : left - 1
            last = sent
        }
        return context.collectsContent || !hasHead(context)
    }

    /// Whether the head of a response that is not collected has arrived. For a call, this may be the head of an earlier
    /// attempt, which the present one continues.
    private func hasHead(_ context: RequestContext) -> Bool {
        context.hasResponse || (part == .call && (context.receivedBytes > 0 || context.hasDeliveredContent))
    }

    /// The number of times that an upload is looked at during the limit. So the limit begins up to a tenth too late.
    private static let checks = 10
}
