import HTTPSyntax
import Larkspur

/// The destinations and the style of the output.
struct OutputTarget: Sendable {
    /// The file for messages.
    let sink: Sink
    let style: Style
    let parts: MessageParts
    /// The destination of a download; nil if there is none.
    let download: FileDownload.Target?
    /// The number of bytes that the file of a download has already; nil if the run is no download.
    let downloadedLength: Int64?
    /// Whether progress is shown. It is shown only if standard error is a terminal.
    let showsProgress: Bool

    init(_ invocation: Invocation, environment: [String: String]) throws(UsageError) {
        let isDownload = invocation.download.isRequested
        let path = invocation.output.file.map { UserPath.expanded($0) }
        showsProgress = Sink.standardError.isTerminal && !invocation.output.isQuiet
        if isDownload, invocation.request.isOffline {
            // The file is not opened, as nothing is written to it.
            sink = .standardOutput
            download = nil
            downloadedLength = invocation.download.continues ? path.flatMap(Sink.size(of:)) ?? 0 : 0
        } else if isDownload {
            sink = .standardError
            if let path {
                let file = try Sink(creating: path, keepsContent: true)
                let offset = invocation.download.continues ? file.size ?? 0 : 0
                download = .file(file, path: path, offset: offset)
                downloadedLength = offset
            } else {
                download = Sink.standardOutput.isTerminal ? .suggested : .standardOutput
                downloadedLength = 0
            }
        } else {
            download = nil
            downloadedLength = nil
            sink =
                try path.map { path throws(UsageError) in try Sink(creating: path, keepsContent: false) }
                ?? .standardOutput
        }
        style = Style(invocation.output.prettiness, isTerminal: sink.isTerminal, environment: environment)
        // With --quiet, nothing is printed on standard output, but the file of --output still gets the messages.
        let isSilent = invocation.output.isQuiet && (isDownload || path == nil)
        parts = isSilent ? [] : invocation.parts(onTerminal: sink.isTerminal)
    }
}
