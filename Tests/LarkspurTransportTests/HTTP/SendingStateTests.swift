#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Attempts to send a request")
struct SendingStateTests {
    /// One step: a sending, or an event between two.
    enum Step: Sendable {
        case sending(
            isStale: Bool = false,
            takesContent: Bool = false,
            ResendDecision = .fail,
            is: SendingState.Verdict
        )
        case response
        case refusal
        /// libcurl takes content.
        case content
    }

    static let rows: [[Step]] = [
        // The first sending asks for nothing but a connection that is not stale.
        [.sending(is: .send)], [.sending(takesContent: true, is: .send)],
        // A stale one is left before anything is sent, whatever the request is.
        [.sending(isStale: true, is: .takeFreshConnection), .sending(is: .send), .sending(is: .fail)],
        [
            .sending(isStale: true, takesContent: true, is: .takeFreshConnection),
            .sending(takesContent: true, is: .send),
        ],
        // Another sending without a byte of a response is for requests that may be sent again.
        [.sending(is: .send), .sending(is: .fail)],
        [.sending(is: .send), .sending(isStale: true, is: .fail)],
        [
            .sending(is: .send), .sending(.resend, is: .send),
            .sending(isStale: true, .resend, is: .takeFreshConnection),
        ],
        // libcurl does not send content again, whether it has taken any or not.
        [.sending(takesContent: true, is: .send), .sending(takesContent: true, is: .fail)],
        [.sending(takesContent: true, is: .send), .sending(takesContent: true, .resend, is: .leaveToEngine)],
        [.sending(takesContent: true, is: .send), .content, .sending(takesContent: true, .resend, is: .leaveToEngine)],
        [.sending(takesContent: true, is: .send), .refusal, .sending(takesContent: true, is: .leaveToEngine)],
        // What the server has not processed is sent again whatever it is.
        [.sending(is: .send), .refusal, .sending(is: .send), .sending(is: .fail)],
        // After a response, as in a handshake of NTLM, a request is sent again whatever it is.
        [.sending(is: .send), .response, .sending(is: .send), .sending(is: .fail)],
        [
            .sending(takesContent: true, is: .send), .response, .sending(takesContent: true, is: .send), .content,
            .response, .sending(takesContent: true, is: .sendFromBeginning), .response,
            .sending(takesContent: true, is: .send),
        ],
    ]

    @Test("A request is sent, repeated, moved to another connection, left to the engine, or failed", arguments: rows)
    func verdicts(steps: [Step]) {
        var state = SendingState()
        for step in steps {
            switch step {
            case .response: state.noteResponse()
            case .refusal: state.noteRefusal()
            case .content: state.noteContent()
            case .sending(let isStale, let takesContent, let resend, let expected):
                let verdict = state.begin(hasStaleConnection: isStale, takesContent: takesContent) { resend }
                let interruptions = [state.endInterruption(), state.endInterruption()]
                #expect(verdict == expected)
                #expect(interruptions == [expected == .takeFreshConnection, false])
                #expect(state.isLeftToEngine == (expected == .leaveToEngine))
            }
        }
    }

    @Test("A refusal applies to one attempt only")
    func refusal() {
        var state = SendingState()
        #expect(state.begin(hasStaleConnection: false, takesContent: false) { .fail } == .send)
        #expect(!state.isRefused && !state.needsHTTP1)
        state.noteRefusal(needsHTTP1: true)
        #expect(state.isRefused && state.needsHTTP1)
        #expect(state.begin(hasStaleConnection: false, takesContent: false) { .fail } == .send)
        #expect(!state.isRefused)
    }

    @Test("A request whose content was read is repeated only if the source can be rewound")
    func repetition() {
        var state = SendingState()
        let before = state.mayRepeatContent(canRepeat: false)
        #expect(before && !state.isLeftToEngine)
        state.noteContent()
        let again = state.mayRepeatContent(canRepeat: true)
        #expect(again && !state.isLeftToEngine)
        let once = state.mayRepeatContent(canRepeat: false)
        #expect(!once && state.isLeftToEngine)
    }
}
#endif
