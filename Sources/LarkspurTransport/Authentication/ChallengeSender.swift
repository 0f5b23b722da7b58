#if canImport(FoundationNetworking)
import Synchronization

/// The sender of a challenge. Each of its methods answers the challenge as the method's name says.
///
/// FoundationNetworking's own sender traps when it is used. The first answer counts; later ones have no effect.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    typealias Answer = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    private let pending: Mutex<Answer?>

    /// - Parameter answer: Called at most once, on the thread of the caller, with no lock held.
    init(_ answer: @escaping Answer) {
        pending = Mutex(answer)
    }

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
        send(.useCredential, credential)
    }

    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
        send(.useCredential)
    }

    func cancel(_ challenge: URLAuthenticationChallenge) {
        send(.cancelAuthenticationChallenge)
    }

    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
        send(.performDefaultHandling)
    }

    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
        send(.rejectProtectionSpace)
    }

    private func send(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential? = nil) {
        let answer = pending.withLock { $0.take() }
        answer?(disposition, credential)
    }
}
#endif
