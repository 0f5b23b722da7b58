import HTTPSyntax

extension URLResponse {
    /// The length of the content after decoding; −1 if it is unknown. With a content coding it is unknown, because the
    /// announced length counts the coded bytes.
    var contentLengthOnceDecoded: Int64 {
        guard let http = self as? HTTPURLResponse else { return expectedContentLength }
        if let coding = http.value(forHTTPHeaderField: "Content-Encoding"), coding.inLowercase != "identity" {
            return -1
        }
        // Transfer-Encoding overrides Content-Length (RFC 9112, section 6.3).
        if http.value(forHTTPHeaderField: "Transfer-Encoding") != nil { return -1 }
        return expectedContentLength
    }
}
