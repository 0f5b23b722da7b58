#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Testing

@testable import LarkspurTransport

@Suite("TaskHistory")
struct TaskHistoryTests {
    @Test("A task follows as many redirects as the limit allows, and fails at the next one")
    func redirects() throws {
        let url = try #require(URL(string: "http://origin.test/"))
        var history = TaskHistory()
        let limit = EngineOptions().maximumRedirects
        #expect(limit == 20)
        for _ in 0..<limit {
            #expect(history.excessOfRedirects(over: limit, at: url) == nil)
            history.noteRedirect()
        }
        #expect(history.excessOfRedirects(over: limit, at: url)?.code == .httpTooManyRedirects)
    }

    @Test("A request is repeated on new connections, up to five times")
    func repetitions() {
        var history = TaskHistory()
        for number in 0..<TaskHistory.repetitionLimit {
            #expect(history.mayRepeat)
            history.noteRepetition(overHTTP1: number == 2)
            #expect(history.needsNewConnection)
            #expect(history.needsHTTP1 == (number == 2))
        }
        #expect(!history.mayRepeat)
        #expect(history.repetitions == 5)
    }

    @Test("A new history allows everything, and has no attempts")
    func beginning() {
        let history = TaskHistory()
        #expect(history.mayExpectContinue)
        #expect(!history.ignoresCache && history.mayRepeat)
        #expect(!history.needsNewConnection && !history.needsHTTP1)
        #expect(history.redirects == 0)
    }
}
#endif
