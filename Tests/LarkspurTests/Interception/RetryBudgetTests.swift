import Testing

@testable import Larkspur

@Suite("The budget of retries", .timeLimit(.minutes(5)))
struct RetryBudgetTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test("Failures remove tokens, successes add parts of tokens, and a retry needs more than half of the tokens")
    func tokens() throws {
        let budget = RetryBudget()
        let server = try url("https://a.test/x")
        for _ in 0..<4 { budget.noteFailure(of: server) }
        #expect(budget.tokens(for: server) == 6 && budget.allowsRetry(of: server))
        budget.noteFailure(of: server)
        #expect(budget.tokens(for: server) == 5 && !budget.allowsRetry(of: server))
        for _ in 0..<100 { budget.noteFailure(of: server) }
        #expect(budget.tokens(for: server) == 0)
        for _ in 0..<49 { budget.noteSuccess(of: server) }
        #expect(!budget.allowsRetry(of: server))
        for _ in 0..<2 { budget.noteSuccess(of: server) }
        #expect(budget.allowsRetry(of: server))
        for _ in 0..<100 { budget.noteSuccess(of: server) }
        #expect(budget.tokens(for: server) == 10 && budget.originCount == 0)
    }

    @Test("Each origin has a separate number of tokens")
    func origins() throws {
        let budget = RetryBudget(maximumTokens: 2)
        try budget.noteFailure(of: url("https://A.test:443/x"))
        #expect(try !budget.allowsRetry(of: url("https://a.test/y")))
        for other in ["http://a.test", "https://a.test:8443", "https://b.test"] {
            #expect(try budget.allowsRetry(of: url(other)))
        }
        #expect(budget.allowsRetry(of: nil))
        budget.noteFailure(of: nil)
        #expect(!budget.allowsRetry(of: nil))
    }

    @Test("The number of origins is limited, and the latest origins stay")
    func limit() throws {
        let budget = RetryBudget(maximumTokens: 2, maximumOrigins: 100)
        for index in 0..<10_000 {
            try budget.noteFailure(of: url("https://host-\(index).test"))
            #expect(budget.originCount <= 100)
        }
        #expect(try !budget.allowsRetry(of: url("https://host-9999.test")))
        #expect(try budget.allowsRetry(of: url("https://host-0.test")))
    }
}
