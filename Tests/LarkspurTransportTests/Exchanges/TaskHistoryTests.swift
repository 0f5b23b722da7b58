#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Testing

@testable import LarkspurTransport

@Suite("TaskHistory")
struct TaskHistoryTests {
    @Test("A task follows as many redirects as the limit says, and fails at the next one")
    func redirects() throws {
        let url = try #require(URL(string: "http://origin.test/"))
        var history = TaskHistory()
        for _ in 0..<TaskHistory.redirectLimit {
            #expect(history.excessOfRedirects(at: url) == nil)
            history.noteRedirect()
        }
        #expect(history.redirects == 20)
        #expect(history.excessOfRedirects(at: url)?.code == .httpTooManyRedirects)
    }

    @Test("A task begins with everything allowed, and nothing tried")
    func beginning() {
        let history = TaskHistory()
        #expect(history.mayExpectContinue)
        #expect(!history.ignoresCache && !history.hasRenewedStream && !history.hasRepeated)
        #expect(!history.needsNewConnection)
        #expect(history.redirects == 0)
    }
}
#endif
