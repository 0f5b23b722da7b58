#if canImport(FoundationNetworking)

/// Reads the fields with which a server asks for credentials (RFC 9110, section 11.6.1).
///
/// A comma separates challenges as well as parameters, so it is what follows a name that tells them apart: an equals
/// sign makes it a parameter. Commas may be missing or too many, quotes may stay open: what can be read is read.
enum AuthenticationChallenges {
    /// The challenges of all fields of one name, in their order.
    static func parse(_ fieldValues: [String]) -> [AuthenticationChallenge] {
        fieldValues.flatMap { value in
            var parser = AuthenticationFieldParser(value)
            return parser.challenges()
        }
    }
}
#endif
