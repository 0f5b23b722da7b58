import Testing

@testable import Larkspur

@Suite("Command lines for curl that are read")
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
        "The method follows from the options, unless it is given",
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
        "Content is joined, encoded and typed as curl does it",
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
        "A URL without a scheme gets one, and an address in brackets is no pattern",
        arguments: [
            ("h.test/?u=http://a/", "http://h.test/?u=http://a/"), ("http://[::1]:80/a", "http://[::1]:80/a"),
            ("[::1]/a", "http://[::1]/a"), ("HTTPS://h.test", "HTTPS://h.test"),
        ]
    )
    func urls(url: String, expected: String) throws {
        #expect(try request("curl '\(url)'").url?.absoluteString == expected)
    }

    @Test("With --get the data is the query, after one that is there")
    func query() throws {
        #expect(try request("curl -G -d a=1 'http://h/p?x=y#f' -d b=2").url?.query == "x=y&a=1&b=2")
        #expect(try request("curl --get --data-urlencode 'q=ü' http://h/").url?.absoluteString == "http://h/?q=%C3%BC")
        #expect(try request("curl -G -d a=1 http://h/").httpBody == nil)
    }

    @Test("Credentials, cookies, agent and referrer become fields, and a field of the command comes first")
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
        #expect(own.value(forHTTPHeaderField: "X-A") == "1,2")
        let removed = try self.request("curl -d a -H 'Content-Type:' --oauth2-bearer t http://h/")
        #expect(removed.value(forHTTPHeaderField: "Authorization") == "Bearer t")
    }

    @Test("Variables have the values that are passed, and a pipe ends the command")
    func shell() throws {
        let command = #"$ curl -s -H "Authorization: Bearer $TOKEN" "https://h/${PATH_PART}x" 2>/dev/null | jq '.[0]'"#
        let request = try request(command, ["TOKEN": "t0", "PATH_PART": "a/"])
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer t0")
        #expect(request.url?.absoluteString == "https://h/a/x")
        #expect(failure(of: command)?.message.contains("TOKEN") == true)
    }

    @Test("Options of the connection are named, those of the output are not")
    func ignored() throws {
        let command = try CurlCommand("curl -sSk -o out.json -x http://proxy:1 --max-time 5 --http2 https://h/ -v")
        #expect(command.ignoredOptions == ["-k", "-x http://proxy:1", "--max-time 5", "--http2"])
    }

    @Test(
        "What cannot be a request is an error that names it",
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

    @Test("No text ends the process, however long it is")
    func anyText() {
        var random = SystemRandomNumberGenerator()
        let pieces = [
            "curl ", "-H ", "'", "\"", "\\", "$", "${", "}", "$'", "\\u00", "\n", " ", "--data ", "@", "http://h/", "-",
            "é", ";", "|", ">", "&", "a=b",
        ]
        for _ in 0..<2000 {
            let text = "curl " + (0..<12).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            _ = try? CurlCommand(text)
        }
        _ = try? CurlCommand("curl " + String(repeating: "\\", count: 1_000_000))
        _ = try? CurlCommand("curl " + String(repeating: "-s ", count: 300_000))
    }
}
