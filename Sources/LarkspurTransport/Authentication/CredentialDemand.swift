#if canImport(FoundationNetworking)
/// The need for a credential that a delegate or the default handling chooses.
struct CredentialDemand {
    let space: ProtectionSpace
    /// All ways to authenticate that remain, the strongest first.
    let offers: [ChallengeOffer]
    /// The way to authenticate for which a credential is needed now.
    let offer: ChallengeOffer
    /// A credential that has not been refused yet, for the default handling; nil if there is none.
    let untried: URLCredential?
    /// The credential that was refused last; nil if none was refused.
    let refused: URLCredential?
    let failureCount: Int

    /// Returns the challenge for delegates.
    func challenge(with response: URLResponse) -> URLAuthenticationChallenge {
        URLAuthenticationChallenge(
            protectionSpace: space.urlProtectionSpace,
            proposedCredential: untried ?? refused,
            previousFailureCount: failureCount,
            failureResponse: response,
            error: nil,
            sender: ChallengeSender()
        )
    }
}
#endif
