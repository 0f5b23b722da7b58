import Larkspur

/// The end of the program by Ctrl-C. Output that was written remains.
struct Interruption {
    private let source: any DispatchSourceSignal

    init(_ terminal: TerminalState) {
        // The signal would end the process before the terminal is restored, so a dispatch source handles it.
        signal(SIGINT, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler {
            terminal.restore()
            if Sink.standardError.isTerminal { try? Sink.standardError.write("\n") }
            _exit(ExitStatus.interrupted.rawValue)
        }
        source.resume()
    }
}
