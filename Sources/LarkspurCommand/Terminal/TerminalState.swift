import Larkspur
import Synchronization

/// The state of the terminal. It is stored so that it can be restored if the program ends early.
final class TerminalState: Sendable {
    private struct Saved {
        let descriptor: Int32
        let attributes: termios
    }

    private let saved = Mutex<Saved?>(nil)

    /// Turns off the echo of a terminal.
    func hideInput(_ descriptor: Int32) {
        var attributes = termios()
        guard tcgetattr(descriptor, &attributes) == 0 else { return }
        saved.withLock { $0 = Saved(descriptor: descriptor, attributes: attributes) }
        attributes.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(descriptor, TCSAFLUSH, &attributes)
    }

    /// Restores the changed state.
    func restore() {
        guard let saved = saved.withLock({ $0.take() }) else { return }
        var attributes = saved.attributes
        tcsetattr(saved.descriptor, TCSAFLUSH, &attributes)
    }
}
