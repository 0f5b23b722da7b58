import TestSupport
import Testing

@testable import Larkspur
@testable import LarkspurCurlCommands

@Suite("Writing command lines for curl")
struct CurlDescriptionTests {
    private func request(_ method: String, _ url: String, _ fields: [String: String] = [:], body: String? = nil) throws
        -> URLRequest
    {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        if let body { request.httpBody = Data(body.utf8) }
        return request
    }

    @Test("A command has only the options that it needs")
    func short() throws {
        #expect(try request("GET", "https://h.test/a").cURLDescription() == "curl https://h.test/a")
        #expect(
            try request("HEAD", "https://h.test/a?b=c&d").cURLDescription() == "curl --head 'https://h.test/a?b=c&d'"
        )
        #expect(
            try request("PUT", "http://h.test/[1]", ["Content-Type": "text/plain", "X-Empty": ""], body: "it's")
                .cURLDescription()
                == #"curl --request PUT --header 'Content-Type: text/plain' --header 'X-Empty;' --data-raw 'it'\''s' http://h.test/%5B1%5D"#
        )
        // The quote and the accent are one character in Swift, but not in a shell.
        #expect(
            try request("GET", "http://h.test/", ["X-A": "'\u{301};echo"]).cURLDescription()
                == "curl --header 'X-A: '\\''\u{301};echo' http://h.test/"
        )
    }

    @Test("Content that is long or has control characters is passed through a pipe")
    func pipe() throws {
        var binary = try request("POST", "http://h.test/", ["Content-Type": "a/b"])
        binary.httpBody = Data([0, 0x1B, UInt8(ascii: "%"), UInt8(ascii: "'"), 0xFF, 10])
        #expect(
            binary.cURLDescription()
                == #"printf '\000\033%%\047\377\n' | curl --header 'Content-Type: a/b' --data-binary @- http://h.test/"#
        )
        binary.httpBody = Data(String(repeating: "a", count: 200_000).utf8)
        #expect(binary.cURLDescription().hasPrefix("printf 'aaa"))
        #expect(
            try request("GET", "http://h.test/", ["X-A": "a\u{1B}[31m"]).cURLDescription()
                == #"curl --header "$(printf 'X-A: a\033[31m')" http://h.test/"#
        )
    }

    @Test("Secrets in fields, URL and content are hidden, unless the caller requests them")
    func secrets() throws {
        let request = try request(
            "POST",
            "https://ada:pa55@h.test/?api_key=s3cret&page=2",
            [
                "Authorization": "Bearer s3cret", "Cookie": "id=s3cret", "Content-Type": "application/json",
                "X-Tenant": "acme",
            ],
            body: #"{"user":"ada","password":"s3cret","more":[{"accessToken":"s3cret"}]}"#
        )
        let text = request.cURLDescription()
        #expect(!text.contains("s3cret") && !text.contains("pa55"))
        #expect(text.contains("https://redacted:redacted@h.test/?api_key=redacted&page=2"))
        #expect(text.contains("page=2") && text.contains(#""user":"ada""#) && text.contains("acme"))
        #expect(!request.cURLDescription(redaction: .standard.hiding(["x-tenant"])).contains("acme"))
        let whole = request.cURLDescription(redaction: .none)
        #expect(whole.components(separatedBy: "s3cret").count == 6 && whole.contains("pa55"))
        let form = try self.request(
            "POST",
            "https://h.test/",
            ["Content-Type": "application/x-www-form-urlencoded"],
            body: "grant_type=password&client%5Fsecret=s3cret&scope=a"
        )
        #expect(form.cURLDescription().contains("'grant_type=password&client%5Fsecret=<redacted>&scope=a'"))
    }

    @Test("Content of another type than declared, and parts of a form, contain no secret")
    func damaged() throws {
        for (type, body) in [
            ("application/json", #"{"token":"s3cret""#), ("application/problem+json", #"{"token":"s3cret"}x"#),
            (
                "multipart/form-data; boundary=b",
                "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns3cret\r\n--b--"
            ),
            (
                "multipart/form-data; boundary=b",
                "--b\r\nContent-Disposition: form-data; name=password\r\n\r\ns3cret\r\n--b--"
            ),
        ] {
            #expect(
                try !request("POST", "http://h.test/", ["Content-Type": type], body: body).cURLDescription().contains(
                    "s3cret"
                )
            )
        }
        let rule = Redaction.standard
        #expect(rule.content(Data([0xFF]), type: "application/x-www-form-urlencoded") == Data("<redacted>".utf8))
        #expect(
            rule.content(Data(#" [{"token":"s3cret"}]"#.utf8), type: nil) == Data(#"[{"token":"<redacted>"}]"#.utf8)
        )
        #expect(rule.content(Data("token=s3cret".utf8), type: nil) == Data("token=<redacted>".utf8))
        #expect(rule.content(Data("{\"a\": 1}".utf8), type: "application/json") == Data("{\"a\": 1}".utf8))
    }

    @Test(
        "Names of secrets are recognized in any spelling, and other names are not",
        arguments: [
            ("accessToken", true), ("ACCESS_TOKEN", true), ("x-api-key", true), ("apiKey", true), ("key", true),
            ("clientSecret", true), ("X-Amz-Signature", true), ("sig", true), ("user.password", true), ("Cookie", true),
            ("keyboard", false), ("monkey", false), ("author", false), ("design", false), ("page", false), ("", false),
            ("compass", false), ("authority", false),
        ]
    )
    func names(name: String, isSecret: Bool) {
        #expect(Redaction.standard.hides(name) == isSecret)
        #expect(!Redaction.none.hides(name))
    }

    @Test("A written command is parsed as the same request", .seeded)
    func roundTrip() throws {
        var random = SeededGenerator()
        let characters: [Character] =
            Array("abcXYZ019 '\"\\$`!#&*()[]{}<>|;:,.?~=%+-_/@^\t\n\u{1B}é😀") + ["\u{301}", "'\u{FE0F}"]
        for _ in 0..<500 {
            func text(_ count: Int, without excluded: String = "") -> String {
                String(
                    (0..<count).compactMap { _ in characters.randomElement(using: &random) }.filter {
                        !excluded.contains($0)
                    }
                )
            }
            var components = URLComponents()
            components.scheme = "https"
            components.host = "h.test"
            components.path = "/" + text(6, without: "[]{}")
            components.query = text(6, without: "[]{}")
            var request = URLRequest(url: try #require(components.url))
            request.httpMethod = ["GET", "POST", "DELETE", "M-SEARCH"].randomElement(using: &random)
            request.setValue(text(9, without: "\n").trimmingCharacters(in: .whitespaces), forHTTPHeaderField: "X-A")
            if Bool.random(using: &random) {
                request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
                request.httpBody = Data(text(20, without: "\u{1B}").utf8)
            }
            let command = request.cURLDescription(redaction: .none)
            // The shell runs printf; that is tested with a shell.
            guard !command.contains("$(printf") else { continue }
            let read = try CurlCommand(command).request
            #expect(read == request, "\(command)")
            #expect(
                read.httpBody == request.httpBody && read.allHTTPHeaderFields == request.allHTTPHeaderFields,
                "\(command)"
            )
        }
    }

    @Test("The command of a task has its request, with the fields of the manager")
    func task() throws {
        let manager = SessionManager(baseURL: URL(string: "https://h.test"))
        manager.headers["X-Mine"] = "1"
        let task = manager.dataTask(with: URLRequest(url: try #require(URL(string: "https://h.test/a")))) { _ in }
        #expect(task.cURLDescription().hasSuffix("https://h.test/a"))
        task.cancel()
    }
}
