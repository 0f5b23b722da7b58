import Foundation
import Testing

@testable import LarkspurCommand

@Suite("Arguments")
struct ArgumentParserTests {
    private func parse(_ text: String) throws(UsageError) -> Invocation {
        try ArgumentParser.parse(text.split(separator: " ").map(String.init))
    }

    @Test(
        "Arguments are a method, a URL and items",
        arguments: [
            ("example.com", nil, "example.com", 0), ("GET example.com", "GET", "example.com", 0),
            ("put example.com a=b", "PUT", "example.com", 1), ("example.com a=b", nil, "example.com", 1),
            (":3000/x a:=1 b==2", nil, ":3000/x", 2), ("localhost X-A:2", nil, "localhost", 1),
            ("PURGE localhost:80", "PURGE", "localhost:80", 0), ("-- -x a=b", nil, "-x", 1),
        ] as [(String, String?, String, Int)]
    )
    func words(text: String, method: String?, url: String, items: Int) throws {
        let invocation = try parse(text)
        #expect(invocation.request.method == method)
        #expect(invocation.request.url == url)
        #expect(invocation.request.items.count == items)
    }

    @Test("Options are long or single letters, at any position")
    func options() throws {
        let invocation = try parse("-fvSo file --timeout=2.5 POST u --auth a:b -Adigest x=y -vF --print hB")
        var expected = Invocation()
        expected.request.contentKind = .form
        expected.output.verbosity = 2
        expected.output.isStreaming = true
        expected.output.file = "file"
        expected.network.timeout = 2.5
        expected.request.method = "POST"
        expected.request.url = "u"
        expected.credentials.text = "a:b"
        expected.credentials.scheme = .digest
        expected.request.items = [RequestItem("x", .text, "y")]
        expected.network.followsRedirects = true
        expected.output.parts = [.responseHead, .requestBody]
        #expect(invocation == expected)
    }

    @Test("An accent at the start of a value belongs to the value")
    func accents() throws {
        #expect(try parse("u --auth=\u{301}a:b").credentials.text == "\u{301}a:b")
        #expect(try parse("u -va\u{FE0F}a:b").credentials.text == "\u{FE0F}a:b")
        #if canImport(FoundationNetworking)
        #expect(try ProxyRule.server(in: ["http://\u{301}u:p@h.test:1"]) != nil)
        #endif
    }

    @Test("Options for routes and repetitions have curl's names")
    func curlNames() throws {
        let invocation = try parse(
            "-6 --retry 3 --retry-delay 0.5 --retry-max-time=60 --interface eth0 --resolve a.test:80:192.0.2.1,[::1] u"
        )
        var expected = Invocation()
        expected.request.url = "u"
        expected.streams.retries = 3
        expected.streams.retryDelay = 0.5
        expected.streams.retryTime = 60
        expected.network.localAddress = "eth0"
        expected.network.family = .ipv6
        expected.network.hostAddresses = [try HostEntry("a.test:80:192.0.2.1,[::1]")]
        #expect(invocation == expected)
        #expect(try parse("u --unix-socket=s.sock -64").network.unixSocket == "s.sock")
        #expect(try parse("u -64").network.family == .ipv4)
        // As with curl, 0 is the default.
        #expect(try parse("u --retry 1 --retry-delay 0 --retry-max-time 0").streams.retryDelay == nil)
    }

    @Test("Every option of the table has a distinct letter and an effect")
    func everyOption() throws {
        var invocations: [String: Invocation] = [:]
        for option in OptionTable.all {
            var invocation = Invocation()
            switch option.action {
            case .flag(let set): set(&invocation)
            case .value(_, let choices, let set):
                let arguments = [
                    "print": "h", "response-charset": "koi8-r", "resolve": "a.test:1:192.0.2.1",
                    "aws-sigv4": "aws:amz:r:s3",
                ]
                try set(&invocation, arguments[option.name] ?? choices.last ?? "7")
            }
            #expect(invocation != Invocation(), "\(option.name)")
            invocations[option.name] = invocation
        }
        #expect(invocations.count == OptionTable.all.count)
        let letters = OptionTable.all.compactMap(\.letter)
        #expect(Set(letters).count == letters.count)
        #expect(invocations["verify"]?.network.verification == .off)
        #expect(invocations["completion"]?.mode == .completion(.fish))
    }

    @Test(
        "The arguments select the mode, by default a request",
        arguments: [
            ("--help", Invocation.Mode.help), ("--version", .version), ("--completion bash", .completion(.bash)),
            ("--install-completion fish", .installation(.fish)), ("ws :80/chat", .webSocket), ("ws", .request),
            ("doctor", .doctor), ("GET doctor", .request),
            ("doctor a=b", .request),
        ]
    )
    func modes(text: String, mode: Invocation.Mode) throws {
        #expect(try parse(text).mode == mode)
    }

    @Test(
        "The list of processes contains no secret argument",
        arguments: [
            ("-a ada:s3 :1", "-a ****** :1"), ("-vaada:s3 :1", "-va****** :1"),
            ("--auth=ada:s3 :1", "--auth=****** :1"),
            (":1 --auth ada:s3 -A digest", ":1 --auth ****** -A digest"), ("-a s3 -- :1 a=b", "-a ** -- :1 a=b"),
            ("--auth=\u{301}s3 :1", "--auth=**** :1"), ("-a", "-a"), ("-a s3 --nonsense=1", "-a ** --nonsense=1"),
            ("http://ada:s3@h/a@b?c@d", "http://******@h/a@b?c@d"), ("ada:s3@h", "******@h"), ("PUT s3@h", "PUT **@h"),
            ("--proxy=http:http://ada:s3@p:1 u", "--proxy=http:http://******@p:1 u"),
            ("--proxy p:1 u", "--proxy p:1 u"),
            (":1 Authorization:s3 password=s3 X-A:1", ":1 Authorization:** password=** X-A:1"),
            ("-- :1 api_key==s3 pin:=34 token=@file", "-- :1 api_key==** pin:=** token=@file"),
            (":1 pass\\=word=s3 keyboard=a a@b", ":1 ************* keyboard=a a@b"),
            ("ws u Cookie:s3", "ws u Cookie:**"),
        ]
    )
    func secrets(text: String, expected: String) {
        var arguments = text.components(separatedBy: " ").map { Array($0.utf8) }
        for secret in ArgumentParser.secrets(in: text.components(separatedBy: " ")) {
            for position in secret.bytes { arguments[secret.index][position] = UInt8(ascii: "*") }
        }
        #expect(arguments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ") == expected)
    }

    @Test(
        "Errors name the faulty argument",
        arguments: [
            ("", "A URL is needed"), ("--nothing u", "--nothing"), ("-Z u", "-Z"), ("u --timeout x", "--timeout"),
            ("u --timeout", "needs an argument"), ("u -o", "-o needs"), ("u --json=1", "has no argument"),
            ("u --pretty x", "all, colors, format, none"), ("u --print hX", "“X”"), (":1 a", "“a”"),
            ("u -c", "--continue"), ("u -cd", "--output"), ("u -x --chunked", "--chunked"),
            ("u -x --multipart", "--multipart"), (":1 --raw a b=c", "--raw"), ("u --cert-key a", "--cert"),
            ("u -A digest", "--auth"), ("u --parallel 2", "--repeat"), ("u --repeat 0", "--repeat"),
            ("u --repeat 2 -d", "--download"), ("ws u a=b", "WebSocket"), (":1 a@b", "--form"), (":1 @a b=c", "--raw"),
            ("u --completion tcsh", "bash, zsh, fish"), ("u --max-redirects -1", "--max-redirects"), (":1 a;b", "a;"),
            ("u --http-version 4", "1.1, 2, 3"), ("u --timeout -1", "--timeout"), ("u --timeout inf", "--timeout"),
            ("u --response-charset x", "--response-charset: “x”"), ("u --retry -1", "--retry"),
            ("u --retry x", "--retry"), ("u --retry 1 --retry-delay -1", "--retry-delay: “-1”"),
            ("u --retry 1 --retry-max-time x", "--retry-max-time: “x”"), ("u --retry-delay 1", "--retry-delay needs"),
            ("u --retry-max-time 1", "--retry-max-time needs"), ("u --resolve a.test:80", "--resolve: “a.test:80”"),
            ("u --interface=", "--interface"), ("u --unix-socket=", "--unix-socket"),
            ("u --unix-socket a --proxy b", "--proxy"), ("u --unix-socket a --public-only", "--public-only"),
            ("u --ipv4=1", "--ipv4 has no argument"), ("u --no-ipv4=1", "--no-ipv4 has no argument"),
            ("u --no-nothing", "--no-nothing"), ("u -5", "-5"), ("u --aws-sigv4 osc:osc", "aws:amz:REGION:SERVICE"),
            ("u --aws-sigv4 aws", "“aws”"), ("u --aws-sigv4 aws:amz -a a:b -A basic", "--auth-type"),
            ("ws u --aws-sigv4 aws:amz", "WebSocket"),
        ]
    )
    func errors(text: String, part: String) {
        do throws(UsageError) {
            let invocation = try parse(text)
            Issue.record("\(text): \(invocation)")
        } catch {
            #expect(error.message.contains(part), "\(text): \(error.message)")
        }
    }

    @Test(
        "The error for an option of curl names the option of HTTPie",
        arguments: [
            ("-L :1", "--follow or -F"), ("-Lk :1", "--follow"), ("-k :1", "--verify=no"),
            ("-u ada:s3cret :1", "--auth"),
            ("-X PUT :1", "larkspur PUT URL"), ("-XPUT :1", "larkspur PUT URL"), ("-H A:s3cret :1", "URL Name:Value"),
            ("-iv :1", "--print=hb"), ("--location :1", "--follow"), ("--header=A:s3cret :1", "Name:Value"),
            ("--data a=b :1", "--raw"), ("--max-time 3 :1", "--timeout=SECONDS"),
        ]
    )
    func curl(text: String, hint: String) {
        let error = #expect(throws: UsageError.self) { try parse(text) }
        #expect(error?.message.contains(hint) == true && error?.message.contains("s3cret") == false)
    }

    @Test("Hints exist only for unknown options, and name existing options")
    func hints() throws {
        for (option, hint) in CurlOptions.hints {
            #expect(throws: UsageError.self, "\(option)") { try parse(option + " :1") }
            for match in hint.matches(of: /--([a-z-]+)/) {
                #expect(OptionTable.all.contains { $0.name == match.output.1 }, "\(hint)")
            }
        }
    }

    @Test(
        "Errors contain no password",
        arguments: [
            "http://ada:s3cret@h:99999/", "http://ada:s3cret@[h/", "ada:s3cret@h:x/", "http://ada:s3/cret@h:99999/",
            "http://ada:s3#cret@h:p/", "http://ada:s3?c#ret@h/", "ftp://ada:s3cret@h/", "http://h:99999/?token=s3cret",
            "http://ada:s3%@h:1:2/", "//ada:s3cret@h",
        ]
    )
    func passwords(url: String) {
        let completed = TargetURL.completed(url, defaultScheme: "http")
        if let error = #expect(throws: UsageError.self, performing: { try TargetURL.url(completed, query: []) }) {
            #expect(!error.message.contains("s3") && !error.message.contains("cret"), "\(error.message)")
        }
        #if canImport(FoundationNetworking)
        for rule in ["", "https:", "all:"].map({ $0 + url }) {
            do throws(UsageError) { _ = try ProxyRule.server(in: [rule, "http://other.test:1"]) } catch {
                #expect(!error.message.contains("s3") && !error.message.contains("cret"), "\(error.message)")
            }
        }
        #endif
        let item = #expect(throws: UsageError.self) { try parse(":1 Cookie;s3cret") }
        #expect(item?.message.contains("s3cret") == false)
    }

    @Test(
        "By default, the destination of the output determines the printed parts",
        arguments: [
            ("u", true, [.responseHead, .responseBody]), ("u", false, .responseBody), ("u -h", true, .responseHead),
            ("u -v", false, [.requestHead, .requestBody, .responseHead, .responseBody]),
            ("u -vv", false, [.requestHead, .requestBody, .responseHead, .responseBody, .meta]),
            ("u --offline", true, [.requestHead, .requestBody]), ("u -d", true, .responseHead), ("u -db", true, []),
            ("u -d", false, []), ("u -m", true, .meta),
        ] as [(String, Bool, MessageParts)]
    )
    func parts(text: String, isTerminal: Bool, parts: MessageParts) throws {
        #expect(try parse(text).parts(onTerminal: isTerminal) == parts)
    }
}
