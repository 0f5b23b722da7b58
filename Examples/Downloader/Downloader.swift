import Larkspur

/// Downloads several files at once, shows how they go, and goes on where it was stopped.
///
///     swift run Downloader                         from an embedded server
///     swift run Downloader -o folder URL ...       from anywhere
///
/// Ctrl-C ends it with the status 130 and keeps what has come; the same command goes on with it, also after the process
/// was killed or the machine was without a network. A download that has failed is the status 1.
@main
enum Downloader {
    static func main() throws {
        guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
            FileHandle.standardError.write(Data(Arguments.usage.utf8))
            exit(64)
        }
        if arguments.urls.isEmpty { exit(try Tour().run()) }
        try FileManager.default.createDirectory(at: arguments.folder, withIntermediateDirectories: true)
        let run = Run(arguments.urls, to: arguments.folder, resumes: arguments.resumes)
        // The source hears of the signal, which would end the process otherwise.
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT)
        source.setEventHandler { run.interrupt() }
        source.resume()
        let status = run.run()
        source.cancel()
        exit(status)
    }
}
