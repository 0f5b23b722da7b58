internal import HTTPSyntax

/// A failure that reaches no closure of the program's, as a call was made without one for failures.
enum UnhandledFailure {
    /// Gets the line about such a failure.
    typealias Writer = @Sendable (String) -> Void

    /// The line about an error: without credentials and query of the URL, and without line breaks; nil for an end that
    /// the program has caused, a cancellation or that of a data task which goes on as a download.
    static func line(about error: LarkspurError) -> String? {
        if error.code == .cancelled || error.code == .becameDownload { return nil }
        let method = error.request?.httpMethod.map { $0 + " " } ?? ""
        let target = error.failingURL.map { method + LarkspurError.redacted($0) } ?? "a request"
        let line =
            "Larkspur: \(target) failed and nothing handled it: \(error.message.withoutFullStop). "
            + "Set SessionManager.reportsUnhandledFailures to false to silence this."
        return line.onOneLine
    }

    /// Writes a line to standard error.
    static let writer: Writer = { line in
        // Where standard error is closed, there is no place to complain.
        try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
    }
}
