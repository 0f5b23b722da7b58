import Testing

@testable import Larkspur

@Suite struct HTTPMethodTests {
    @Test(arguments: ["GET", "QUERY", "M-SEARCH", "x", "!#$%&'*+-.^_`|~"])
    func tokensAreMethods(name: String) {
        #expect(HTTPMethod(rawValue: name).isValid)
    }

    @Test(arguments: ["", "GET ", "GET /", "GET\r\n", "G\u{0}ET", "GÉT", "GET:"])
    func everythingElseIsNone(name: String) {
        #expect(!HTTPMethod(rawValue: name).isValid)
    }
}
