#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The bytes of a request that the engine itself sends without libcurl.
enum UpgradeRequest {
    /// Returns the header section of a GET over HTTP/1.1.
    /// - Parameters:
    ///   - target: The URL.
    ///   - lines: The fields in libcurl's notation.
    static func bytes(target: CurlURL, lines: [String]) -> [UInt8] {
        let url = target.text
        let afterScheme = url.utf8.firstRange(of: "://".utf8).map { url[$0.upperBound...] } ?? url[...]
        let end =
            afterScheme.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? afterScheme.endIndex
        var path = String(afterScheme[end...])
        if !path.begins(with: "/") { path = "/" + path }
        var text = "GET \(path) HTTP/1.1\r\n"
        if !lines.setHost { text += "Host: \(target.hostField)\r\n" }
        for line in lines {
            // In libcurl's notation, "Name:" removes a field that libcurl adds, and "Name;" is a field without a value.
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

extension [String] {
    /// Whether one of the lines, in libcurl's notation, is a `Host` field.
    var setHost: Bool { contains { $0.utf8.count >= 5 && $0.before(":").hasSameLetters(as: "Host") } }
}
#endif
