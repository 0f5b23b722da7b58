import Larkspur

/// A program that downloads several files at once, shows their progress, and resumes interrupted downloads.
///
///     swift run Downloader                         from an embedded server
///     swift run Downloader -o folder URL ...       from anywhere
///
/// Ctrl-C ends it with the status 130 and keeps the content that has arrived. The same command resumes the downloads,
/// also after the process was killed or the machine had no network. If a download fails, the status is 1.
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
        // The dispatch source handles the signal, which would terminate the process otherwise.
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT)
        source.setEventHandler { run.interrupt() }
        source.resume()
        let status = run.run()
        source.cancel()
        exit(status)
    }
}
