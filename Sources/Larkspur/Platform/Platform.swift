/// The functions that differ between Linux and Apple platforms.
enum Platform {
    /// Returns the default queue of handlers: on Apple platforms the main queue, which an app runs; elsewhere a private
    /// serial queue, because most programs there do not run the main queue.
    static func makeCompletionQueue() -> DispatchQueue {
        #if canImport(Darwin)
        .main
        #else
        DispatchQueue(label: "larkspur.completion")
        #endif
    }

    /// Whether the program is built for debugging.
    static var isDebugBuild: Bool {
        #if DEBUG
        true
        #else
        false
        #endif
    }

    /// Gives a downloaded file that only its owner may read the permissions of any new file.
    static func makeOrdinary(_ file: URL) {
        #if canImport(FoundationNetworking)
        NewFilePermissions.replacePrivateOnes(ofFileAt: file)
        #endif
    }
}

extension Platform {
    /// Returns an object that keeps content from counting as consumed until the object is released. Call it where the
    /// content is delivered. Nil for a transport that does not limit the content it delivers.
    static func hold(_ count: Int, of task: URLSessionTask) -> (any Sendable)? {
        #if canImport(FoundationNetworking)
        task.holdContent(count)
        #else
        nil
        #endif
    }
}

extension Platform {
    /// Returns data in the format gzip (RFC 1952); nil without zlib, and if it would not become smaller.
    static func gzip(_ data: Data) -> Data? {
        #if canImport(FoundationNetworking)
        Gzip.compress(data)
        #else
        nil
        #endif
    }
}

extension Platform {
    /// Returns the number of columns of a terminal; nil if the descriptor is not a terminal. A terminal that does not
    /// report its width has 80.
    static func terminalWidth(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
