#if canImport(FoundationNetworking)
/// The matching of paths with cookies (RFC 6265, section 5.1.4).
enum CookiePath {
    /// Returns the path of a cookie without a `Path` attribute: the folder of the request's path.
    static func byDefault(for requestPath: String) -> String {
        guard requestPath.utf8.first == UInt8(ascii: "/"),
            let slash = requestPath.utf8.lastIndex(of: UInt8(ascii: "/")), slash > requestPath.startIndex
        else { return "/" }
        return String(requestPath[..<slash])
    }

    static func matches(_ requestPath: String, cookiePath: String) -> Bool {
        let request = requestPath.isEmpty ? "/".utf8 : requestPath.utf8
        let cookie = cookiePath.utf8
        guard cookie.first == UInt8(ascii: "/") else { return true }
        guard request.starts(with: cookie) else { return false }
        return request.count == cookie.count || cookie.last == UInt8(ascii: "/")
            || request.dropFirst(cookie.count).first == UInt8(ascii: "/")
    }
}
#endif
