package import Foundation

/// The scheme, host and effective port of a URL (RFC 6454). URLs with the same origin may share credentials.
package struct Origin: Hashable, Sendable {
    /// The scheme in lower case.
    package let scheme: String
    /// The host in its canonical form (``CanonicalHost/urlText``).
    package let host: String
    package let port: Int

    package init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Creates the origin of a URL; nil if the URL has no host with a canonical form, or has neither a port nor a
    /// scheme with a default port.
    package init?(_ url: URL) {
        guard let scheme = url.scheme?.inLowercase, let host = try? CanonicalHost(of: url),
            let port = url.port ?? Self.defaultPort(of: scheme)
        else { return nil }
        self.init(scheme: scheme, host: host.urlText, port: port)
    }

    /// Returns the port of http or https; nil for other schemes.
    package static func defaultPort(of scheme: String) -> Int? {
        switch scheme {
        case "http": 80
        case "https": 443
        default: nil
        }
    }
}
