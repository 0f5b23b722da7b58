import Synchronization

/// The file of a download without a destination. It is removed when nobody needs it any more, unless it was claimed.
final class TemporaryDownload: Sendable {
    private let file: URL
    /// The place of the file after a claim; nil before.
    private let claimed = Mutex<Result<URL, LarkspurError>?>(nil)

    init(_ file: URL) { self.file = file }

    deinit { discard() }

    /// Hands the file to the caller. Later claims have the same result.
    /// - Parameter move: Moves the file to a place that belongs to the caller, which it returns.
    func claim(by move: (URL) -> Result<URL, LarkspurError>) -> Result<URL, LarkspurError> {
        claimed.withLock { claimed in
            let result = claimed ?? move(file)
            claimed = result
            return result
        }
    }

    /// Removes the file, unless it was claimed.
    func discard() {
        guard claimed.withLock({ $0 == nil }) else { return }
        // An error is ignored: a file that cannot be removed has to stay, and a handler may have moved the file
        // already.
        try? FileManager.default.removeItem(at: file)
    }
}
