internal import HTTPSyntax

/// The request of a curl command line, such as the command lines in documentation and in the developer tools of
/// browsers.
///
///     let command = try CurlCommand("curl -H 'Accept: application/json' https://example.com/users | jq .")
///     manager.dataTask(with: command.request, as: .json) { print($0.result) }.resume()
///
/// The line is read as a POSIX shell reads it, including bash's `$'…'`, up to a pipe or a semicolon. Nothing is run,
/// and no file is read. As with curl, a user name and a password in the URL are sent without a challenge: they become
/// the `Authorization` field, and the request's URL does not have them.
public struct CurlCommand: Sendable {
    /// The request: method, URL, fields and content.
    public private(set) var request: URLRequest
    /// The options that do not affect the request, with their values, such as `--insecure`, `--proxy http://localhost`
    /// or `--output file`. They belong to a session or a call.
    ///
    /// Some options are omitted: options about curl's output on a terminal, such as `--verbose`, and options that
    /// request what a session does anyway, such as `--location`, `--compressed` and `--basic`.
    public private(set) var ignoredOptions: [String] = []

    /// Reads a command line.
    /// - Parameters:
    ///   - command: The command line. It may have several lines.
    ///   - variables: The values of shell variables in the command. Default: none. The environment of the process is
    ///     not used.
    /// - Throws: `LarkspurError` with the code `invalidCommand` if the line is not a curl command, cannot be split into
    ///   words, has no URL, lacks the value of an option or of a variable, or has a malformed `--header`.
    ///   `unsupported`, with the option in the message, if an option is unknown, or needs a file or several requests.
    ///   `invalidURL`, `invalidMethod` or `invalidHeaderField` if the request cannot be sent.
    public init(_ command: String, variables: [String: String] = [:]) throws(LarkspurError) {
        let words: [[UInt8]]
        do {
            words = try ShellWords.split(command, variables: variables)
        } catch {
            throw LarkspurError(.invalidCommand, error.sentence)
        }
        var parser = CurlParser()
        try parser.read(words)
        request = try parser.makeRequest()
        ignoredOptions = parser.ignoredOptions
        try request.validate()
    }
}

/// The settings that the options of a command result in.
private struct CurlParser {
    var ignoredOptions: [String] = []
    private var url: String?
    private var method: String?
    private var isHead = false
    private var takesDataAsQuery = false
    private var isGlobbing = true
    private var isPathAsIs = false
    private var fields: [HTTPHeaders.Field] = []
    private var removedNames: [String] = []
    private var cookies: [String] = []
    private var user: [UInt8]?
    private var bearer: String?
    private var userAgent: String?
    private var referrer: String?
    private var content: [UInt8]?
    private var isJSON = false

    mutating func read(_ words: [[UInt8]]) throws(LarkspurError) {
        var rest = words[...]
        // The prompt of a shell may have been copied too.
        if let first = rest.first, ["$", "%"].contains(String(decoding: first, as: UTF8.self)) {
            rest.removeFirst()
        }
        guard let name = rest.popFirst().map({ String(decoding: $0, as: UTF8.self) }),
            name == "curl" || name.ends(with: "/curl") || name == "curl.exe"
        else { throw Self.error("A command line for curl begins with “curl”.") }
        while let word = rest.popFirst() {
            if word.starts(with: "--".utf8), word.count > 2 {
                try readLong(String(decoding: word, as: UTF8.self), &rest)
            } else if word.first == UInt8(ascii: "-"), word.count > 1 {
                try readShort(word.dropFirst(), &rest)
            } else {
                try apply(.url, "URL", value: word)
            }
        }
    }

    private mutating func readLong(_ name: String, _ rest: inout ArraySlice<[UInt8]>) throws(LarkspurError) {
        guard let option = CurlOption.long[name] else {
            // `--no-` negates an option that takes no value.
            let opposite = name.begins(with: "--no-") ? CurlOption.long["--" + name.dropFirst(5)] : nil
            switch opposite {
            case .query: takesDataAsQuery = false
            case .globOff: isGlobbing = true
            case .pathAsIs: isPathAsIs = false
            case .output: break
            case .connection: ignoredOptions.append(name)
            default: throw Self.unknown(name)
            }
            return
        }
        try apply(option, name, value: option.takesValue ? Self.value(of: name, &rest) : [])
    }

    /// Reads a word with options of one letter. The last of them may be followed by its value.
    private mutating func readShort(
        _ letters: ArraySlice<UInt8>,
        _ rest: inout ArraySlice<[UInt8]>
    ) throws(LarkspurError) {
        var letters = letters
        while let letter = letters.popFirst() {
            let name = "-" + String(UnicodeScalar(letter))
            guard let option = CurlOption.short[name] else { throw Self.unknown(name) }
            guard option.takesValue else {
                try apply(option, name, value: [])
                continue
            }
            return try apply(option, name, value: letters.isEmpty ? Self.value(of: name, &rest) : Array(letters))
        }
    }

    private static func value(of name: String, _ rest: inout ArraySlice<[UInt8]>) throws(LarkspurError) -> [UInt8] {
        guard let value = rest.popFirst() else { throw error("The option \(name.onOneLine) has no value.") }
        return value
    }

    private mutating func apply(_ option: CurlOption, _ name: String, value: [UInt8]) throws(LarkspurError) {
        let text = String(decoding: value, as: UTF8.self)
        switch option {
        case .url:
            guard url == nil else { throw LarkspurError(.unsupported, "The command has several URLs.") }
            url = text
        case .method: method = text
        case .head: isHead = true
        case .query: takesDataAsQuery = true
        case .globOff: isGlobbing = false
        case .pathAsIs: isPathAsIs = true
        case .field: try add(field: text)
        case .cookie:
            guard text.holds("=") else { throw Self.file(name) }
            cookies.append(text)
        case .user: user = value
        case .bearer: bearer = text
        case .userAgent: userAgent = text
        case .referrer: referrer = text.ends(with: ";auto") ? String(Substring(text.utf8.dropLast(5))) : text
        case .data, .rawData, .encodedData, .json: try add(content: value, option, name)
        case .output, .outputTo: break
        case .connection: ignoredOptions.append(name)
        case .connectionValue: ignoredOptions.append("\(name) \(text)")
        case .unsupported, .unsupportedValue:
            throw LarkspurError(.unsupported, "A request cannot be made of curl's option \(name).")
        }
    }

    private mutating func add(field text: String) throws(LarkspurError) {
        guard !text.begins(with: "@") else { throw Self.file("--header") }
        if let (name, value) = text.cut(at: ":") {
            let field = HTTPHeaders.Field(name: String(name), value: value.trimmingBlanks)
            if field.value.isEmpty { removedNames.append(field.name) } else { fields.append(field) }
        } else if text.ends(with: ";") {
            fields.append(HTTPHeaders.Field(name: String(Substring(text.utf8.dropLast())), value: ""))
        } else {
            throw Self.error("The value of --header has neither a colon nor a semicolon at its end.")
        }
    }

    private mutating func add(content value: [UInt8], _ option: CurlOption, _ name: String) throws(LarkspurError) {
        var part = value
        if option == .encodedData {
            part = try Self.encoded(value, name)
        } else if option != .rawData, value.first == UInt8(ascii: "@") {
            throw Self.file(name)
        }
        if option == .json { isJSON = true }
        if content != nil, option != .json { content?.append(UInt8(ascii: "&")) }
        // Appended in place, because a command may have thousands of parts.
        content = content ?? []
        content?.append(contentsOf: part)
    }

    /// Encodes a value of the form `content`, `=content` or `name=content`. Only the content is encoded.
    private static func encoded(_ value: [UInt8], _ name: String) throws(LarkspurError) -> [UInt8] {
        let end = value.firstIndex(of: UInt8(ascii: "="))
        guard end != nil || !value.contains(UInt8(ascii: "@")) else { throw file(name) }
        var result = end.map { $0 == 0 ? [] : Array(value[...$0]) } ?? []
        for byte in value[(end.map { $0 + 1 } ?? 0)...] {
            switch byte {
            case .space: result.append(UInt8(ascii: "+"))
            case _ where byte.isDigit || byte.asLowercase &- UInt8(ascii: "a") < 26 || "-._~".utf8.contains(byte):
                result.append(byte)
            default: PercentEncoding.append(byte, to: &result)
            }
        }
        return result
    }

    func makeRequest() throws(LarkspurError) -> URLRequest {
        guard var text = url else { throw Self.error("The command has no URL.") }
        let address = /^([A-Za-z]+:\/\/)?([^\/?#]*@)?\[[0-9A-Fa-f:.]+\]/.matchingSemantics(.unicodeScalar)
        if isGlobbing, text.replacing(address, with: "").utf8.contains(where: { "{[".utf8.contains($0) }) {
            throw LarkspurError(.unsupported, "The URL has braces or brackets, which curl expands without --globoff.")
        }
        let scheme = /[A-Za-z][A-Za-z0-9+.-]*:\/\//.matchingSemantics(.unicodeScalar)
        if !text.starts(with: scheme) { text = "http://" + text }
        let urlUser = try Self.removeUser(from: &text)
        if takesDataAsQuery, let content {
            let head = text.before("#")
            text = head + (head.holds("?") ? "&" : "?") + String(decoding: content, as: UTF8.self)
        }
        let target = try BaseURL.resolve(text, against: nil)
        // Like curl, removes dot segments from the URL.
        let standardized = isPathAsIs ? target : URLReference(target.absoluteString).resolved(against: .init("")).url
        var request = URLRequest(url: standardized ?? target)
        let hasContent = content != nil && !takesDataAsQuery
        request.httpMethod = method ?? (isHead ? "HEAD" : hasContent ? "POST" : "GET")
        request.allHTTPHeaderFields = headers(hasContent: hasContent, user: user ?? urlUser).dictionary
        // The content is set after the fields, because setting it adds a Content-Type.
        if hasContent, let content { request.httpBody = Data(content) }
        return request
    }

    /// Removes the user name and the password from a URL and returns them; nil if there are none.
    private static func removeUser(from text: inout String) throws(LarkspurError) -> [UInt8]? {
        let start = text.utf8.firstRange(of: "://".utf8)?.upperBound ?? text.startIndex
        let authority = Substring(text.utf8[start...].prefix { !"/?#".utf8.contains($0) })
        guard let (userInformation, host) = authority.cut(at: "@") else { return nil }
        let parts = userInformation.parts(separatedBy: ":", maxSplits: 1, omittingEmptyParts: false)
        let user = parts.map { String($0).percentDecodedBytes() }
        guard !host.holds("@"), !user.joined().contains(where: { $0 < 0x20 }) else {
            throw LarkspurError(.invalidURL, "The user name or the password in the URL has to be percent-encoded.")
        }
        text.removeSubrange(start..<host.startIndex)
        return Array(user.joined(separator: [UInt8(ascii: ":")]))
    }

    /// The fields of the request. Fields of `--header` replace the fields that curl creates from other options.
    private func headers(hasContent: Bool, user: [UInt8]?) -> HTTPHeaders {
        var headers = HTTPHeaders.Collector()
        var hasHost = false
        for field in fields {
            // A request may have only one Host field. If there are several, curl sends the first.
            if field.name.hasSameLetters(as: "Host") {
                if hasHost { continue }
                hasHost = true
            }
            headers.add(field)
        }
        for (name, value) in defaults(hasContent: hasContent, user: user)
        where !removedNames.contains(where: name.hasSameLetters)
            && !fields.contains(where: { $0.name.hasSameLetters(as: name) })
        {
            headers.add(HTTPHeaders.Field(name: name, value: value))
        }
        return HTTPHeaders(headers.fields)
    }

    /// The fields that curl sends unless the command sets them.
    private func defaults(hasContent: Bool, user: [UInt8]?) -> [(String, String)] {
        var fields: [(String, String)] = []
        if hasContent {
            fields.append(("Content-Type", isJSON ? "application/json" : "application/x-www-form-urlencoded"))
        }
        if isJSON { fields.append(("Accept", "application/json")) }
        if let bearer {
            fields.append(("Authorization", "Bearer " + bearer))
        } else if let user {
            let colon = user.contains(UInt8(ascii: ":")) ? [] : [UInt8(ascii: ":")]
            fields.append(("Authorization", "Basic " + Data(user + colon).base64EncodedString()))
        }
        // With an empty value, curl sends no field.
        if let userAgent, !userAgent.isEmpty { fields.append(("User-Agent", userAgent)) }
        if let referrer, !referrer.isEmpty { fields.append(("Referer", referrer)) }
        if !cookies.isEmpty { fields.append(("Cookie", cookies.joined(separator: "; "))) }
        return fields
    }

    private static func error(_ message: String) -> LarkspurError { LarkspurError(.invalidCommand, message) }

    private static func unknown(_ name: String) -> LarkspurError {
        LarkspurError(.unsupported, "curl's option \(String(name.prefix(40)).onOneLine) is not known here.")
    }

    private static func file(_ name: String) -> LarkspurError {
        LarkspurError(.unsupported, "The option \(name) reads a file: set the content in the request instead.")
    }
}
