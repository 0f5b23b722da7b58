#if canImport(FoundationNetworking)
internal import CLibcurl

/// The file to which the secrets of a session's TLS connections are appended.
///
/// The object exists longer than all connections, which use the file on the loop's thread.
final class TLSKeyLog: Sendable {
    // Safe: nothing changes it before deinit, and threads may share it.
    nonisolated(unsafe) private let raw: OpaquePointer

    private init(_ raw: OpaquePointer) { self.raw = raw }

    /// Opens or creates a file.
    /// - Returns: The log, or the reason as a sentence why there is none.
    static func open(_ file: URL) -> Result<TLSKeyLog, Failure> {
        var reason = [CChar](repeating: 0, count: 256)
        if let raw = libcurl_key_log_open(file.path, &reason, reason.count) { return .success(TLSKeyLog(raw)) }
        let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return .failure(Failure(sentence: "The key log \(file.path) cannot be written: \(text)."))
    }

    struct Failure: Error {
        let sentence: String
    }

    deinit { libcurl_key_log_close(raw) }

    /// Logs the secrets of a TLS context. Returns false if memory has run out.
    func attach(to tlsContext: UnsafeMutableRawPointer) -> Bool { libcurl_key_log_attach(raw, tlsContext) }
}
#endif
