#if canImport(FoundationNetworking)
internal import CLibcurl

/// The use of HTTP/2 by a session: whether it is offered in the TLS handshake. HTTP/1.1 is always offered.
public enum HTTP2Use: Sendable, Hashable {
    /// HTTP/2 with those versions of libcurl that report every truncated HTTP/2 response.
    ///
    /// Some versions, such as 7.88, report success for a response without Content-Length that ends with RST_STREAM,
    /// GOAWAY or a faulty frame. The engine has a list of the versions on which the project's tests of HTTP/2 pass, see
    /// Docs/Linux.md. With any other version only HTTP/1.1 is offered.
    case whereTrusted
    /// HTTP/2 with any version of libcurl. With some versions, a truncated response can then look complete.
    case always
    /// No HTTP/2: only HTTP/1.1 is offered.
    case never
}

/// The versions of libcurl with which HTTP/2 is offered.
enum HTTP2Trust {
    /// The versions with which the tests of `Tests/Interop/HTTP2` pass, as 0xMMmmpp. Untested versions are not trusted.
    static let versions: Set<UInt32> = [0x080C01, 0x080E01, 0x081000]

    /// Whether libcurl reports the frames that it reads. Versions from 8.3 on do so, unless they were built without the
    /// texts of these reports.
    static let tracesStreams = libcurl_trace_streams()

    /// Whether HTTP/2 is offered with a version of libcurl.
    static func offersHTTP2(_ use: HTTP2Use, version: UInt32 = Libcurl.versionNumber) -> Bool {
        switch use {
        case .whereTrusted: versions.contains(version)
        case .always: true
        case .never: false
        }
    }
}
#endif
