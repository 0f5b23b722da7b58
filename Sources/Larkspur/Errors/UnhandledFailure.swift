internal import HTTPSyntax

/// A failure that reaches no closure of the program, because a call has no closure for failures.
enum UnhandledFailure {
    /// A closure that writes the line about such a failure.
    typealias Writer = @Sendable (String) -> Void

    /// Returns the line about an error, without the credentials and the query of the URL, and without line breaks. Nil
    /// for an end that the program caused: a cancellation, or a data task that became a download.
    static func line(about error: LarkspurError) -> String? {
        if error.code == .cancelled || error.code == .becameDownload { return nil }
        let method = error.request?.httpMethod.map { $0 + " " } ?? ""
        let target = error.failingURL.map { method + LarkspurError.redacted($0) } ?? "a request"
        let line =
            "Larkspur: \(target) failed and nothing handled it: \(error.message.withoutFullStop). "
            + "Give the call a failure closure, or set SessionManager.reportsUnhandledFailures to false."
        return line.onOneLine
    }

    /// The writer that writes a line to standard error.
    static let writer: Writer = { line in
        // A failure to write is ignored. If standard error is closed, there is no other place to report the failure.
        try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
    }
}
