#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// Requests whose URLs contain their content (RFC 2397). The superclass never ends a task with a malformed one.
extension Exchange {
    /// Delivers the content of a `data:` URL, or the reason why there is none. Returns false for any other URL.
    func loadDataURL() -> Bool {
        guard task.webSocket == nil, destination.isDataURL, let url = destination.url else { return false }
        _ = task.leaveQueue()
        do throws(DataURL.Defect) {
            let data = try DataURL(url.absoluteString)
            begin(
                URLResponse(
                    url: url,
                    mimeType: data.essence,
                    expectedContentLength: data.content.count,
                    textEncodingName: data.charset
                )
            )
            if let error = received.deliver(Data(data.content)) { fail(error) } else { end(.success) }
        } catch {
            fail(.engine(.badURL, error.sentence, url: url))
        }
        return true
    }
}
#endif
