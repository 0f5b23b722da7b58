import HTTPSyntax
import Larkspur

/// One run of the program.
struct Program: Sendable {
    private let invocation: Invocation
    private let terminal: TerminalState
    private let environment = ProcessInfo.processInfo.environment

    init(_ invocation: Invocation, terminal: TerminalState) {
        self.invocation = invocation
        self.terminal = terminal
    }

    /// Runs the program. An error becomes one line on standard error.
    func run() async -> ExitStatus {
        do {
            switch invocation.mode {
            case .help: try Sink.standardOutput.write(HelpText.text)
            case .version: try Sink.standardOutput.write("larkspur \(LarkspurCommand.version)\n")
            case .doctor: return try examine()
            case .completion(let shell): try Sink.standardOutput.write(CompletionScript.text(for: shell))
            case .installation(let shell):
                let installation = CompletionInstallation(shell, environment: environment)
                try Sink.standardOutput.write(try installation.run())
            case .request, .webSocket: return try await runRequest()
            }
            return .success
        } catch {
            return status(of: error)
        }
    }

    /// Prints the libraries and the environment.
    private func examine() throws -> ExitStatus {
        #if canImport(FoundationNetworking)
        let examination = Examination(EngineReport(), environment: environment, families: AddressFamily.ofMachine)
        try Sink.standardOutput.write("larkspur     \(LarkspurCommand.version)\n\(examination.text)")
        return examination.problems.isEmpty ? .success : .error
        #else
        let text = "larkspur     \(LarkspurCommand.version)\nFoundation's URLSession carries the requests.\n"
        try Sink.standardOutput.write(text)
        return .success
        #endif
    }

    private func runRequest() async throws -> ExitStatus {
        let text = TargetURL.completed(invocation.request.url, defaultScheme: invocation.request.defaultScheme)
        let url = try TargetURL.url(text, query: [], schemes: ["http", "https", "ws", "wss"])
        let file = try invocation.credentials.session.map { name throws(UsageError) in
            try SessionFile(name, url: url, environment: environment)
        }
        let saved = try file?.read() ?? SavedSession()
        var session = saved
        let input = StandardInput()
        let composer = RequestComposer(
            invocation: invocation,
            session: session,
            input: input,
            terminal: terminal,
            environment: environment
        )
        var composed = try composer.compose()
        if file != nil { session.take(&composed, items: invocation.request.items) }
        let cookies = CookieStorage(session, host: url.host ?? "")
        let output = try OutputTarget(invocation, environment: environment)
        let manager = SessionManager(configuration: cookies.configuration, transport: try .of(invocation))
        let recorder = invocation.output.archiveFile.map { path in
            let recorder = HARRecorder()
            manager.observers = [recorder]
            return (recorder: recorder, file: URL(fileURLWithPath: UserPath.expanded(path)))
        }
        let job = Job(
            invocation: invocation,
            composed: composed,
            output: output,
            input: input,
            manager: manager,
            cookie: composed.request.url.flatMap(cookies.field)
        )
        let result = await job.result()
        // The recording is written even if the request failed, because failed requests are recorded too.
        if let (recorder, file) = recorder, !invocation.request.isOffline {
            do {
                try recorder.write(to: file)
            } catch {
                throw UsageError("The recording \(file.path) cannot be written: \(Sink.reason(of: error)).")
            }
        }
        let status = try result.get()
        if let file, !invocation.credentials.isSessionReadOnly, !invocation.request.isOffline {
            session.cookies = cookies.saved
            try file.write(session, since: saved, host: url.host ?? "")
        }
        return status
    }

    private func status(of error: any Error) -> ExitStatus {
        switch error {
        case let error as UsageError: report(error.message)
        case Sink.Failure.closedPipe: return .success
        case Sink.Failure.failed(let reason): report("The output could not be written: \(reason).")
        case let status as ExitStatus: return status
        case let error as LarkspurError:
            report(Self.place(of: error) + error.message)
            return ExitStatus(error)
        default: report(error.localizedDescription)
        }
        return .error
    }

    /// Returns the host and port of an error, without the parts of the URL that may be secret. Empty if the message
    /// already contains them.
    private static func place(of error: LarkspurError) -> String {
        guard let url = error.failingURL, let host = url.host else { return "" }
        let place = host + (url.port.map { ":\($0)" } ?? "")
        return error.message.contains(place) ? "" : place + ": "
    }

    private func report(_ message: String) { Sink.standardError.report("larkspur: error: \(message)") }
}
