import LarkspurTransport
import Synchronization

@testable import Larkspur

/// The environment and the hooks of tasks that belong to no session manager.
struct LoneTask {
    let hooks = SessionHooksStore()
    let environment: TaskEnvironment
    /// The lines about mistakes of the caller.
    let lines = Recorder<String>()

    init(maximumContentSize: Int = 1 << 20) {
        let queue = DispatchQueue(label: "larkspur.test.completion")
        var settings = ManagerSettings(completionQueue: queue, completionGroup: DispatchGroup())
        settings.maximumContentSize = maximumContentSize
        settings.reportsUnhandledFailures = true
        settings.failureWriter = { [lines] in lines.record($0) }
        settings.interest = NotificationInterest()
        environment = TaskEnvironment(settings, ProcessingPool())
    }

    /// Creates a task that has a transfer.
    func makeTask<Kind: SessionTask>(_ plan: CallPlan, _ transfer: FakeTransfer) -> Kind {
        let task = Kind(environment: environment, plan)
        task.attach(transfer)
        return task
    }
}

/// A transfer that records its orders.
final class FakeTransfer: Transfer {
    let identifier = 7
    let originalRequest: URLRequest?
    let controls = Recorder<TaskControl>()
    private let storedResponse = Mutex<URLResponse?>(nil)

    init(_ request: URLRequest?) { originalRequest = request }

    var urlSessionTask: URLSessionTask? { nil }
    var currentRequest: URLRequest? { originalRequest }
    var response: URLResponse? {
        get { storedResponse.withLock { $0 } }
        set { storedResponse.withLock { $0 = newValue } }
    }
    var trailers: [String: String]? { nil }
    var metrics: [TransactionMetrics] { [] }
    var currentResumeData: Data? { nil }
    var waitsForConnection: Bool { false }
    var connectionWait: ConnectionWait? { nil }

    func perform(_ control: TaskControl) { controls.record(control) }
    func setPriority(_ priority: Float) {}
}
