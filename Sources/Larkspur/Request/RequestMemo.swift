import HTTPSyntax
import Synchronization

/// A cache of the last request that was built from a URL reference alone. A call that would build the same request
/// copies the stored request.
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
            // In Swift, two strings are equal even if they encode the same character differently, but their URLs
            // differ. The stored reference is ASCII, the shortest of these encodings. So two such strings have
            // different lengths.
            guard let entry, entry.version == version, entry.reference == reference,
                entry.reference.utf8.count == reference.utf8.count
            else { return nil }
            return entry.request
        }
    }

    /// Stores a request, if its reference is in ASCII.
    /// - Parameter version: The version of the settings. It was read before the settings.
    func remember(_ request: URLRequest, of reference: String, _ version: Int) {
        guard reference.utf8.allSatisfy({ $0 < 0x80 }) else { return }
        let entry = Entry(reference: reference, version: version, request: request)
        // Returned from the closure, so that the previous request is released outside the lock.
        _ = self.entry.withLock { exchange(&$0, with: entry) }
    }
}
