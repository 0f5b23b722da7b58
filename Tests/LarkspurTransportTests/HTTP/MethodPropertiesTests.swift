import HTTPSyntax
import Testing

@Suite("The table of methods")
struct MethodPropertiesTests {
    /// The methods with each property; all others of the test have none.
    private static let safe = ["GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PROPFIND", "REPORT", "SEARCH"]
    private static let idempotent = safe + ["PUT", "DELETE", "MKCOL", "COPY", "MOVE", "PROPPATCH", "UNLOCK"]
    private static let cacheable = ["GET", "HEAD"]
    private static let withContent = ["POST", "PUT", "PATCH", "QUERY"]

    @Test(
        "Each method has the properties that IANA lists",
        arguments: idempotent + ["POST", "PATCH", "CONNECT", "LOCK", "FROB", "get", "GET ", "", "LOC\u{212A}"]
    )
    func properties(method: String) {
        let properties = MethodProperties(method)
        #expect(properties.isSafe == Self.safe.contains(method))
        #expect(properties.isIdempotent == Self.idempotent.contains(method))
        #expect(properties.isCacheable == Self.cacheable.contains(method))
        #expect(properties.anticipatesContent == Self.withContent.contains(method))
    }

    @Test("A safe method is idempotent")
    func consistency() {
        for method in MethodProperties.common + MethodProperties.idempotent {
            let properties = MethodProperties(method)
            #expect(!properties.isSafe || properties.isIdempotent)
        }
        #expect(MethodProperties.idempotent.allSatisfy { MethodProperties($0).isIdempotent })
    }
}
