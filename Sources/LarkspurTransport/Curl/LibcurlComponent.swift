#if canImport(FoundationNetworking)
import HTTPSyntax

/// A library that libcurl uses.
public struct LibcurlComponent: Sendable, Hashable {
    /// The name that libcurl reports, such as "nghttp2".
    public let name: String
    /// The version, such as "1.52.0".
    public let version: String
}

extension LibcurlComponent {
    /// Reads the words of libcurl's description that have a version. The first word is libcurl itself. A word in
    /// parentheses is a library that is not used by itself.
    static func list(in description: String) -> [Self] {
        description.parts(separatedBy: " ").dropFirst().compactMap { word in
            let parts = word.parts(separatedBy: "/", maxSplits: 1)
            guard parts.count == 2, let name = parts.first, let version = parts.last, !name.begins(with: "(") else {
                return nil
            }
            return Self(name: String(name), version: String(version))
        }
    }

    /// Whether the library speaks HTTP/2.
    var isHTTP2: Bool { name == "nghttp2" }

    /// Whether the library speaks QUIC or HTTP/3. OpenSSL's own QUIC is not told from its TLS.
    var isHTTP3: Bool { ["ngtcp2", "nghttp3", "quiche", "msh3"].contains(name) }
}

extension Libcurl {
    /// The libraries that speak HTTP/2 for libcurl.
    static let http2Libraries = LibcurlComponent.list(in: description).filter(\.isHTTP2)

    /// The libraries that speak HTTP/3 for libcurl.
    static let http3Libraries = LibcurlComponent.list(in: description).filter(\.isHTTP3)
}
#endif
