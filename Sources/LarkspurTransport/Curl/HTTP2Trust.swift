#if canImport(FoundationNetworking)
internal import CLibcurl

/// The versions of libcurl with which HTTP/2 is offered by default.
enum HTTP2Trust {
    /// Those on which the suites of `Tests/Interop/HTTP2` pass, as 0xMMmmpp; one that was not tried is not trusted.
    static let versions: Set<UInt32> = [0x080C01, 0x080E01, 0x081000]

    /// Whether libcurl shows the frames that it reads: from 8.3 on, unless it was built without such texts.
    static let tracesStreams = libcurl_trace_http2()

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
