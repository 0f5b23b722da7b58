import Synchronization

/// The last request that was built of a reference alone, for calls that would build the same one again.
final class RequestMemo: Sendable {
    private struct Entry {
        let reference: String
        /// The version of the settings that the request was built with.
        let version: Int
        let request: URLRequest
    }

    private let entry = Mutex<Entry?>(nil)

    /// Returns the request of a reference, if it was built with this version of the settings.
    func request(of reference: String, _ version: Int) -> URLRequest? {
        entry.withLock { entry in
            // Strings also count as equal if they write the same letter in different ways, which are different URLs. Of
            // those, ASCII is the shortest.
            guard let entry, entry.version == version, entry.reference == reference,
                entry.reference.utf8.count == reference.utf8.count
            else { return nil }
            return entry.request
        }
    }

    /// Remembers a request, if its reference is in ASCII.
    /// - Parameter version: The version of the settings, as it was before they were read.
    func remember(_ request: URLRequest, of reference: String, _ version: Int) {
        guard reference.utf8.allSatisfy({ $0 < 0x80 }) else { return }
        let entry = Entry(reference: reference, version: version, request: request)
        // The previous request is released without the lock.
        _ = self.entry.withLock { exchange(&$0, with: entry) }
    }
}
