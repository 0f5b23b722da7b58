#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Sendings of a request")
struct SendingStateTests {
    /// One step: a sending, or a byte of a response.
    enum Step: Sendable {
        case sending(isStale: Bool = false, ResendDecision = .fail, is: SendingState.Verdict)
        case response
    }

    static let rows: [[Step]] = [
        // The first sending asks for nothing but a connection that is not stale.
        [.sending(is: .send)],
        // A stale one is left before anything is sent, whatever the request is.
        [.sending(isStale: true, is: .takeFreshConnection), .sending(is: .send), .sending(is: .fail)],
        // Another sending without a byte of a response is for requests that may be sent again.
        [.sending(is: .send), .sending(is: .fail)],
        [.sending(is: .send), .sending(isStale: true, is: .fail)],
        [
            .sending(is: .send), .sending(.resend, is: .send),
            .sending(isStale: true, .resend, is: .takeFreshConnection),
        ],
        // After a response, as in a handshake of NTLM, a request is sent again whatever it is.
        [.sending(is: .send), .response, .sending(is: .send), .sending(is: .fail)],
    ]

    @Test("A request is sent, sent again, taken to another connection or failed", arguments: rows)
    func verdicts(steps: [Step]) {
        var state = SendingState()
        for step in steps {
            switch step {
            case .response: state.noteResponse()
            case .sending(let isStale, let resend, let expected):
                let verdict = state.begin(hasStaleConnection: isStale) { resend }
                let interruptions = [state.endInterruption(), state.endInterruption()]
                #expect(verdict == expected)
                #expect(interruptions == [expected == .takeFreshConnection, false])
            }
        }
    }

    @Test("A refusal is of one sending alone")
    func refusal() {
        var state = SendingState()
        #expect(state.begin(hasStaleConnection: false) { .fail } == .send)
        #expect(!state.isRefused)
        state.noteRefusal()
        #expect(state.isRefused)
        #expect(state.begin(hasStaleConnection: false) { .fail } == .send)
        #expect(!state.isRefused)
    }
}
#endif
