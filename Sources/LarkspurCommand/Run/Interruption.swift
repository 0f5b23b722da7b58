import Larkspur

/// The end of the program by Ctrl-C. What has been written stays.
struct Interruption {
    private let source: any DispatchSourceSignal

    init(_ terminal: TerminalState) {
        // The dispatch source handles the signal, which would end the process before the terminal is restored.
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
