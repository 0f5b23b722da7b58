#if canImport(FoundationNetworking)
extension CurlURLSession {
    // MARK: The libcurl of the process

    /// Makes the engine use the libcurl in a file, for example one that is shipped with the program. By default, the
    /// engine uses the libcurl that the process has loaded.
    ///
    /// Call this first in the program. A process uses only one libcurl, and decides which one when it creates its first
    /// session, or reads a property such as ``isAvailable``. If it already uses the libcurl in this file, the call has
    /// no effect. The environment variable `LARKSPUR_LIBCURL` has the same effect as this method, and precedence: if it
    /// names another file, this method throws.
    ///
    /// The engine then finds OpenSSL, zlib, Brotli, Zstandard and libpsl among the libraries that this libcurl depends
    /// on. Foundation's own sessions still use the libcurl with which FoundationNetworking was linked.
    ///
    /// If the method throws ``LibcurlChoiceError/Reason/fileUnusable``, nothing is decided. A program that continues
    /// uses the default libcurl.
    /// - Parameter file: The library, such as `/opt/mytool/lib/libcurl.so.4`.
    public static func useLibcurl(at file: URL) throws(LibcurlChoiceError) { try Libcurl.choose(file) }

    /// Whether the file of libcurl was named, by ``useLibcurl(at:)`` or by the environment.
    package static var isLibcurlNamed: Bool { Libcurl.isNamed }
}
#endif
