#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The bytes of a request that the engine sends itself, and not libcurl.
enum UpgradeRequest {
    /// Returns the header section of a GET over HTTP/1.1.
    /// - Parameters:
    ///   - url: The URL in the form that libcurl accepts.
    ///   - lines: The fields in libcurl's notation.
    static func bytes(url: String, lines: [String]) -> [UInt8] {
        let afterScheme = url.utf8.firstRange(of: "://".utf8).map { url[$0.upperBound...] } ?? url[...]
        let end =
            afterScheme.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? afterScheme.endIndex
        var authority = afterScheme[..<end]
        let defaultPort = url.begins(with: "https") ? ":443" : ":80"
        if authority.ends(with: defaultPort) { authority = authority.dropLast(defaultPort.count) }
        var path = String(afterScheme[end...])
        if !path.begins(with: "/") { path = "/" + path }
        var text = "GET \(path) HTTP/1.1\r\n"
        if !lines.contains(where: { $0.utf8.count >= 5 && String($0.prefix(5)).hasSameLetters(as: "Host:") }) {
            text += "Host: \(authority)\r\n"
        }
        for line in lines {
            // In libcurl's notation, "Name:" removes one of libcurl's own fields, and "Name;" is a field without a
            // value.
            if line.cut(at: ":")?.after.isEmpty == true { continue }
            if line.ends(with: ";"), !line.holds(":") {
                text += Substring(line.utf8.dropLast()) + ":\r\n"
            } else {
                text += line + "\r\n"
            }
        }
        return (text + "\r\n").octets
    }
}
#endif
