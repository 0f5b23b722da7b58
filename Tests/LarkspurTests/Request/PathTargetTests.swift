import HTTPSyntax
import TestSupport
import Testing

@testable import Larkspur

@Suite("Values in paths", .seeded)
struct PathTargetTests {
    private static let base = URL(string: "https://api.example.com/v1")

    /// Returns the URL of a target without the origin of the base URL.
    private func url(_ target: any RequestTarget) throws -> String {
        let url = try target.requestURL(relativeTo: Self.base).absoluteString
        return url.hasPrefix("https://api.example.com/") ? String(url.dropFirst(24)) : url
    }

    private func error(_ target: any RequestTarget) -> LarkspurError? {
        #expect(throws: LarkspurError.self) { try target.requestURL(relativeTo: Self.base) }
    }

    // MARK: Interpolation

    @Test(
        "A value is one segment of the path, or a part of one",
        arguments: [
            ("../admin", "..%2Fadmin"), ("a?b#c%20d é", "a%3Fb%23c%2520d%20%C3%A9"),
            ("//evil.example", "%2F%2Fevil.example"),
            ("https://evil.example", "https%3A%2F%2Fevil.example"), ("a:b", "a%3Ab"), ("\\\\evil", "%5C%5Cevil"),
            ("user@host", "user%40host"), ("a\r\nHost: b\0", "a%0D%0AHost%3A%20b%00"), (" ", "%20"), ("...", "..."),
            ("%2e%2e", "%252e%252e"), ("..;a=b", "..%3Ba%3Db"), ("-._~", "-._~"), ("+&=", "%2B%26%3D"),
            ("e\u{301}", "e%CC%81"), ("\u{301}", "%CC%81"),
        ]
    )
    func segments(value: String, escaped: String) throws {
        #expect(try url(.path("users/\(value)/files")) == "v1/users/\(escaped)/files")
        #expect(try url(.path("\(value)")) == "v1/\(escaped)")
        #expect(try url(.path("/\(value)")) == escaped)
        #expect(try url(.path("users/a\(value)b\(value)")) == "v1/users/a\(escaped)b\(escaped)")
        #expect(try url(.path("https://example.org/\(value)")) == "https://example.org/\(escaped)")
        #expect(try url(.path("users?name=\(value)&page=1")) == "v1/users?name=\(escaped)&page=1")
        #expect(try url(.path("users#\(value)")) == "v1/users#\(escaped)")
    }

    private enum Kind: String { case book = "a book" }
    private enum Number: Int { case one = 1 }
    private struct Key: RawRepresentable { let rawValue: UUID }

    @Test("A value is a text, a number, a Boolean value, a UUID, or has such a raw value")
    func types() throws {
        let key = Key(rawValue: UUID())
        #expect(try url(.path("\(7)/\(-1.5)/\(true)/\(Kind.book)/\(Number.one)")) == "v1/7/-1.5/true/a%20book/1")
        #expect(try url(.path("\(key)/\(key.rawValue)")) == "v1/\(key.rawValue.uuidString)/\(key.rawValue.uuidString)")
        #expect(try url(.path("\("abc".dropFirst())/\("x" as Character)")) == "v1/bc/x")
    }

    @Test("In the query, a value may be empty, or dots")
    func query() throws {
        #expect(try url(.path("search?q=\("")&at=\("..")")) == "v1/search?q=&at=..")
        #expect(try url(.template("search{?q,at}", ["q": "", "at": ".."])) == "v1/search?q=&at=..")
    }

    @Test("A literal is a target like a string")
    func literal() throws {
        for text in ["users/../a?b=c", "https://example.org/a", "//other/a", "", " a b ", "50%", "/%41"] {
            #expect(try url(PathTarget(stringLiteral: text)) == url(text))
        }
        #expect(try url(.path("users/./a/../b")) == "v1/users/b")
        #expect(error(.path("1:b"))?.code == .invalidURL)
    }

    @Test("Text and a value never make an escape together")
    func escapes() throws {
        #expect(try url(.path("a%\("2F")b")) == "v1/a%252Fb")
        #expect(try url(.path("a%2\("F")b")) == "v1/a%252Fb")
        #expect(try url(.template("a%{x}{y}", ["x": "2", "y": "F"])) == "v1/a%252F")
        #expect(try url(.template("a/{+x}{+y}", ["x": "%2", "y": "F"])) == "v1/a/%252F")
    }

    @Test("A target can be used in a target of your own")
    func composition() throws {
        struct Route: RequestTarget {
            let id: String

            func requestURL(relativeTo base: URL?) throws(LarkspurError) -> URL {
                try PathTarget("users/\(id)").requestURL(relativeTo: base)
            }
        }
        #expect(try url(Route(id: "a/b")) == "v1/users/a%2Fb")
        let manager = SessionManager(baseURL: .path("https://example.com/\("a/b")"))
        #expect(manager.baseURL?.absoluteString == "https://example.com/a%2Fb/")
    }

    // MARK: Refusals

    private static let dot = "makes a segment of the path “.” or “..”, which leads to another path."
    private static let origin = "takes part in the scheme, the host or the port: write them as text, or pass a URL."
    private static let empty = "is empty, which leads to another path."

    @Test("An empty value in the path, a dot segment and another origin are errors that name the value")
    func refusals() {
        let (none, dot, two) = ("", ".", "..")
        let refused: [(PathTarget, String)] = [
            (.path("users/\(none)"), "In “users/”, value 1 \(Self.empty)"),
            (.path("users/\(7)/\(none)"), "In “users/7/”, value 2 \(Self.empty)"),
            (.path("\(none)"), "In “”, value 1 \(Self.empty)"),
            (.path("users\(none)?a"), "In “users…”, value 1 \(Self.empty)"),
            (.path("a\(none)/b"), "In “a/b”, value 1 \(Self.empty)"),
            (.path("users/\(two)"), "In “users/..”, value 1 \(Self.dot)"),
            (.path("users/\(dot)/a"), "In “users/./a”, value 1 \(Self.dot)"),
            (.path("users/\(dot)\(dot)"), "In “users/..”, value 1 \(Self.dot)"),
            (.path("users/.\(dot)"), "In “users/..”, value 1 \(Self.dot)"),
            (.path("users/\(dot)."), "In “users/..”, value 1 \(Self.dot)"),
            (.path("users/\(dot) "), "In “users/. ”, value 1 \(Self.dot)"),
            (.path("users/%2E\(dot)"), "In “users/%2E.”, value 1 \(Self.dot)"),
            (.path("\(7)/\(two);a=b/c"), "In “7/..;a=b/c”, value 2 \(Self.dot)"),
            (.path("\(two)?a"), "In “..…”, value 1 \(Self.dot)"),
            (.path("https://a.example/\(two)#a"), "In “https://a.example/..…”, value 1 \(Self.dot)"),
            (.path("https://\("evil.example")/a"), "In “https://evil.example/a”, value 1 \(Self.origin)"),
            (
                .path("https://a.example\(".evil.example")"),
                "In “https://a.example.evil.example”, value 1 \(Self.origin)"
            ),
            (.path("https://a.example:\(80)/a"), "In “https://a.example:80/a”, value 1 \(Self.origin)"),
            (.path("https://\("a")@b.example/"), "In “…@b.example/”, value 1 \(Self.origin)"),
            (.path("//\("evil.example")/a"), "In “//evil.example/a”, value 1 \(Self.origin)"),
            (.path(" https://\("evil.example")/a"), "In “ https://evil.example/a”, value 1 \(Self.origin)"),
            (.path("\n//\("evil.example")/a"), "In “\\u{A}//evil.example/a”, value 1 \(Self.origin)"),
            (.path("\("http")://a.example/b"), "In “http://a.example/b”, value 1 \(Self.origin)"),
            (.path("\("http"):a"), "In “http:a”, value 1 \(Self.origin)"),
            (.path("\(none)//a.example/b"), "In “//a.example/b”, value 1 \(Self.origin)"),
            (.path("/\(none)/a.example/b"), "In “//a.example/b”, value 1 \(Self.origin)"),
            (.path("http+unix://\("%2Ftmp%2Fs")/a"), "In “http+unix://%252Ftmp%252Fs/a”, value 1 \(Self.origin)"),
        ]
        for (target, message) in refused {
            let error = error(target)
            #expect(error?.code == .invalidURL)
            #expect(error?.message == message)
        }
    }

    @Test(
        "A value of a template that leads elsewhere is an error",
        arguments: [
            ("{+x}", "//evil.example/", origin), ("{+x}", "http://evil.example/", origin),
            ("{+x}/a", "javascript:alert", origin), ("/{+x}", "/evil.example", origin),
            ("https://api{+x}/a", ".evil.example", origin), ("https://{x}/a", "evil.example", origin),
            ("https://api.example.com{+x}", ":8080/", origin),
            ("https://api.example.com{+x}", "@evil.example/", origin),
            ("https://api.example.com{x}", "a", origin), ("https://api.example.com{.x}", "a", origin),
            ("//{x}/a", "evil.example", origin), ("/{x}/evil.example", "", origin), ("{/x}/evil.example", "", origin),
            ("{x}//evil.example", "", origin), ("{+x}//evil.example", "http:", origin), ("{x}:80/a", "http", origin),
            ("users/{x}", "..", dot), ("users/{x}/a", ".", dot), ("users/{+x}", "../admin", dot),
            ("users/{+x}", "a/../../b", dot), ("users/{+x}", "a/%2e%2E/b", dot), ("users/{+x}", "..;a/b", dot),
            ("users/{+x}..", "a/", dot), ("users/..{+x}", "/a", dot), ("users/{+x}", "a/..?b", dot),
            ("users/.{x}", ".", dot), ("users/{x}.", ".", dot), ("users/.{x}.", "", dot), ("users/{.x}", "", dot),
            ("users/{.x}", ".", dot), ("users/%2e{x}", ".", dot), ("users{/x}", "..", dot), ("users{/x,x}/a", ".", dot),
            ("https://api.example.com/{+x}", "..", dot), ("https://api.example.com{+x}", "/..", dot),
        ]
    )
    func templateRefusal(template: String, value: String, reason: String) {
        let error = error(.template(template, ["x": value]))
        #expect(error?.code == .invalidURL)
        #expect(error?.message.hasSuffix("x} " + reason) == true)
    }

    @Test(
        "A value of a template that looks like another path leads nowhere else",
        arguments: [
            ("users/{x}", "../admin", "v1/users/..%2Fadmin"), ("users/{x}", "...", "v1/users/..."),
            ("users/{x}", "a?b#c", "v1/users/a%3Fb%23c"), ("{x}", "//evil.example", "v1/%2F%2Fevil.example"),
            ("users?at={x}", "..", "v1/users?at=.."), ("users{#x}", "../a", "v1/users#../a"),
            ("users{?x}", "../a", "v1/users?x=..%2Fa"), ("users/{+x}", "a:b", "v1/users/a:b"),
            ("users/{+x}", "a?/../b", "v1/users/a?/../b"), ("users/{+x}", "\\..\\a", "v1/users/%5C..%5Ca"),
            ("{x}", "http:", "v1/http%3A"), ("../{x}", "a", "a"), ("..{/x}", "a", "a"), ("users/{x}", "", "v1/users/"),
            ("https://api.example.com{+x}", "/a//b", "a//b"),
            ("https://api.example.com{?x}", "a", "https://api.example.com?x=a"),
            ("{+x}", "/a", "a"), ("users/{+x}", "a[0] b", "v1/users/a%5B0%5D%20b"),
            ("a b/é/{x}", "c", "v1/a%20b/%C3%A9/c"),
            ("https://b\u{FC}cher.test/{x}", "c", "https://xn--bcher-kva.test/c"),
        ]
    )
    func templateValue(template: String, value: String, expected: String) throws {
        #expect(try url(.template(template, ["x": value])) == expected)
    }

    @Test("The message of an error has no secrets")
    func secrets() {
        for target: PathTarget in [
            .path("users/\("..")?key=\("secret")"), .path("https://me:\("secret")@a.example/"),
            .template("{+x}", ["x": "https://me:secret@a.example/"]), .template("users/{x}?key=secret", ["x": ".."]),
        ] {
            let message = error(target)?.message
            #expect(message?.contains("secret") == false)
        }
    }

    // MARK: Parsers of URLs

    /// A path of text and values, in both forms.
    private struct Path {
        enum Atom {
            case text(String)
            case value(String)
        }

        /// Values that mean something in a URL, or in an escape.
        private static let values = [
            "..", ".", "", "/", "//", "\\", "%2e%2e", "%2F", "%", "2F", "?", "#", ":", "@", ";", "&", "=", "+", " ",
            "~",
            "é", "e\u{301}", "\u{301}", "\r\n", "\0", "\t", "{x}", "http://evil.example", "a", "7", "𝕏", "\u{FEFF}",
        ]
        /// Texts that do not begin with a hexadecimal digit, so that a percent sign before them begins no escape.
        private static let texts = ["x", "-y", ".", "%2E", "%2F", "é", "z z", "z%", "s;t", ":", "~", "(*)"]
        private static let starts = ["p/", "/p/", "https://other.example:8443/p/"]

        let start: String
        let segments: [[Atom]]
        let query: String

        init(_ random: inout SeededGenerator) {
            start = Self.starts.randomElement(using: &random) ?? ""
            query = Self.value(&random)
            segments = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                var atoms: [Atom] = (0..<Int.random(in: 0...2, using: &random)).map { _ in
                    Bool.random(using: &random)
                        ? .value(Self.value(&random)) : .text(Self.texts.randomElement(using: &random) ?? "")
                }
                // Without a value, a segment of dots is the program's own.
                atoms.insert(.value(Self.value(&random)), at: Int.random(in: 0...atoms.count, using: &random))
                return atoms
            }
        }

        private static func value(_ random: inout SeededGenerator) -> String {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in values.randomElement(using: &random) ?? "" }.joined()
        }

        var interpolation: PathTarget {
            var text = PathTarget.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
            text.appendLiteral(start)
            for (index, atoms) in segments.enumerated() {
                if index > 0 { text.appendLiteral("/") }
                for atom in atoms {
                    switch atom {
                    case .text(let literal): text.appendLiteral(literal)
                    case .value(let value): text.appendInterpolation(value)
                    }
                }
            }
            text.appendLiteral("?q=")
            text.appendInterpolation(query)
            return PathTarget(stringInterpolation: text)
        }

        var template: PathTarget {
            var values: [String: Any?] = ["q": query]
            let paths = segments.map { atoms in
                atoms.map { atom in
                    switch atom {
                    case .text(let literal): return literal
                    case .value(let value):
                        values["v\(values.count)"] = value
                        return "{v\(values.count - 1)}"
                    }
                }.joined()
            }
            return .template(start + paths.joined(separator: "/") + "{?q}", values)
        }

        /// The decoded segments.
        var expected: [String] {
            segments.map { atoms in
                atoms.map { atom in
                    switch atom {
                    case .text(let literal): literal.percentDecoded()
                    case .value(let value): value
                    }
                }.joined()
            }
        }

        var hasDots: Bool {
            segments.contains { atoms in
                var name = ""
                for atom in atoms {
                    switch atom {
                    case .text(let literal):
                        name += literal.before(";").description.percentDecoded()
                        if literal.holds(";") { return name == "." || name == ".." }
                    case .value(let value): name += value
                    }
                }
                return name == "." || name == ".."
            }
        }

        var hasEmptyValue: Bool {
            segments.joined().contains { atom in
                if case .value("") = atom { true } else { false }
            }
        }
    }

    @Test("A parser of URLs finds the segments that went in, and nothing else")
    func parsers() throws {
        var random = SeededGenerator()
        var counts = (accepted: 0, refused: 0)
        for _ in 0..<1000 {
            let path = Path(&random)
            let forms = [(path.interpolation, path.hasDots || path.hasEmptyValue), (path.template, path.hasDots)]
            for (target, isRefused) in forms {
                guard !isRefused else {
                    counts.refused += 1
                    #expect(error(target)?.code == .invalidURL, "\(path)")
                    continue
                }
                counts.accepted += 1
                let url = try target.requestURL(relativeTo: Self.base)
                let prefix =
                    switch path.start {
                    case "p/": "https://api.example.com/v1/p/"
                    case "/p/": "https://api.example.com/p/"
                    default: path.start
                    }
                #expect(url.absoluteString.hasPrefix(prefix))
                let reference = URLReference(url.absoluteString)
                let segments = reference.path.parts(separatedBy: "/", omittingEmptyParts: false)
                let known = prefix.parts(separatedBy: "/", omittingEmptyParts: false).count - 3
                #expect(segments.dropFirst(known).map { $0.description.percentDecoded() } == path.expected, "\(path)")
                #expect(reference.query?.percentDecoded() == "q=" + path.query && reference.fragment == nil)

                let components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
                let names = components.percentEncodedPath.components(separatedBy: "/")
                #expect(names == segments.map(String.init))
                #expect(components.percentEncodedQuery == reference.query)
                #expect(components.fragment == nil && components.user == nil)
                #expect(components.host == (path.start.hasPrefix("https") ? "other.example" : "api.example.com"))
            }
        }
        #expect(counts.accepted > 500 && counts.refused > 100)
    }
}
