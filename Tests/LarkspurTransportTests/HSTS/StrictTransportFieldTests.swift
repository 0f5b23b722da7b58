#if canImport(FoundationNetworking)
import HTTPSyntax
import Testing

/// The grammar of RFC 6797, section 6.1, and the rules below it.
@Suite("Strict-Transport-Security") struct StrictTransportFieldTests {
    @Test(
        "A Strict-Transport-Security field has an age, and may include subdomains",
        arguments: [
            // The examples of section 6.2.
            ("max-age=31536000", 31_536_000, false),
            ("max-age=15768000 ; includeSubDomains", 15_768_000, true),
            ("max-age=\"31536000\"", 31_536_000, false),
            ("max-age=0", 0, false),
            ("max-age=0; includeSubDomains", 0, true),
            // The order, the case and blanks do not matter.
            ("includeSubDomains;max-age=1", 1, true), ("INCLUDESUBDOMAINS; MAX-AGE=1", 1, true),
            (" \t max-age \t = \t 1 \t ;\t includeSubDomains \t", 1, true),
            // Directives may be empty.
            ("max-age=1;", 1, false), (";max-age=1", 1, false), (";;max-age=1;;includeSubDomains;;", 1, true),
            // Unknown directives are ignored, with any value that matches the grammar.
            ("max-age=1; preload", 1, false), ("a=b; max-age=1", 1, false), ("a=\"b;c,d\\\"e\"; max-age=1", 1, false),
            ("max-age=1; includeSubDomainsToo", 1, false), ("max-ages=2; max-age=1", 1, false),
            ("a=\"\"; max-age=1", 1, false), ("a=\"max-age=2\"; max-age=1", 1, false),
            // A quoted value is read without its escapes.
            ("max-age=\"\\1\\2\"", 12, false), ("max-age=007", 7, false),
            ("max-age=10000000001", 10_000_000_000, false),
            ("max-age=99999999999999999999999999999999999", 10_000_000_000, false),
        ] as [(String, Int, Bool)]
    )
    func valid(_ text: String, _ age: Int, _ includesSubdomains: Bool) {
        let field = StrictTransportField(text)
        #expect(field?.maximumAge == age)
        #expect(field?.includesSubdomains == includesSubdomains)
    }

    @Test(
        "A malformed Strict-Transport-Security field is ignored as a whole",
        arguments: [
            // The age is required, and is a number.
            "", " ", ";", "includeSubDomains", "max-age", "max-age=", "max-age=;", "max-age=-1", "max-age=+1",
            "max-age=1.5", "max-age=a", "max-age=\"\"", "max-age=\" 1\"", "max-age=0x10", "max-age=1s",
            // Each directive occurs once, even an unknown one.
            "max-age=1; max-age=1", "max-age=1; MAX-AGE=2", "max-age=1; includeSubDomains; includesubdomains",
            "max-age=1; a; a", "max-age=1; a=b; A=c",
            // includeSubDomains has no value.
            "max-age=1; includeSubDomains=1", "max-age=1; includeSubDomains=\"\"", "max-age=1; includeSubDomains=",
            // Only semicolons separate directives.
            "max-age=1, includeSubDomains", "max-age=1 includeSubDomains", "max-age=1,max-age=2", "max-age=1 2",
            "max-age:1", "max-age=1; a=b=c", "max-age=1; =a", "max-age=1; a b", "max-age=1; \"a\"=b", "max-age=1; a=",
            "max-age=\"1", "max-age=\"1\\\"", "max-age=1\"", "max-age=\"1\"2", "max-age=1; a=\"\u{1}\"",
            "max-age=1; a=\"\u{7F}\"", "max-age=1; é", "max-age=1; a=é",
        ]
    )
    func invalid(_ text: String) {
        #expect(StrictTransportField(text) == nil)
    }
}
#endif
