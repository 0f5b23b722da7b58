import Testing

@testable import Larkspur

@Suite struct HTTPMethodTests {
    @Test(arguments: ["GET", "QUERY", "M-SEARCH", "x", "!#$%&'*+-.^_`|~"])
    func tokensAreMethods(name: String) {
        #expect(HTTPMethod(rawValue: name).isValid)
    }

    @Test("A method has properties that tell whether it is safe and idempotent")
    func kinds() {
        let methods: [HTTPMethod] = [.get, .query, .put, .delete, "MKCOL", .post, .patch, "FROB"]
        #expect(methods.filter(\.isSafe) == [.get, .query])
        #expect(methods.filter(\.isIdempotent) == [.get, .query, .put, .delete, "MKCOL"])
    }

    @Test(arguments: ["", "GET ", "GET /", "GET\r\n", "G\u{0}ET", "GÉT", "GET:"])
    func everythingElseIsNone(name: String) {
        #expect(!HTTPMethod(rawValue: name).isValid)
    }
}
