#if canImport(FoundationNetworking)
internal import CLibcurl

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
