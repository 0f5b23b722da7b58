#if canImport(FoundationNetworking)
internal import CLibcurl

/// The lists of lines that a handle's options refer to.
struct LineLists {
    var fields = LineList()
    var proxyFields = LineList()
    var addresses = LineList()

    /// Frees the lists, when the handle is gone.
    func free() {
        for list in [fields, proxyFields, addresses] { list.free() }
    }
}

/// A list of lines in libcurl's memory, to which an option of a handle refers until it gets another.
struct LineList {
    private var lines: [String] = []
    private var lastLine: String?
    private var list: OpaquePointer?

    /// Sets an option to these lines, unless it has them: consecutive requests mostly have the same fields.
    /// - Parameters:
    ///   - lines: The lines, in libcurl's notation.
    ///   - lastLine: One more line. Default: nil, for none.
    mutating func replace(
        with lines: [String],
        and lastLine: String? = nil,
        for option: Int32,
        of handle: UnsafeMutableRawPointer
    ) {
        guard lines != self.lines || lastLine != self.lastLine else { return }
        self.lines = lines
        self.lastLine = lastLine
        let previous = list
        list = lines.reduce(nil) { list, line in libcurl_slist_append(list, line) ?? list }
        if let lastLine { list = libcurl_slist_append(list, lastLine) ?? list }
        _ = libcurl_easy_setopt_pointer(handle, option, list.map { UnsafeRawPointer($0) })
        libcurl_slist_free_all(previous)
    }

    func free() { libcurl_slist_free_all(list) }
}
#endif
