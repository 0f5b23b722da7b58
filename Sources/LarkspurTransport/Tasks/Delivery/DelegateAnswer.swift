#if canImport(FoundationNetworking)
import Synchronization

/// A delegate's decision, as it is posted to the loop.
enum DelegateAnswer: Sendable {
    case redirect(URLRequest?)
    case challenge(URLSession.AuthChallengeDisposition, URLCredential?)
}

/// A completion handler that passes the first decision of a delegate to the code that waits for it. Later decisions are
/// ignored.
///
/// If a delegate releases the handler without a call, the decision is the refusal. So a delegate that returns without a
/// decision neither permits anything nor blocks a task forever.
package final class DelegateQuestion<Value: Sendable>: Sendable {
    private enum State {
        case asking
        case answered(Value)
        case waiting(@Sendable (Value) -> Void)
        case over
    }

    private let state = Mutex(State.asking)
    private let refusal: Value

    /// - Parameter refusal: The decision if the handler is released without a call.
    package init(refusal: Value) { self.refusal = refusal }

    deinit {
        if case .waiting(let resume) = state.withLock({ $0 }) { resume(refusal) }
    }

    package func answer(_ value: Value) {
        let resume = state.withLock { state -> (@Sendable (Value) -> Void)? in
            switch state {
            case .asking:
                state = .answered(value)
                return nil
            case .waiting(let resume):
                state = .over
                return resume
            case .answered, .over: return nil
            }
        }
        resume?(value)
    }

    /// If the decision has already been made, returns it. Otherwise returns nil. Then the decision is passed to
    /// `resume` when it is made. If the handler is released without a call, the refusal is passed.
    package func take(orLater resume: @escaping @Sendable (Value) -> Void) -> Value? {
        state.withLock { state in
            guard case .answered(let value) = state else {
                state = .waiting(resume)
                return nil
            }
            state = .over
            return value
        }
    }
}

/// A delegate as each of the protocols to which it may conform. The conformances are looked up only once, because a
/// look-up for each call would be expensive.
struct Delegates: Sendable {
    let task: (any URLSessionTaskDelegate)?
    let data: (any URLSessionDataDelegate)?
    let download: (any URLSessionDownloadDelegate)?

    init(_ delegate: (any URLSessionDelegate)?) {
        task = delegate as? any URLSessionTaskDelegate
        data = delegate as? any URLSessionDataDelegate
        download = delegate as? any URLSessionDownloadDelegate
    }
}

/// The delegate of a task, and the objects that are passed to it.
struct Listener {
    let delegates: Delegates
    let session: any SessionObject
    let task: URLSessionTask

    var dataTask: URLSessionDataTask? { task as? URLSessionDataTask }
    var downloadTask: URLSessionDownloadTask? { task as? URLSessionDownloadTask }
}
#endif
