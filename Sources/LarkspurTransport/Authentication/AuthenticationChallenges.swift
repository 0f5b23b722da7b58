#if canImport(FoundationNetworking)
internal import HTTPBasics

/// Reads the fields with which a server asks for credentials (RFC 9110, section 11.6.1).
///
/// A comma separates challenges as well as parameters, so it is what follows a name that tells them apart: an equals sign makes it a parameter. Commas may be
/// missing or too many, quotes may stay open: what can be read is read.
enum AuthenticationChallenges {
    /// The challenges of all fields of one name, in their order.
    static func parse(_ fieldValues: [String]) -> [AuthenticationChallenge] {
        fieldValues.flatMap { value in
            var parser = AuthenticationFieldParser(value)
            return parser.challenges()
        }
    }

    /// The best of the challenges that can be answered; nil if there is none.
    ///
    /// Digest goes before Basic, which gives the password away, and SHA-256 before MD5; of two that are alike the first counts.
    static func strongest(of challenges: [AuthenticationChallenge]) -> AnswerableChallenge? {
        var best: AnswerableChallenge?
        for challenge in challenges.lazy.compactMap(AnswerableChallenge.init)
        where best.map({ challenge.strength > $0.strength }) ?? true {
            best = challenge
        }
        return best
    }
}
#endif
