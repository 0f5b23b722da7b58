#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("A question to a delegate", .timeLimit(.minutes(5)))
struct QuestionTests {
    @Test("A value that is given before the delegate returns is used at once, and later ones are ignored")
    func before() {
        let late = Recorder<Int>()
        let question = DelegateQuestion(refusal: 0)
        question.answer(1)
        question.answer(2)
        #expect(question.take { late.record($0) } == 1)
        question.answer(3)
        #expect(late.values.isEmpty)
    }

    @Test("A value that is given after the delegate has returned is passed on once")
    func after() {
        let late = Recorder<Int>()
        let question = DelegateQuestion(refusal: 0)
        #expect(question.take { late.record($0) } == nil)
        question.answer(1)
        question.answer(2)
        #expect(late.values == [1])
    }

    @Test("A completion handler that is released without a call counts as a refusal", arguments: [false, true])
    func dropped(isAnswered: Bool) {
        let late = Recorder<Int>()
        do {
            let question = DelegateQuestion(refusal: 7)
            _ = question.take { late.record($0) }
            if isAnswered { question.answer(1) }
        }
        #expect(late.values == [isAnswered ? 1 : 7])
    }
}
#endif
