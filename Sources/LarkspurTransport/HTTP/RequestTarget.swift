#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A URL in the form that libcurl accepts: absolute, in ASCII, without user information and fragment, and with a valid
/// host and port.
struct RequestTarget: Equatable {
    let text: String
    /// The path of the server's Unix-domain socket; nil for a server with a host.
    let socketPath: String?

    init(_ url: URL) throws(RequestHead.Failure) {
        var whole = url.absoluteString
        let parts = whole.withUTF8 { Self.parts(of: $0) }
        guard let parts else { throw .invalidURL }
        guard parts.isHTTP else {
            let target = try UnixSocketTarget(url)
            socketPath = target.socketPath
            text = target.text
            return
        }
        socketPath = nil
        guard parts.isValid else { throw .invalidURL }
        // User information is removed, because libcurl would send it before the server sends a challenge.
        if parts.end == whole.utf8.count, parts.hostStart == parts.authorityStart {
            text = whole
        } else {
            text = whole.withUTF8 {
                String(decoding: $0[..<parts.authorityStart], as: UTF8.self)
                    + String(decoding: $0[parts.hostStart..<parts.end], as: UTF8.self)
            }
        }
    }

    private struct Parts {
        let isHTTP: Bool
        var authorityStart = 0
        var hostStart = 0
        var end = 0
        var isValid = false
    }

    /// Splits a URL; nil if there is no scheme.
    private static func parts(of bytes: UnsafeBufferPointer<UInt8>) -> Parts? {
        guard let colon = bytes.firstIndex(where: { !$0.isToken }), bytes[colon] == UInt8(ascii: ":") else {
            return nil
        }
        var parts = Parts(isHTTP: isHTTP(bytes[..<colon]))
        guard parts.isHTTP else { return parts }
        let start = colon + 3
        guard start < bytes.count, bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
        else { return parts }
        parts.authorityStart = start
        parts.end = bytes[start...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        let authority = bytes[start..<parts.end].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        parts.hostStart = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? start
        parts.isValid =
            isHostAndPort(bytes[parts.hostStart..<authority.endIndex])
            && bytes[start..<parts.end].allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return parts
    }

    /// Whether a scheme is http or https.
    private static func isHTTP(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        (bytes.count == 4 || bytes.count == 5) && zip(bytes, "https".utf8).allSatisfy { $0.asLowercase == $1 }
    }

    private static func isHostAndPort(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var hostEnd = bytes.endIndex
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")), bracket > bytes.startIndex + 1 else {
                return false
            }
            hostEnd = bracket + 1
        } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
            hostEnd = colon
        }
        guard hostEnd > bytes.startIndex else { return false }
        guard hostEnd < bytes.endIndex else { return true }
        guard bytes[hostEnd] == UInt8(ascii: ":") else { return false }
        var port = 0
        for byte in bytes[(hostEnd + 1)...] {
            guard byte.isDigit, port <= 65535 else { return false }
            port = port * 10 + Int(byte &- UInt8(ascii: "0"))
        }
        return port <= 65535
    }
}
#endif
