#if canImport(FoundationNetworking)
internal import CLibcurl

/// The end of the process while sessions are running.
///
/// By default, OpenSSL frees its memory at the end of the process (`atexit`), although threads still use it, and the
/// process crashes. So OpenSSL is told not to do so, before any session is created. If other code has begun to use
/// OpenSSL earlier, or if libcurl uses another TLS library, the threads of sessions are stopped before the clean-up.
package enum ProcessEnd {
    /// The threads of the process that use libcurl.
    static let threads: RunningThreads = {
        libcurl_call_before_cleanup { RunningThreads.ofProcess.stop() }
        return .ofProcess
    }()

    /// Keeps OpenSSL from its clean-up. Called before a session of Foundation's class, or of a subclass, is created: it
    /// begins to use OpenSSL.
    package static func prepareForSession() { libcurl_prevent_cleanup() }
}
#endif
