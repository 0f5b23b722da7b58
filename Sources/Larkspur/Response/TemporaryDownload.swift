import Synchronization

/// The file of a download without a destination. It is removed when this object is released.
final class TemporaryDownload: Sendable {
    private let file: URL
    /// The result of the first claim; nil before a claim.
    private let claimed = Mutex<Result<URL, LarkspurError>?>(nil)

    init(_ file: URL) { self.file = file }

    deinit { discard() }

    /// Returns a file with the same content, which belongs to the caller. Later claims have the same result.
    /// - Parameter share: A closure that creates the caller's file, and leaves this file to other handlers.
    func claim(by share: (URL) -> Result<URL, LarkspurError>) -> Result<URL, LarkspurError> {
        claimed.withLock { claimed in
            // Called with the lock held, so that only one claim creates a file.
            let result = claimed ?? share(file)
            claimed = result
            return result
        }
    }

    /// Removes the file.
    func discard() {
        // An error is ignored: a file that cannot be removed has to stay, and a handler may already have moved the
        // file.
        try? FileManager.default.removeItem(at: file)
    }
}
