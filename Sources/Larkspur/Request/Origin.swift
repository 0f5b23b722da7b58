/// Scheme, host and port of a URL (RFC 6454): whoever has them in common may see each other's credentials.
struct Origin: Equatable {
    private let scheme: String?
    private let host: String?
    private let port: Int?

    init(_ url: URL) {
        scheme = url.scheme?.lowercased()
        host = url.host?.lowercased()
        port = url.port ?? ["http": 80, "https": 443][scheme ?? ""]
    }
}
