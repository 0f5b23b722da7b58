internal import HTTPSyntax

extension URLRequest {
    /// Returns a command line for curl that sends the request: method, URL, fields and content, quoted for a POSIX
    /// shell.
    ///
    /// ```text
    /// curl --request PUT --header 'Content-Type: application/json' --data-raw '{"id":1}' https://example.com/users
    /// ```
    ///
    /// The command lacks the fields that the session adds when it sends the request, such as User-Agent; curl adds its
    /// own values. A body that is a stream is read from the standard input. Content that is not text is written by
    /// `printf`, whose output is piped to curl.
    /// - Parameter redaction: The rule by which secrets are hidden. Default: ``Redaction/standard``. A command with a
    ///   hidden value does not have the same effect as the request.
    public func cURLDescription(redaction: Redaction = .standard) -> String {
        CurlArguments(self, redaction).text
    }
}

/// The arguments of curl for a request.
private struct CurlArguments {
    /// The maximum size in bytes of content that is passed as an argument. Linux allows 128 KiB for each argument.
    private static let longestArgument = 100_000

    private let request: URLRequest
    private let redaction: Redaction
    private var words = ["curl"]
    private var producer: String?

    init(_ request: URLRequest, _ redaction: Redaction) {
        self.request = request
        self.redaction = redaction
        let content = request.httpBody.map { redaction.content($0, type: field("Content-Type")) }
        let hasStream = content == nil && request.httpBodyStream != nil
        // The method that curl uses for these options without `--request`.
        let implied = content != nil ? "POST" : hasStream ? "PUT" : "GET"
        let method = request.httpMethod ?? "GET"
        if method == "HEAD", implied == "GET" {
            words.append("--head")
        } else if method != implied {
            add("--request", method)
        }
        addFields(hasContent: content != nil)
        if let content { add(content) }
        if hasStream { add("--upload-file", "-") }
        if let url = request.url { add(url) }
    }

    var text: String { (producer.map { $0 + " | " } ?? "") + words.joined(separator: " ") }

    private func field(_ name: String) -> String? { request.value(forHTTPHeaderField: name) }

    private mutating func add(_ option: String, _ value: String) { words += [option, ShellQuoting.quoted(value)] }

    private mutating func addFields(hasContent: Bool) {
        let fields = HTTPHeaders(request.allHTTPHeaderFields ?? [:]).sorted { $0.name < $1.name }
        for field in fields {
            let value = redaction.value(of: field)
            // With a colon, curl would remove a field without a value. With a semicolon, it sends the field.
            add("--header", value.trimmingBlanks.isEmpty ? field.name + ";" : "\(field.name): \(value)")
        }
        // For content without a `Content-Type`, curl would add the type of a form. This option prevents that.
        if hasContent, field("Content-Type") == nil { add("--header", "Content-Type:") }
    }

    private mutating func add(_ content: Data) {
        if content.count <= Self.longestArgument, !content.contains(where: { $0 == 0 || ShellQuoting.isControl($0) }),
            let text = String(validating: content, as: UTF8.self)
        {
            return add("--data-raw", text)
        }
        // `printf` is built into the shell, so the limit for arguments does not apply.
        producer = ShellQuoting.printf(content)
        add("--data-binary", "@-")
    }

    private mutating func add(_ url: URL) {
        let text = redaction.text(of: url)
        // Without these options, curl expands brackets and braces, and removes dot segments.
        if text.utf8.contains(where: { "[]{}".utf8.contains($0) }) { words.append("--globoff") }
        if url.path.holds("/.") { words.append("--path-as-is") }
        words.append(ShellQuoting.quoted(text))
    }
}
