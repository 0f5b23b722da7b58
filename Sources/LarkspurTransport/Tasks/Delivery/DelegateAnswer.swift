#if canImport(FoundationNetworking)
import Synchronization

/// A delegate's decision, as it is posted to the loop.
enum DelegateAnswer: Sendable {
    case redirect(URLRequest?)
    case challenge(URLSession.AuthChallengeDisposition, URLCredential?)
}

/// A completion handler that passes the first decision of a delegate to the code that waits for it. Further decisions
/// are ignored.
///
/// If a delegate releases the handler without a call, the result is the same as for a delegate that does not implement
/// the method. So a delegate that forgets the handler cannot block a task forever.
final class Question<Value: Sendable>: Sendable {
    private enum State {
        case asking
        case answered(Value)
        case waiting(@Sendable (Value) -> Void)
        case over
    }

    private let state = Mutex(State.asking)
    private let fallback: Value

    init(fallback: Value) { self.fallback = fallback }

    deinit {
        if case .waiting(let resume) = state.withLock({ $0 }) { resume(fallback) }
    }

    func answer(_ value: Value) {
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

    /// Returns the decision if it has already been made. Otherwise returns nil, and passes the decision to `resume`
    /// when it is made.
    func take(orLater resume: @escaping @Sendable (Value) -> Void) -> Value? {
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
#endif
