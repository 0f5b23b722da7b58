#if canImport(FoundationNetworking)
import LarkspurTransport

/// A delegate that is asked about challenges only, and answers each in the order of its answers, the last of which
/// repeats.
final class ChallengeDelegate: NSObject, URLSessionTaskDelegate {
    struct Challenge: Sendable {
        let method: String
        let space: URLProtectionSpace
        let failures: Int
        let proposed: String?
        let status: Int?
    }

    typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)

    let challenges = Recorder<Challenge>()
    private let answers: [Answer]

    init(_ answers: Answer...) { self.answers = answers }

    init(_ answers: [Answer]) { self.answers = answers }

    convenience init(user: String, _ password: String, _ persistence: URLCredential.Persistence = .forSession) {
        self.init((.useCredential, URLCredential(user: user, password: password, persistence: persistence)))
    }

    var failures: [Int] { challenges.values.map(\.failures) }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        challenges.record(Challenge(challenge))
        let index = min(challenges.values.count, answers.count) - 1
        guard index >= 0 else { return completionHandler(.performDefaultHandling, nil) }
        completionHandler(answers[index].0, answers[index].1)
    }
}

extension ChallengeDelegate.Challenge {
    init(_ challenge: URLAuthenticationChallenge) {
        method = challenge.protectionSpace.authenticationMethod
        space = challenge.protectionSpace
        failures = challenge.previousFailureCount
        proposed = challenge.proposedCredential?.user
        status = (challenge.failureResponse as? HTTPURLResponse)?.statusCode
    }
}
#endif
