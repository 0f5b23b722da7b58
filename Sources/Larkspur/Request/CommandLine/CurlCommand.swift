internal import HTTPSyntax

/// The request of a command line for curl, as documentation and the developer tools of browsers show it.
///
///     let command = try CurlCommand("curl -H 'Accept: application/json' https://example.com/users | jq .")
///     manager.dataTask(with: command.request, serializer: .json) { print($0.result) }.resume()
///
/// The line is read as a POSIX shell reads it, with `$'…'` of bash, up to a pipe or a semicolon. Nothing is run, and
/// no file is read. Options about curl's output have no effect.
public struct CurlCommand: Sendable {
    /// The request: method, URL, fields, and content.
    public private(set) var request: URLRequest
    /// The options that a request cannot hold, with their values, such as `--insecure` or `--proxy http://localhost`.
    /// They belong to a session, or to a call.
    public private(set) var ignoredOptions: [String] = []

    /// Reads a command line.
    /// - Parameters:
    ///   - command: The command line, which may have several lines.
    ///   - variables: The values of the shell's variables in the command. Default: none; the environment of the process
    ///     is not used.
    /// - Throws: ``LarkspurError`` with the code `invalidCommand` if the line is not a command for curl, has no URL or
    ///   lacks a value; `unsupported` if it has an option that is unknown, or that needs a file or several requests,
    ///   with the option in the message; `invalidURL`, `invalidMethod` or `invalidHeaderField` for a request that
    ///   cannot be sent.
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

/// The settings that the options of a command make.
private struct CurlParser {
    var ignoredOptions: [String] = []
    private var url: String?
    private var method: String?
    private var isHead = false
    private var takesDataAsQuery = false
    private var isGlobbing = true
    private var fields: [HTTPHeaders.Field] = []
    private var removedNames: [String] = []
    private var cookies: [String] = []
    private var authorization: String?
    private var userAgent: String?
    private var referrer: String?
    private var content: [UInt8]?
    private var isJSON = false

    mutating func read(_ words: [[UInt8]]) throws(LarkspurError) {
        var rest = words[...]
        // The prompt of a shell.
        if let first = rest.first, ["$", "%"].contains(String(decoding: first, as: UTF8.self)) {
            rest.removeFirst()
        }
        guard let name = rest.popFirst().map({ String(decoding: $0, as: UTF8.self) }),
            name == "curl" || name.hasSuffix("/curl") || name == "curl.exe"
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
            // The opposite of an option without a value.
            if name.hasPrefix("--no-"), CurlOption.long["--" + name.dropFirst(5)]?.takesValue == false { return }
            throw Self.unknown(name)
        }
        try apply(option, name, value: option.takesValue ? Self.value(of: name, &rest) : [])
    }

    /// Reads options of one letter, of which several may stand in one word, and a value after the last one.
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
        case .field: try add(field: text)
        case .cookie:
            guard text.contains("=") else { throw Self.file(name) }
            cookies.append(text)
        case .user:
            let pair = text.contains(":") ? text : text + ":"
            authorization = "Basic " + Data(pair.utf8).base64EncodedString()
        case .bearer: authorization = "Bearer " + text
        case .userAgent: userAgent = text
        case .referrer: referrer = text.hasSuffix(";auto") ? String(text.dropLast(5)) : text
        case .data, .rawData, .encodedData, .json: try add(content: value, option, name)
        case .output, .outputTo: break
        case .connection: ignoredOptions.append(name)
        case .connectionValue: ignoredOptions.append("\(name) \(text)")
        case .unsupported, .unsupportedValue:
            throw LarkspurError(.unsupported, "A request cannot be made of curl's option \(name).")
        }
    }

    private mutating func add(field text: String) throws(LarkspurError) {
        guard !text.hasPrefix("@") else { throw Self.file("--header") }
        if let colon = text.firstIndex(of: ":") {
            let field = HTTPHeaders.Field(
                name: String(text[..<colon]),
                value: String(text[text.index(after: colon)...]).trimmingBlanks
            )
            if field.value.isEmpty { removedNames.append(field.name) } else { fields.append(field) }
        } else if text.hasSuffix(";") {
            fields.append(HTTPHeaders.Field(name: String(text.dropLast()), value: ""))
        } else {
            throw Self.error("The value of --header has neither a colon nor a semicolon at its end.")
        }
    }

    private mutating func add(content value: [UInt8], _ option: CurlOption, _ name: String) throws(LarkspurError) {
        var piece = value
        if option == .encodedData {
            piece = try Self.encoded(value, name)
        } else if option != .rawData, value.first == UInt8(ascii: "@") {
            throw Self.file(name)
        }
        if option == .json { isJSON = true }
        guard let before = content else { return content = piece }
        content = before + (option == .json ? [] : [UInt8(ascii: "&")]) + piece
    }

    /// Encodes `content`, `=content` or `name=content`, the content alone.
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
        let address = /^([A-Za-z]+:\/\/)?([^\/?#]*@)?\[[0-9A-Fa-f:.]+\]/
        if isGlobbing, text.replacing(address, with: "").contains(where: { "{[".contains($0) }) {
            throw LarkspurError(.unsupported, "The URL has braces or brackets, which curl expands without --globoff.")
        }
        if !text.starts(with: /[A-Za-z][A-Za-z0-9+.-]*:\/\//) { text = "http://" + text }
        if takesDataAsQuery, let content {
            let end = text.firstIndex(of: "#") ?? text.endIndex
            text = text[..<end] + (text[..<end].contains("?") ? "&" : "?") + String(decoding: content, as: UTF8.self)
        }
        var request = URLRequest(url: try BaseURL.resolve(text, against: nil))
        let hasContent = content != nil && !takesDataAsQuery
        request.httpMethod = method ?? (isHead ? "HEAD" : hasContent ? "POST" : "GET")
        for (name, value) in defaults(hasContent: hasContent)
        where !removedNames.contains(where: name.hasSameLetters)
            && !fields.contains(where: { $0.name.hasSameLetters(as: name) })
        {
            request.setValue(value, forHTTPHeaderField: name)
        }
        for field in fields { request.addValue(field.value, forHTTPHeaderField: field.name) }
        // After the fields, as the property adds a Content-Type of its own.
        if hasContent, let content { request.httpBody = Data(content) }
        return request
    }

    /// The fields of a command that gives no others.
    private func defaults(hasContent: Bool) -> [(String, String)] {
        var fields: [(String, String)] = []
        if hasContent {
            fields.append(("Content-Type", isJSON ? "application/json" : "application/x-www-form-urlencoded"))
        }
        if isJSON { fields.append(("Accept", "application/json")) }
        if let authorization { fields.append(("Authorization", authorization)) }
        if let userAgent { fields.append(("User-Agent", userAgent)) }
        if let referrer { fields.append(("Referer", referrer)) }
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
