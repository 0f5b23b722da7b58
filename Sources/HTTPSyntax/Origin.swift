package import Foundation

/// Scheme, host and effective port of a URL (RFC 6454). URLs that share them may share credentials.
package struct Origin: Hashable, Sendable {
    /// In lower case.
    package let scheme: String
    /// In lower case.
    package let host: String
    package let port: Int

    package init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Nil for a URL without a host, or of a scheme without a default port that names none.
    package init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased(),
            let port = url.port ?? Self.defaultPort(of: scheme)
        else { return nil }
        self.init(scheme: scheme, host: host, port: port)
    }

    /// The port of http or https; nil for other schemes.
    package static func defaultPort(of scheme: String) -> Int? {
        switch scheme {
        case "http": 80
        case "https": 443
        default: nil
        }
    }
}
