import Foundation
import FoundationNetworking
import HTTPSyntax
import JSONSyntax

@testable import Larkspur
@testable import LarkspurCommand
@testable import LarkspurCurlCommands

/// The command lines of curl, and the arguments, files and terminal of the command line client.
extension FuzzTarget {
    static let commandLine = [
        curlCommands, curlDescriptions, shellWords, shellQuoting, requestItems, jsonPaths, arguments, jsonLayout,
        terminalText,
        savedSessions, targetURLs,
    ]

    // MARK: curl

    private static let curlCommands = FuzzTarget(
        text: "curl-commands",
        measured: { _ = try? CurlCommand("curl " + $0, variables: ["V": "v"]) },
        { text in
            for text in [text, "curl " + text] {
                guard let command = try? CurlCommand(text, variables: ["V": "v"]) else { continue }
                check(command.request)
            }
        }
    )

    /// Requires that the command line of a request results in the same request.
    private static func check(_ request: URLRequest) {
        let text = request.cURLDescription(redaction: .none)
        // The content or a field is then the output of `printf`, which is not run.
        guard !text.hasPrefix("printf "), !text.contains("$(printf ") else { return }
        guard let again = try? CurlCommand(text).request else {
            return require(false, "the command can be read: \(text)")
        }
        require(again.url?.absoluteString, equals: request.url?.absoluteString, "the URL of \(text)")
        require(again.httpMethod ?? "GET", equals: request.httpMethod ?? "GET", "the method of \(text)")
        require(again.httpBody ?? Data(), equals: request.httpBody ?? Data(), "the content of \(text)")
        require(again.allHTTPHeaderFields ?? [:], equals: request.allHTTPHeaderFields ?? [:], "the fields of \(text)")
    }

    private static let curlDescriptions = FuzzTarget(unmeasured: "curl-descriptions") { bytes in
        var choices = Choices(bytes)
        guard
            let url = URL(string: choices.flag() ? "https://a.example/b?c=\(choices.number(below: 9))" : choices.text())
        else { return }
        var request = URLRequest(url: url)
        request.httpMethod = choices.element(of: ["GET", "POST", "PUT", "HEAD", "PATCH", "DELETE"])
        for _ in 0..<choices.number(below: 4) {
            let name = choices.element(of: ["Accept", "X-A", "X-B", "Content-Type", "User-Agent"])
            request.setValue(choices.text().trimmingBlanks, forHTTPHeaderField: name)
        }
        let content = choices.bytes()
        if !content.isEmpty, request.httpMethod != "HEAD" { request.httpBody = Data(content) }
        // The command has a URL of curl, and neither credentials nor a fragment, which are not sent.
        guard (try? request.validate()) != nil, url.user == nil, url.password == nil, url.fragment == nil,
            ["http", "https"].contains(url.scheme)
        else { return }
        _ = request.cURLDescription()
        check(request)
    }

    private static let shellWords = FuzzTarget(
        text: "shell-words",
        measured: { _ = try? ShellWords.split($0, variables: [:]) },
        { text in
            guard let words = try? ShellWords.split(text, variables: ["V": "a b", "HOME": "/"]) else { return }
            guard words.allSatisfy({ String(validating: $0, as: UTF8.self) != nil }) else { return }
            // Byte by byte, because a quote makes one character with an accent that follows it.
            let quoted = words.map { word in
                let parts = word.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
                return "'" + String(decoding: Array(parts.joined(separator: Array("'\\''".utf8))), as: UTF8.self) + "'"
            }
            let again = try? ShellWords.split(quoted.joined(separator: " "), variables: [:])
            require(again, equals: words, "quoted words are the same words")
            let bytes = words.reduce(0) { $0 + $1.count }
            require(bytes <= text.utf8.count * 4, "words are not much longer than the text")
        }
    )

    private static let shellQuoting = FuzzTarget(text: "shell-quoting") { text in
        let quoted = ShellQuoting.quoted(text)
        require(!quoted.utf8.contains { ShellQuoting.isControl($0) }, "a word has no control characters")
        guard !text.utf8.contains(where: ShellQuoting.isControl) else { return }
        require(
            try? ShellWords.split("a " + quoted + " b", variables: [:]).map { String(decoding: $0, as: UTF8.self) },
            equals: ["a", text, "b"],
            "a quoted text is one word"
        )
    }

    // MARK: The client

    private static let requestItems = FuzzTarget(
        text: "request-items",
        measured: { _ = try? RequestItem(parsing: $0) },
        { text in
            let words = text.split(separator: "\n").map(String.init)
            let items = words.compactMap { try? RequestItem(parsing: $0) }
            for item in items where !item.name.contains("\\") && !item.value.contains("\\") {
                let written = escaped(item.name) + item.kind.rawValue + escaped(item.value)
                guard !item.name.isEmpty, item.value.first.map({ !":;=@".contains($0) }) ?? true else { continue }
                require(try? RequestItem(parsing: written), equals: item, "the item \(written)")
            }
            // Items with files would read them.
            let safe = items.filter { ![.headerFile, .queryFile, .textFile, .jsonFile, .file].contains($0.kind) }
            for kind in [nil, Invocation.ContentKind.form, .multipart, .json] {
                guard let contents = try? ItemContents(safe, kind: kind) else { continue }
                if let json = try? contents.json() {
                    require(json.compact.count <= text.utf8.count * 8 + 1_000_000, "JSON has a limit")
                }
                _ = FormEncoding.text(of: contents.formFields)
                _ = try? contents.form(boundary: "b").data()
            }
        }
    )

    private static func escaped(_ text: String) -> String {
        text.map { ":;=@".contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    private static let jsonPaths = FuzzTarget(text: "json-paths", measured: { _ = try? JSONPath($0) }) { text in
        var root: JSONNode?
        for key in text.split(separator: "\n").prefix(20) {
            guard let path = try? JSONPath(String(key)) else { continue }
            require(!path.steps.isEmpty, "a path has a step")
            // Arrays of a hundred thousand elements take their time.
            guard
                path.steps.allSatisfy({ if case .index(let index) = $0 { index < 100 } else { true } })
            else { continue }
            _ = try? path.set(JSONNode(.bool(true)), in: &root)
        }
        guard let root else { return }
        require((try? JSONNode(root.compact, maximumDepth: 10_000)) == root, "the value is JSON")
    }

    private static let arguments = FuzzTarget(unmeasured: "arguments") { bytes in
        let words = bytes.split(separator: .lineFeed).map { String(decoding: $0, as: UTF8.self) }
        guard let invocation = try? ArgumentParser.parse(words) else { return }
        if case .request = invocation.mode { require(!words.isEmpty, "a request has a URL") }
    }

    private static let jsonLayout = FuzzTarget(
        text: "json-layout",
        measured: { text in _ = JSONFormatter(palette: Palette(isColored: true)).format(text) { _ in } },
        { text in
            for isColored in [false, true] {
                let formatter = JSONFormatter(palette: Palette(isColored: isColored))
                var (laid, painted) = (Data(), Data())
                let isJSON = formatter.format(text) { laid += $0 }
                require(formatter.paint(text) { painted += $0 }, equals: isJSON, "both take the text for JSON")
                require(JSONScanner.accepts(Array(text.utf8)), equals: isJSON, "the text is JSON")
                guard isJSON else {
                    require(laid.isEmpty && painted.isEmpty, "nothing is written")
                    continue
                }
                guard !isColored else { continue }
                let bytes = Data(text.utf8)
                require(bytes.starts(with: painted), "the text without colours is the same")
                require(bytes[painted.count...].allSatisfy { $0 <= 0x20 }, "only white space at its end is left out")
                if let node = try? JSONNode(Array(text.utf8)) {
                    require((try? JSONNode(Array(laid))) == node, "the value is the same")
                }
            }
        }
    )

    private static let terminalText = FuzzTarget("terminal-text") { bytes in
        for charset in [nil, "iso-8859-1"] {
            var texts: [String] = []
            for parts in Division.all(of: bytes) {
                var terminal = TerminalText(charset: charset)
                // A carriage return at the end of a part is shown, wherever the part ends.
                let parts = bytes.contains(.carriageReturn) ? [bytes[...]] : parts
                let chunks = parts.map { terminal.text(of: Data($0)) }
                texts.append(chunks.contains(nil) ? "" : chunks.compactMap(\.self).joined() + terminal.finish())
            }
            require(Set(texts).count, equals: 1, "the text of parts is the same: \(texts)")
            for scalar in texts[0].unicodeScalars {
                let isLayout = scalar == "\n" || scalar == "\t"
                require(
                    isLayout || scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value),
                    "no control character"
                )
                require(!scalar.properties.isBidiControl, "no character changes the direction")
            }
        }
        let line = TerminalText.line(String(networkBytes: bytes))
        require(!line.utf8.contains { $0 < 0x20 }, "a line is one line")
    }

    private static let savedSessions = FuzzTarget(unmeasured: "saved-sessions") { bytes in
        guard let session = try? JSONDecoder().decode(SavedSession.self, from: Data(bytes)) else { return }
        for cookie in session.cookies { _ = cookie.cookie(for: "a.example") }
        _ = Credentials(session.auth)
        let encoded = try? JSONEncoder().encode(session)
        let again = encoded.flatMap { try? JSONDecoder().decode(SavedSession.self, from: $0) }
        require(again, equals: session, "a session is read as it was written")
    }

    private static let targetURLs = FuzzTarget(unmeasured: "target-urls") { bytes in
        let text = String(networkBytes: bytes)
        let completed = TargetURL.completed(text, defaultScheme: "https")
        require(
            TargetURL.completed(completed, defaultScheme: "http").utf8.count >= completed.utf8.count - 3,
            "complete"
        )
        _ = TargetURL.credentials(in: completed)
        let excerpt = TargetURL.excerpt(of: "https://user:CANARY7f3a9@\(text)")
        require(!excerpt.contains("CANARY7f3a9"), "an excerpt has no password")
        guard let url = try? TargetURL.url(completed, query: [("a b", text)]) else { return }
        require(url.user == nil && url.password == nil && url.fragment == nil, "a URL has no user and no fragment")
        require(url.host?.isEmpty == false, "a URL has a host")
    }
}
