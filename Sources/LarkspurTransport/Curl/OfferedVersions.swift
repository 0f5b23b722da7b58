#if canImport(FoundationNetworking)
internal import CLibcurl

/// The versions of HTTP that libcurl may use for a transfer.
enum OfferedVersions {
    case http1
    /// HTTP/2 over TLS, otherwise HTTP/1.1.
    case http2
    /// HTTP/3, HTTP/2 or HTTP/1.1, depending on which connection is made first.
    case http3

    /// The value of `CURLOPT_HTTP_VERSION`.
    var number: Int {
        switch self {
        case .http1: Int(CURL_HTTP_VERSION_1_1)
        case .http2: Int(CURL_HTTP_VERSION_2TLS)
        case .http3: Int(CURL_HTTP_VERSION_3)
        }
    }
}

extension EasyHandle {
    /// Whether the response came over a connection that several transfers can share.
    var hasMultiplexed: Bool { [3, Int(CURL_HTTP_VERSION_3)].contains(long(CURLINFO_HTTP_VERSION)) }
}
#endif
