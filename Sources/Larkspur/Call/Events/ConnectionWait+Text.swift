internal import HTTPSyntax

extension ConnectionWait {
    /// The duration of the wait and its reason in words, without secrets.
    var clause: String { clause(at: .now, LarkspurError.redacted) }

    /// The reason of the wait in words, without secrets.
    var reason: String { reason(at: .now, LarkspurError.redacted) }

    /// The line about the wait, for standard error.
    var line: String {
        let target = url.map { LarkspurError.redacted($0) } ?? "a request"
        return "Larkspur: \(target): \(clause). Set SessionManager.reportsUnhandledFailures to false for no such line."
            .onOneLine
    }
}
