#if canImport(FoundationNetworking)
internal import CLibcurl

/// The trace of libcurl. It is written only while the engine reads a part of it.
extension EasyHandle {
    /// The parts of libcurl's trace that the engine reads.
    struct Trace {
        /// Whether the header sections of a proxy are reported.
        var ofTunnels = false
        /// Whether events of HTTP/2 streams are reported.
        var ofStreams = false
        /// Whether the next line of a header section is the first field.
        fileprivate var ofFirstField = false
        /// The blank with which the first field began. libcurl reads another byte in its place. Nil if no blank is
        /// hidden.
        fileprivate var hiddenBlank: UInt8?
        var isOn: Bool { ofTunnels || ofStreams || ofFirstField }
    }

    /// Sets the receiver of the trace.
    func receiveTrace() {
        _ = libcurl_easy_setopt_pointer(raw, CURLOPT_DEBUGDATA, Unmanaged.passUnretained(self).toOpaque())
        _ = libcurl_easy_setopt_debug_callback(raw, CURLOPT_DEBUGFUNCTION, Self.debug)
    }

    /// Prevents libcurl from reading memory that it has freed. See ``Libcurl/remembersFreedFields``.
    ///
    /// After a status line, libcurl traces the next line before it parses the line as a field. If the line is folded,
    /// ``hideBlank(of:)`` changes the line so that libcurl does not parse it. This method restores the blank.
    /// - Parameter line: A line of a header section.
    func watchFirstField(after line: UnsafeMutableRawBufferPointer) {
        if line.starts(with: Self.statusLineBeginning) {
            trace.ofFirstField = true
        } else if trace.ofFirstField {
            if let blank = trace.hiddenBlank { line[0] = blank }
            trace.hiddenBlank = nil
            trace.ofFirstField = false
        }
    }

    /// A line that begins with a carriage return is the end of the fields, but libcurl checks this only when it divides
    /// the bytes into lines. At this point, libcurl has already divided them.
    private func hideBlank(of line: UnsafeMutableRawBufferPointer) {
        guard let first = line.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") else { return }
        trace.hiddenBlank = first
        line[0] = UInt8(ascii: "\r")
    }

    private static let statusLineBeginning = Array("HTTP/".utf8)

    private static let debug: libcurl_debug_callback = { _, kind, bytes, size, context in
        guard let handle = handle(of: context) else { return 0 }
        let text = UnsafeMutableRawBufferPointer(start: bytes, count: size)
        if kind == CURLINFO_HEADER_IN {
            if handle.trace.ofTunnels { handle.client?.receiveTunnelHeader(UnsafeRawBufferPointer(text)) }
            if handle.trace.ofFirstField { handle.hideBlank(of: text) }
        } else if kind == CURLINFO_TEXT, handle.trace.ofStreams, let event = StreamEvent(UnsafeRawBufferPointer(text)) {
            handle.client?.receive(event)
        }
        return 0
    }
}
#endif
