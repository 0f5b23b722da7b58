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
            // Swift compares characters and not their encodings: two equal strings may be encoded differently, and then
            // lead to different URLs. The stored reference is ASCII, and any other encoding of its characters is
            // longer. So the lengths are compared, too.
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

/// A cache of the last URL to which a reference was resolved, and which was validated then. Calls with content often
/// have the same URL, and other content each time.
final class URLMemo: Sendable {
    private let entry = Mutex<(reference: String, url: URL)?>(nil)

    /// The last URL.
    var last: URL? { entry.withLock { $0?.url } }

    /// Returns the URL of a reference.
    /// - Parameter resolve: Resolves the reference, if it is not the last one.
    func url(of reference: String, _ resolve: () throws(LarkspurError) -> URL) throws(LarkspurError) -> URL {
        if let known = entry.withLock({ $0?.reference == reference ? $0?.url : nil }) { return known }
        let url = try resolve()
        // Returned from the closure, so that the previous URL is released outside the lock.
        _ = entry.withLock { exchange(&$0, with: (reference, url)) }
        return url
    }
}
