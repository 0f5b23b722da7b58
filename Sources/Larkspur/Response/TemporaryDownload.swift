import Synchronization

/// The file of a download without a destination. It is removed when nobody needs it any more.
final class TemporaryDownload: Sendable {
    private let file: URL
    /// The caller's own file; nil before a claim.
    private let claimed = Mutex<Result<URL, LarkspurError>?>(nil)

    init(_ file: URL) { self.file = file }

    deinit { discard() }

    /// Returns a file of the caller's own with the same content. Later claims have the same result.
    /// - Parameter share: Creates that file, and leaves this one to other handlers.
    func claim(by share: (URL) -> Result<URL, LarkspurError>) -> Result<URL, LarkspurError> {
        claimed.withLock { claimed in
            let result = claimed ?? share(file)
            claimed = result
            return result
        }
    }

    /// Removes the file.
    func discard() {
        // An error is ignored: a file that cannot be removed has to stay, and a handler may have moved the file
        // already.
        try? FileManager.default.removeItem(at: file)
    }
}
