import TestSupport
import Testing

@testable import Larkspur
@testable import LarkspurCurlCommands

@Suite("Parsing command lines for curl")
struct CurlCommandTests {
    private func request(_ command: String, _ variables: [String: String] = [:]) throws -> URLRequest {
        try CurlCommand(command, variables: variables).request
    }

    private func failure(of command: String) -> LarkspurError? {
        do throws(LarkspurError) {
            _ = try CurlCommand(command)
            return nil
        } catch {
            return error
        }
    }

    @Test("A command that a browser copied has its URL, fields and content")
    func browser() throws {
        let command = #"""
            curl 'https://example.com/api/users?page=2' \
              -X 'PATCH' \
              -H 'accept: application/json, text/plain, */*' \
              -H 'accept-language: de-DE,de;q=0.9' \
              -b 'session=abc; theme=dark' \
              -H 'content-type: application/json' \
              --data-raw $'{"name":"Ada\'s","mark":"\u0021"}' \
              --compressed
            """#
        let request = try request(command)
        #expect(request.url?.absoluteString == "https://example.com/api/users?page=2")
        #expect(request.httpMethod == "PATCH")
        #expect(request.value(forHTTPHeaderField: "Accept") == "application/json, text/plain, */*")
        #expect(request.value(forHTTPHeaderField: "Cookie") == "session=abc; theme=dark")
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(request.httpBody == Data(#"{"name":"Ada's","mark":"!"}"#.utf8))
    }

    @Test(
        "The options determine the method, unless it is given",
        arguments: [
            ("curl example.com", "GET"), ("curl -I example.com", "HEAD"), ("curl -d a=1 example.com", "POST"),
            ("curl -Gd a=1 example.com", "GET"), ("curl -XDELETE example.com", "DELETE"),
            ("curl -d a=1 -X PUT example.com", "PUT"), ("curl --json {} example.com", "POST"),
            ("curl -sSLIv example.com", "HEAD"), ("curl --request OPTIONS --url example.com", "OPTIONS"),
        ]
    )
    func method(command: String, method: String) throws {
        let request = try request(command)
        #expect(request.httpMethod == method)
        #expect(request.url?.absoluteString.hasPrefix("http://example.com") == true)
    }

    @Test(
        "Content is joined, encoded and given a type as by curl",
        arguments: [
            ("-d a=1 -d b=2", "a=1&b=2", "application/x-www-form-urlencoded"),
            ("-d 'a=1\n2' -H 'Content-Type: text/plain'", "a=1\n2", "text/plain"),
            (
                "--data-urlencode 'q=a b&c' --data-urlencode =x+y", "q=a+b%26c&x%2By",
                "application/x-www-form-urlencoded"
            ),
            ("--data-raw @no-file", "@no-file", "application/x-www-form-urlencoded"),
            (#"--json '{"a":' --json 1}"#, #"{"a":1}"#, "application/json"),
            ("--data-binary ''", "", "application/x-www-form-urlencoded"),
        ]
    )
    func content(options: String, content: String, type: String) throws {
        let request = try request("curl \(options) https://example.com")
        #expect(request.httpBody == Data(content.utf8))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == type)
    }

    @Test(
        "A URL without a scheme gets http, and an IPv6 address in brackets is no pattern",
        arguments: [
            ("h.test/?u=http://a/", "http://h.test/?u=http://a/"), ("http://[::1]:80/a", "http://[::1]:80/a"),
            ("[::1]/a", "http://[::1]/a"), ("HTTPS://h.test", "HTTPS://h.test"),
        ]
    )
    func urls(url: String, expected: String) throws {
        #expect(try request("curl '\(url)'").url?.absoluteString == expected)
    }

    @Test("With --get, the data follows the existing query")
    func query() throws {
        #expect(try request("curl -G -d a=1 'http://h/p?x=y#f' -d b=2").url?.query == "x=y&a=1&b=2")
        #expect(try request("curl --get --data-urlencode 'q=ü' http://h/").url?.absoluteString == "http://h/?q=%C3%BC")
        #expect(try request("curl -G -d a=1 http://h/").httpBody == nil)
    }

    @Test("Credentials, cookies, agent and referrer become fields, and fields of the command override them")
    func fields() throws {
        let request = try request("curl -u ada:secret -A Tool/1 -e http://from.test -b a=1 -b b=2 http://h/")
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Basic YWRhOnNlY3JldA==")
        #expect(request.value(forHTTPHeaderField: "User-Agent") == "Tool/1")
        #expect(request.value(forHTTPHeaderField: "Referer") == "http://from.test")
        #expect(request.value(forHTTPHeaderField: "Cookie") == "a=1; b=2")
        let own = try self.request(
            "curl -H 'user-agent: Mine' -A Tool/1 -H 'X-Empty;' -H 'X-A: 1' -H 'X-A: 2' http://h/"
        )
        #expect(own.value(forHTTPHeaderField: "User-Agent") == "Mine")
        #expect(own.value(forHTTPHeaderField: "X-Empty") == "")
        #expect(own.value(forHTTPHeaderField: "X-A") == "1, 2")
        let removed = try self.request("curl -d a -H 'Content-Type:' --oauth2-bearer t http://h/")
        #expect(removed.value(forHTTPHeaderField: "Authorization") == "Bearer t")
    }

    @Test("An accent after a separator belongs to the text after it")
    func accents() throws {
        let options = "-H 'X-A:\u{301}a' -H 'X-B:\u{FE0F}' -b 'c=\u{301}d'"
        let request = try request("curl -G -d e=f \(options) 'http://\u{301}u:p@h.test/#\u{301}'")
        #expect(request.value(forHTTPHeaderField: "X-A") == "\u{301}a")
        #expect(request.value(forHTTPHeaderField: "X-B") == "\u{FE0F}")
        #expect(request.value(forHTTPHeaderField: "Cookie") == "c=\u{301}d")
        let credentials = Data("\u{301}u:p".utf8).base64EncodedString()
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Basic \(credentials)")
        #expect(request.url?.absoluteString == "http://h.test/?e=f")
        #expect(failure(of: "curl 'http://h.test/{\u{301}a}'")?.code == .unsupported)
    }

    @Test("Variables have the values that are passed, and a pipe ends the command")
    func shell() throws {
        let command = #"$ curl -s -H "Authorization: Bearer $TOKEN" "https://h/${PATH_PART}x" 2>/dev/null | jq '.[0]'"#
        let request = try request(command, ["TOKEN": "t0", "PATH_PART": "a/"])
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer t0")
        #expect(request.url?.absoluteString == "https://h/a/x")
        #expect(failure(of: command)?.message.contains("TOKEN") == true)
    }

    @Test(
        "Options without effect are listed, except for options about curl's output and options that always apply",
        arguments: [
            ("-sSvi -w '%{http_code}' -L --compressed --basic --stderr x", []),
            ("-sSk -x http://proxy:1 --max-time 5 --http2 -v", ["-k", "-x http://proxy:1", "--max-time 5", "--http2"]),
            ("-o out.json -f --rate 2/s -c jar", ["-o out.json", "-f", "--rate 2/s", "-c jar"]),
            ("-OJR --max-filesize 9 --tr-encoding", ["-O", "-J", "-R", "--max-filesize 9", "--tr-encoding"]),
            ("--no-keepalive --no-sessionid --no-verbose", ["--no-keepalive", "--no-sessionid"]),
            ("-D heads --raw --http2-prior-knowledge", ["-D heads", "--raw", "--http2-prior-knowledge"]),
        ]
    )
    func ignored(options: String, named: [String]) throws {
        #expect(try CurlCommand("curl \(options) https://h/").ignoredOptions == named)
    }

    @Test(
        "A user name and a password in the URL are sent at once, unless an option overrides them",
        arguments: [
            ("http://u:p@h/a?b", "u:p"), ("u:p@h", "u:p"), ("http://u@h", "u:"), ("http://:p@h", ":p"),
            ("http://@h", ":"), ("http://a%40b:c%3a%25@h/x@y:z@", "a@b:c:%"), ("-u c:d http://u:p@h", "c:d"),
            ("-u c http://u:p@h", "c:"), ("http://h/u:p@x", nil), ("http://h?u:p@x", nil),
        ] as [(String, String?)]
    )
    func user(command: String, user: String?) throws {
        let request = try request("curl \(command)")
        let expected = user.map { "Basic " + Data($0.utf8).base64EncodedString() }
        #expect(request.value(forHTTPHeaderField: "Authorization") == expected)
        #expect(request.url?.user == nil && request.url?.password == nil && request.url?.host == "h")
    }

    @Test("Bytes other than UTF-8 in credentials, and credentials of other options, are sent as by curl")
    func otherUsers() throws {
        let bytes = try request("curl http://%ff:%fe@h").value(forHTTPHeaderField: "Authorization")
        #expect(bytes == "Basic " + Data([0xFF, 0x3A, 0xFE]).base64EncodedString())
        for options in ["--oauth2-bearer t -u a:b", "-u a:b --oauth2-bearer t", "--oauth2-bearer t"] {
            let request = try request("curl \(options) http://u:p@h")
            #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer t")
        }
        for field in ["Authorization: x", "authorization:", "Authorization;"] {
            let value = try request("curl -H '\(field)' http://u:p@h").value(forHTTPHeaderField: "Authorization")
            #expect(value == ["Authorization: x": "x", "Authorization;": ""][field])
        }
        for user in ["u:a@b", "u:p%00", "u%0a"] {
            #expect(failure(of: "curl 'http://\(user)@h/'")?.code == .invalidURL, "\(user)")
        }
    }

    @Test("Empty values send no field, the first Host counts, and an option may be reverted")
    func oddities() throws {
        for options in ["-e ';auto'", "-e ''", "-A ''"] {
            #expect(try request("curl \(options) http://h").allHTTPHeaderFields ?? [:] == [:], "\(options)")
        }
        let hosts = ["-H 'Host: a' -H 'HOST: b'", "-H 'Host:' -H 'host: a' -H 'Host: c'", "-H 'Host: a' -H Host:"]
        for options in hosts { #expect(try request("curl \(options) http://h").headers["Host"] == "a", "\(options)") }
        #expect(try request("curl -G --no-get -d a http://h").httpBody == Data("a".utf8))
        #expect(failure(of: "curl -I --no-head http://h")?.code == .unsupported)
        #expect(try request("curl http://h/a/../b/./c?x=/../y").url?.absoluteString == "http://h/b/c?x=/../y")
        #expect(try request("curl --path-as-is http://h/a/../b").url?.absoluteString == "http://h/a/../b")
    }

    @Test("A field with a line break is an error", arguments: ["-H $'A: b\\nc'", "--oauth2-bearer $'t\\n'"])
    func brokenLines(options: String) {
        #expect(failure(of: "curl \(options) http://h")?.code == .invalidHeaderField)
    }

    @Test(
        "The error of an invalid command names the cause",
        arguments: [
            ("wget http://h/", "curl", LarkspurError.Code.invalidCommand), ("", "curl", .invalidCommand),
            ("curl", "URL", .invalidCommand), ("curl -H", "-H", .invalidCommand),
            ("curl 'http://h/", "quote", .invalidCommand), ("curl http://h/?a=1&b=2", "&", .invalidCommand),
            ("curl http://h/ $(date)", "output of another", .invalidCommand),
            ("curl -H nothing http://h/", "--header", .invalidCommand),
            ("curl --frobnicate http://h/", "--frobnicate", .unsupported), ("curl -sÜ http://h/", "-", .unsupported),
            ("curl -F a=b http://h/", "-F", .unsupported), ("curl -d @file http://h/", "-d", .unsupported),
            ("curl -b jar http://h/", "-b", .unsupported), ("curl http://a/ http://b/", "several", .unsupported),
            ("curl http://h/{a,b}", "braces", .unsupported), ("curl http://h/[1-3]", "braces", .unsupported),
            ("curl -X 'A B' http://h/", "A B", .invalidMethod),
            ("curl -H 'A B: c' http://h/", "20", .invalidHeaderField), ("curl 'http://'", "host", .invalidURL),
        ]
    )
    func failures(command: String, part: String, code: LarkspurError.Code) {
        let error = failure(of: command)
        #expect(error?.code == code, "\(command): \(error.debugDescription)")
        #expect(error?.message.contains(part) == true, "\(error.debugDescription)")
    }

    @Test("Text of any length is parsed without a crash", .seeded)
    func anyText() {
        var random = SeededGenerator()
        let chunks = [
            "curl ", "-H ", "'", "\"", "\\", "$", "${", "}", "$'", "\\u00", "\n", " ", "--data ", "@", "http://h/", "-",
            "é", ";", "|", ">", "&", "a=b",
        ]
        for _ in 0..<2000 {
            let text = "curl " + (0..<12).map { _ in chunks.randomElement(using: &random) ?? "" }.joined()
            _ = try? CurlCommand(text)
        }
        _ = try? CurlCommand("curl " + String(repeating: "\\", count: 1_000_000))
        _ = try? CurlCommand("curl " + String(repeating: "-s ", count: 300_000))
    }
}
