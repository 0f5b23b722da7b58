#if canImport(FoundationNetworking)
internal import CLibcurl

/// The end of the process while sessions are running.
///
/// By default, OpenSSL frees its memory at the end of the process (`atexit`). If threads still use this memory, the
/// process crashes. So before any session is created, OpenSSL is told not to free it. This is not possible if other
/// code has used OpenSSL earlier, or if libcurl uses another TLS library. In these cases, the threads of sessions are
/// stopped before the memory is freed.
package enum ProcessEnd {
    /// The threads of the process that use libcurl.
    static let threads: RunningThreads = {
        libcurl_call_before_cleanup { RunningThreads.ofProcess.stop() }
        return .ofProcess
    }()

    /// Prevents OpenSSL from freeing its memory at the end of the process. Called before a session of Foundation's
    /// class or of a subclass is created, because the session begins to use OpenSSL.
    package static func prepareForSession() { libcurl_prevent_cleanup() }
}
#endif
