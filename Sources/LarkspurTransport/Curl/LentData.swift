#if canImport(FoundationNetworking)
internal import CLibcurl

/// The data to which a handle's options refer. libcurl does not copy it.
struct LentData {
    var url = ParsedURL()
    var fields = LineList()
    var proxyFields = LineList()
    var addresses = LineList()

    /// Frees the data, when the handle is gone.
    func free() {
        url.free()
        for list in [fields, proxyFields, addresses] { list.free() }
    }
}

/// The URL of the last transfer that was set up, as text and as libcurl has parsed it.
struct ParsedURL {
    private var text = ""
    private var parsed: UnsafeMutableRawPointer?

    /// Sets the URL of the next transfer, unless it is the same: libcurl then uses what it has parsed.
    mutating func replace(with text: String, of handle: UnsafeMutableRawPointer) {
        guard parsed == nil || text != self.text else { return }
        self.text = text
        _ = libcurl_easy_set_url(handle, &parsed, text)
    }

    func free() { parsed.map(libcurl_url_free) }
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
