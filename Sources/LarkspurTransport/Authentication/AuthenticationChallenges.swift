#if canImport(FoundationNetworking)
/// The parser of a server's challenge fields (RFC 9110, section 11.6.1).
///
/// A comma separates challenges as well as parameters. The character after a name tells them apart: an equals sign
/// makes it a parameter. Commas may be missing or too many, and quotes may stay open; the parser reads as much as it
/// can.
enum AuthenticationChallenges {
    /// Reads the challenges of all fields of one name, in their order.
    static func parse(_ fieldValues: [String]) -> [AuthenticationChallenge] {
        fieldValues.flatMap { value in
            var parser = AuthenticationFieldParser(value)
            return parser.challenges()
        }
    }
}
#endif
