import LarkspurTesting
import LarkspurTransport
import Synchronization

@testable import Larkspur

/// The orders that a program gives from within its own closures.
extension ModelRun {
    /// Gives the orders of an occasion to a call, once.
    func occur(_ occasion: ModelOperation.Occasion, _ task: SessionTask?) {
        occur(occasion, task, of: call(of: task?.plan.urlRequest))
    }

    /// Gives the orders of an occasion to the call that sends a request, once.
    func occur(_ occasion: ModelOperation.Occasion, _ request: URLRequest) {
        let call = call(of: request)
        occur(occasion, call.flatMap { call in state.withLock { $0.records[call]?.task } }, of: call)
    }

    /// Gives the orders of an occasion to a call, once.
    func occur(_ occasion: ModelOperation.Occasion, in call: Int) {
        occur(occasion, state.withLock { $0.records[call]?.task }, of: call)
    }

    private func occur(_ occasion: ModelOperation.Occasion, _ task: SessionTask?, of call: Int?) {
        guard let call, let task else { return }
        let orders = state.withLock { $0.orders[call]?.removeValue(forKey: occasion) } ?? []
        for order in orders {
            switch order {
            case .cancel: task.cancel()
            case .cancelKeepingData: cancelKeepingData(task, call)
            case .suspend: task.suspend()
            case .resume: task.resume()
            }
        }
    }

    private func has(_ occasion: ModelOperation.Occasion) -> Bool {
        operations.contains { if case .give(_, _, occasion) = $0.action { true } else { false } }
    }

    /// Sets the hooks and interceptors that give orders.
    func addOrders(to manager: SessionManager) {
        if has(.interception) || has(.interceptionEnd) {
            manager.interceptors.call.append(
                ClosureInterceptor { [weak self] request, _, next in
                    self?.occur(.interception, request)
                    defer { self?.occur(.interceptionEnd, request) }
                    return try await next(request)
                }
            )
        }
        addHooks(to: manager)
    }

    private func addHooks(to manager: SessionManager) {
        let give: @Sendable (SessionTask, ModelOperation.Occasion.Hook) -> Void = { [weak self] task, hook in
            self?.occur(.hook(hook), task)
        }
        for hook in ModelOperation.Occasion.Hook.allCases where has(.hook(hook)) {
            switch hook {
            case .redirect:
                manager.hooks.willPerformHTTPRedirection = { task, _, request in
                    give(task, hook)
                    return request
                }
            case .disposition:
                manager.hooks.responseDisposition = { task, _ in
                    give(task, hook)
                    return .allow
                }
            case .data: manager.hooks.didReceiveData = { task, _ in give(task, hook) }
            case .caching:
                manager.hooks.willCacheResponse = { task, response in
                    give(task, hook)
                    return response
                }
            case .destination:
                manager.hooks.downloadDestination = { task, _, _ in
                    give(task, hook)
                    return nil
                }
            case .sent: manager.hooks.didSendBodyData = { task, _, _, _ in give(task, hook) }
            case .written: manager.hooks.didWriteData = { task, _, _, _ in give(task, hook) }
            case .metrics: manager.hooks.didCollectMetrics = { task, _ in give(task, hook) }
            case .end: manager.hooks.didComplete = { task, _ in give(task, hook) }
            }
        }
    }

    /// Adds the closures of a call that takes handlers, if they give orders.
    func addOrders<T: SessionTask>(to task: T, _ call: Int) -> T {
        var task = task
        if has(.uploadProgress) {
            task = task.uploadProgress { [weak self] _ in self?.occur(.uploadProgress, in: call) }
        }
        if has(.downloadProgress) {
            task = task.downloadProgress { [weak self] _ in self?.occur(.downloadProgress, in: call) }
        }
        if has(.validation), let data = task as? DataTask {
            _ = data.validate { [weak self] _, _, _ in self?.occur(.validation, in: call) }
        }
        return task
    }
}
