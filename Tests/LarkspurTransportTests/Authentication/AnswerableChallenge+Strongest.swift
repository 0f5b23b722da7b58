#if canImport(FoundationNetworking)
import HTTPSyntax

@testable import LarkspurTransport

extension AnswerableChallenge {
    /// The first challenge of the fields that is answered by a field; nil if there is none.
    static func strongest(of fields: [String]) -> AnswerableChallenge? {
        let offers = ChallengeOffer.offers(in: ChallengeField.challenges(in: fields), schemes: [])
        guard case .field(let challenge) = offers.first else { return nil }
        return challenge
    }
}
#endif
