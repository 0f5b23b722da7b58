#if canImport(FoundationNetworking)
/// A challenge for which a delegate or the default handling has to choose a credential.
struct CredentialDemand {
    let space: ProtectionSpace
    /// All ways to answer that remain, the strongest first.
    let offers: [ChallengeOffer]
    /// The way to answer that the challenge is about.
    let offer: ChallengeOffer
    /// The credential that default handling uses: one that was not refused yet.
    let untried: URLCredential?
    /// The credential that was refused last.
    let refused: URLCredential?
    let failureCount: Int

    /// Returns the challenge as delegates see it.
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
