#if canImport(FoundationNetworking)
internal import CLibcurl

/// The use of HTTP/2 by a session: whether it is offered in the TLS handshake. HTTP/1.1 always is.
public enum HTTP2Use: Sendable, Hashable {
    /// HTTP/2 with a version of libcurl that reports every truncated response over HTTP/2.
    ///
    /// Some versions report success for a response without Content-Length that ends with RST_STREAM, GOAWAY or a faulty
    /// frame: 7.88 does. The engine has a list of the versions on which the project's tests of HTTP/2 pass;
    /// Docs/Linux.md shows it. With any other version only HTTP/1.1 is offered.
    case whereTrusted
    /// HTTP/2 with any libcurl: with some versions, a truncated response can look complete.
    case always
    /// No HTTP/2: only HTTP/1.1 is offered.
    case never
}

/// The decision for which versions of libcurl HTTP/2 is offered.
enum HTTP2Trust {
    /// The versions on which the suites of `Tests/Interop/HTTP2` pass, as 0xMMmmpp; an untested version is not trusted.
    static let versions: Set<UInt32> = [0x080C01, 0x080E01, 0x081000]

    /// Whether libcurl reports the frames that it reads: from 8.3 on, unless it was built without such texts.
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
