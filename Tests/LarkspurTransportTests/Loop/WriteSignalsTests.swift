#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Signals of writes")
struct WriteSignalsTests {
    private func isPending(_ number: Int32) -> Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, number) == 1
    }

    private func isBlocked(_ number: Int32) -> Bool {
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        return sigismember(&mask, number) == 1
    }

    @Test("A signal that a write of the engine raises does not end the process", arguments: [SIGPIPE, SIGXFSZ])
    func own(number: Int32) {
        let wasBlocked = isBlocked(number)
        let result = WriteSignals.blocking {
            pthread_kill(pthread_self(), number)
            return isPending(number)
        }
        #expect(result)
        #expect(isBlocked(number) == wasBlocked && !isPending(number))
    }

    @Test("A signal that was pending before the write stays pending")
    func earlier() {
        var (signals, mask) = (sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, &mask)
        pthread_kill(pthread_self(), SIGPIPE)
        WriteSignals.blocking {}
        #expect(isPending(SIGPIPE))
        var none = timespec()
        sigtimedwait(&signals, nil, &none)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        #expect(!isPending(SIGPIPE))
    }
}
#endif
