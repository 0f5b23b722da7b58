#if canImport(FoundationNetworking)
/// Two signals that would end the process where a write can fail instead. SIGPIPE is sent for a write to a connection
/// that the other side has closed; TLS libraries do not suppress it. SIGXFSZ is sent for a write to a file that has
/// reached the maximum file size of the process.
enum WriteSignals {
    private static let numbers = [SIGPIPE, SIGXFSZ]

    private static let set: sigset_t = {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }()

    /// Blocks the signals on the calling thread.
    static func block() {
        var signals = set
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Runs code on a thread of the program, to which the signals are never sent for what this code writes.
    static func blocking<Result>(_ body: () -> Result) -> Result {
        var (signals, mask, earlier, later) = (set, sigset_t(), sigset_t(), sigset_t())
        sigpending(&earlier)
        pthread_sigmask(SIG_BLOCK, &signals, &mask)
        let result = body()
        sigpending(&later)
        // A signal that is pending would be sent as soon as it is not blocked any more.
        for number in numbers where sigismember(&later, number) == 1 && sigismember(&earlier, number) == 0 {
            var (signal, none) = (sigset_t(), timespec())
            sigemptyset(&signal)
            sigaddset(&signal, number)
            sigtimedwait(&signal, nil, &none)
        }
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        return result
    }
}
#endif
