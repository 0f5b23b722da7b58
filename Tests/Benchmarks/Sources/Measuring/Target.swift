/// What is requested, and how long the content of the response has to be.
package struct Target: Sendable {
    package var url: String
    /// Nil if any length will do.
    package var contentLength: Int?
    /// Whether the response does not end; the request counts as finished when the first content has arrived.
    package var staysOpen = false

    /// The number of bytes to upload: the last part of the URL, by which the server checks them.
    package var uploadLength: Int { url.split(separator: "/").last.flatMap { Int($0) } ?? 0 }

    /// The origin, and the path.
    package var parts: (origin: String, path: String) {
        let slashes = url.indices.filter { url[$0] == "/" }
        guard slashes.count > 2 else { return (url, "/") }
        return (String(url[..<slashes[2]]), String(url[slashes[2]...]))
    }

    /// What is wrong with a response, if anything.
    package func failure(status: Int, contentLength received: Int) -> String? {
        guard (200...299).contains(status) else { return "status \(status)" }
        guard let contentLength, contentLength != received else { return nil }
        return "\(received) bytes of content instead of \(contentLength)"
    }
}
