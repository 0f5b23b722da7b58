import Larkspur

/// The command line client: `larkspur [METHOD] URL [ITEM…]`.
@main
enum LarkspurCommand {
    static let version = LarkspurVersion.current

    static func main() async {
        StandardStreams.open()
        // If the signal is ignored, writing to a closed pipe fails with an error instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        let terminal = TerminalState()
        let interruption = Interruption(terminal)
        let status: ExitStatus
        do throws(UsageError) {
            let arguments = try StandardStreams.arguments()
            ProcessArguments.blank(ArgumentParser.secrets(in: arguments))
            let invocation = try ArgumentParser.parse(arguments) { () throws(UsageError) in
                try ConfigurationFile.read(ProcessInfo.processInfo.environment)
            }
            status = await Program(invocation, terminal: terminal).run()
        } catch {
            Sink.standardError.report("larkspur: error: \(error.message)")
            status = .error
        }
        withExtendedLifetime(interruption) {}
        exit(status.rawValue)
    }
}
