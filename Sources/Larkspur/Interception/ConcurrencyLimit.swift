internal import HTTPSyntax
import Synchronization

/// An interceptor that limits the number of concurrent attempts for each origin.
///
///     manager.interceptors.attempt = [.concurrencyLimit(4)]
///
/// Attempts beyond the limit wait. The attempt with the highest priority is sent first; attempts with equal priority
/// are sent in the order of their arrival. A call that is cancelled stops waiting. Set the interceptor for attempts and
/// not for calls, so that a call does not count during the delay before a retry. The requests with which an
/// ``AuthenticationInterceptor`` refreshes a credential do not count, because other requests wait for them.
final class ConcurrencyLimit: RequestInterceptor {
    private struct Lane {
        var active = 0
        var line = WaitingLine<WaitingCall>()
    }

    private struct State {
        /// The origins with attempts.
        var lanes: [Origin?: Lane] = [:]
        var nextID = 0
    }

    private let limit: Int
    private let maximumWaiting: Int
    private let priority: @Sendable (URLRequest) -> Int
    private let state = Mutex(State())

    /// Creates an interceptor.
    /// - Parameters:
    ///   - limit: The maximum number of concurrent attempts for each origin, at least 1.
    ///   - maximumWaiting: The maximum number of attempts that wait for each origin. Further attempts fail with the
    ///     code `tooManyCalls`. Default: no limit.
    ///   - priority: A closure that returns the priority of a request. The waiting request with the highest value is
    ///     sent first. The closure is called on an arbitrary thread. Default: the same priority for all requests.
    init(
        _ limit: Int,
        maximumWaiting: Int = .max,
        priority: @escaping @Sendable (URLRequest) -> Int = { _ in 0 }
    ) {
        self.limit = max(1, limit)
        self.maximumWaiting = max(0, maximumWaiting)
        self.priority = priority
    }

    /// The number of attempts that wait.
    var waiterCount: Int { state.withLock { $0.lanes.values.reduce(0) { $0 + $1.line.count } } }
    /// The number of origins with attempts.
    var originCount: Int { state.withLock { $0.lanes.count } }

    /// Sends a request as soon as there are fewer attempts than the limit.
    /// - Throws: The error of the attempt; a `CancellationError` if the call is cancelled while it waits;
    ///   `tooManyCalls`.
    func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        // Waiting could cause a deadlock: the attempts under way may wait for this refresh.
        if RefreshScope.isActive { return try await next(request) }
        let origin = request.url.flatMap(Origin.init)
        do {
            try await enter(origin, priority(request))
        } catch let refusal as Refusal {
            context.note(.limit(.concurrentCalls, reason: refusal.reason))
            throw LarkspurError(.tooManyCalls, "Nothing is sent, because \(refusal.reason).", request: request)
        }
        defer { leave(origin) }
        return try await next(request)
    }

    private func enter(_ origin: Origin?, _ priority: Int) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    // The cancellation handler below may have run before there was a continuation to remove.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    // Removed from the dictionary during the change, so that the waiting line is not copied.
                    var lane = state.lanes.removeValue(forKey: origin) ?? Lane()
                    defer { state.lanes[origin] = lane }
                    if lane.active < limit {
                        lane.active += 1
                        return .success(())
                    }
                    guard lane.line.count < maximumWaiting else {
                        return .failure(Refusal(limit: limit, waiting: lane.line.count))
                    }
                    lane.line.add(continuation, id, priority: priority)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.lanes[origin]?.line.remove(id) }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private func leave(_ origin: Origin?) {
        let waiter = state.withLock { state -> WaitingCall? in
            guard var lane = state.lanes.removeValue(forKey: origin) else { return nil }
            // A waiting attempt takes the place of the attempt that has ended, so `active` stays the same.
            let waiter = lane.line.popFirst()
            if waiter == nil { lane.active -= 1 }
            if lane.active > 0 { state.lanes[origin] = lane }
            return waiter
        }
        waiter?.resume()
    }
}

/// The refusal of an attempt for which there is no room.
private struct Refusal: Error {
    let limit: Int
    let waiting: Int

    var reason: String {
        "\(limit) of \(limit) are under way to the server" + (waiting > 0 ? " and \(waiting) wait" : "")
    }
}

extension RequestInterceptor where Self == ClosureInterceptor {
    /// Returns an interceptor that limits the number of concurrent attempts for each origin.
    /// - Parameters:
    ///   - limit: The maximum number of concurrent attempts for each origin, at least 1.
    ///   - maximumWaiting: The maximum number of attempts that wait for each origin. Further attempts fail with the
    ///     code `tooManyCalls`. Default: no limit.
    ///   - priority: A closure that returns the priority of a request. The waiting request with the highest value is
    ///     sent first. The closure is called on an arbitrary thread. Default: the same priority for all requests.
    public static func concurrencyLimit(
        _ limit: Int,
        maximumWaiting: Int = .max,
        priority: @escaping @Sendable (URLRequest) -> Int = { _ in 0 }
    ) -> ClosureInterceptor {
        ClosureInterceptor(ConcurrencyLimit(limit, maximumWaiting: maximumWaiting, priority: priority))
    }
}
