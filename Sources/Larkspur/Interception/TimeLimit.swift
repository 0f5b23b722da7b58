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
        guard let result else {
            let (name, kind) = part == .call ? ("call", InterceptorLimit.callTime) : ("attempt", .attemptTime)
            context.note(.limit(kind, reason: "the \(name) took longer than \(limit)"))
            throw LarkspurError(.timedOut, "The \(name) took longer than \(limit).", request: request)
        }
        return try result.get()
    }

    /// Returns the result of a request; nil if the limit was reached before.
    private func result(
        of request: URLRequest,
        _ context: RequestContext,
        _ next: @escaping RequestContext.Next
    ) async -> Result<InterceptedResponse, any Error>? {
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
                    // A response that has arrived at the last moment is not lost.
                    if isReached, case .failure = result { return nil }
                    return result
                case .reached:
                    isReached = true
                    group.cancelAll()
                case .lifted: break
                }
            }
            return nil
        }
    }

    /// Waits until the limit is reached.
    /// - Returns: False if the limit does not apply any more: the head of a response has arrived that is not collected,
    ///   or the request has ended.
    private func waitForLimit(_ context: RequestContext) async -> Bool {
        let checks = context.sendsLargeBody ? Self.checks : 1
        var left = checks
        var last: Int64 = 0
        while left > 0 {
            // The sleep fails if the request has ended.
            guard (try? await context.clock.sleep(for: limit.bounded / checks)) != nil else { return false }
            let (sent, total) = context.sentBytes
            left = checks > 1 && (sent != last || sent < total) ? checks : left - 1
            last = sent
        }
        return context.collectsContent || !context.hasResponse
    }

    /// The number of times that an upload is looked at during the limit. So the limit begins up to a tenth too late.
    private static let checks = 10
}
