/// The colours of lines on a terminal.
struct TerminalStyle: Sendable {
    /// Whether there are colours.
    let isEnabled: Bool

    /// Returns whether a file is a terminal, whose user has not switched off colours (no-color.org).
    static func isWanted(on file: FileHandle) -> Bool {
        let environment = ProcessInfo.processInfo.environment
        guard environment["NO_COLOR", default: ""].isEmpty, environment["TERM"] != "dumb" else { return false }
        return Terminal.width(of: file.fileDescriptor) != nil
    }

    func red(_ text: String) -> String { styled(text, 31) }
    func yellow(_ text: String) -> String { styled(text, 33) }
    func dim(_ text: String) -> String { styled(text, 2) }

    private func styled(_ text: String, _ code: Int) -> String {
        isEnabled ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
