#if canImport(FoundationNetworking)
@testable import LarkspurTransport

extension AuthenticationChallenges {
    /// The first of the challenges that are answered by a field; nil if there is none.
    static func strongest(of challenges: [AuthenticationChallenge]) -> AnswerableChallenge? {
        guard case .field(let challenge) = offers(in: challenges, schemes: []).first else { return nil }
        return challenge
    }
}
#endif
