internal import HTTPSyntax
import Synchronization

/// The origins to which the credentials of a session manager may be sent: the origin of its base URL, and the origins
/// that its settings name.
final class CredentialScope: Sendable {
    /// The origin of the base URL. Nil without a base URL: the credentials may then be sent to every origin.
    private let home: CredentialOrigin?
    /// The origins for which a withheld credential was reported.
    private let reported = Mutex<Set<Origin?>>([])

    /// Creates a scope.
    /// - Parameter base: The base URL, or the error in it. With an error, no origin is that of the base URL.
    init(_ base: Result<URL?, LarkspurError>) {
        switch base {
        case .success(let url): home = url.map(CredentialOrigin.init)
        case .failure: home = .unknown
        }
    }

    /// Whether the credentials may be sent to every origin.
    var isUnlimited: Bool { home == nil }

    /// Returns whether a URL is at the origin of the base URL.
    func isAtBase(_ url: URL) -> Bool { home?.contains(url) ?? true }

    /// Returns whether the credentials may be sent to the origin of a URL.
    /// - Parameters:
    ///   - others: The URLs whose origins the settings name.
    ///   - secured: Returns the URL with https if HSTS requires this for its host, otherwise nil.
    func contains(_ url: URL, or others: [URL], secured: (URL) -> URL?) -> Bool {
        guard let home, !home.contains(url) else { return true }
        return ([home] + others.map(CredentialOrigin.init)).contains { $0.contains(url, secured: secured) }
    }

    /// Returns true for the first URL of an origin, and for no more than 100 origins.
    func isFirst(_ url: URL) -> Bool {
        reported.withLock { $0.count < 100 && $0.insert(Origin(ofRequestTo: url)).inserted }
    }
}

/// The origin of a URL, in two forms. The first form is compared without parsing a URL.
struct CredentialOrigin: Sendable {
    /// The text of the URL up to its path; nil if the URL has no authority.
    private let start: String?
    /// The origin; nil for other URLs than those of HTTP and WebSockets, such as URLs on Unix-domain sockets. For these
    /// URLs, the texts are compared.
    private let origin: Origin?

    private init(start: String?, origin: Origin?) { (self.start, self.origin) = (start, origin) }

    init(_ url: URL) {
        let reference = URLReference(url.absoluteString)
        if let scheme = reference.scheme, let authority = reference.authority {
            start = "\(scheme)://\(authority)"
        } else {
            start = nil
        }
        origin = Origin(ofRequestTo: url)
    }

    /// The origin of a URL that is not known. No URL is there.
    static let unknown = CredentialOrigin(start: nil, origin: nil)

    /// Returns whether a request for a URL is sent to this origin.
    func contains(_ url: URL) -> Bool {
        // A relative reference resolves to a URL that begins like the base URL.
        if let start, url.absoluteString.begins(with: start, before: "/?#") { return true }
        return origin != nil && origin == Origin(ofRequestTo: url)
    }

    /// Returns whether a request for a URL is sent to this origin, or to the origin with https that HSTS requires in
    /// place of this origin.
    /// - Parameter secured: Returns the URL with https if HSTS requires this for its host, otherwise nil.
    func contains(_ url: URL, secured: (URL) -> URL?) -> Bool {
        if contains(url) { return true }
        guard let origin, let target = Origin(ofRequestTo: url), origin.scheme == "http", target.scheme == "https",
            origin.host == target.host, let plain = URL(string: "http://\(origin.host):\(origin.port)/")
        else { return false }
        return secured(plain).flatMap { Origin($0) } == target
    }
}

extension String {
    /// Returns whether the text begins with another text, and either ends there or continues with one of the
    /// delimiters.
    fileprivate func begins(with start: String, before delimiters: String) -> Bool {
        guard begins(with: start) else { return false }
        let rest = utf8.dropFirst(start.utf8.count)
        return rest.first.map { delimiters.utf8.contains($0) } ?? true
    }
}

extension Origin {
    /// Creates the origin to which a request is sent. For a WebSocket, this is the origin of the request that opens it.
    fileprivate init?(ofRequestTo url: URL) {
        let scheme =
            switch url.scheme?.inLowercase {
            case "ws": "http"
            case "wss": "https"
            case let scheme: scheme
            }
        guard let scheme, let host = try? CanonicalHost(of: url), let port = url.port ?? Self.defaultPort(of: scheme)
        else { return nil }
        self.init(scheme: scheme, host: host.urlText, port: port)
    }
}
