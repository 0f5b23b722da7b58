#if canImport(FoundationNetworking)
/// A challenge for which somebody has to choose a credential.
struct CredentialDemand {
    let space: ProtectionSpace
    /// All ways to answer that are left, the strongest first.
    let offers: [ChallengeOffer]
    /// The one that is asked about.
    let offer: ChallengeOffer
    /// What default handling uses: a credential that was not refused yet.
    let untried: URLCredential?
    /// The credential that was refused last.
    let refused: URLCredential?
    let failureCount: Int

    /// The challenge as delegates see it.
    func challenge(with response: URLResponse) -> URLAuthenticationChallenge {
        .http(
            space,
            proposedCredential: untried ?? refused,
            failureCount: failureCount,
            response: response,
            // A delegate answers by its completion handler.
            answer: { _, _ in }
        )
    }
}
#endif
