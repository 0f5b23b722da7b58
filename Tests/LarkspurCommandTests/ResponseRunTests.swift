import Foundation
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCommand

/// Runs of the built program against a server: output and exit status.
@Suite("Responses of the program", .timeLimit(.minutes(5)))
struct ResponseRunTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()

    init() throws { server = try LoopbackServer() }

    private func run(_ arguments: String..., input: Data? = nil) async throws -> CommandRun.Result {
        let arguments = arguments.map { $0.replacing("SERVER", with: "127.0.0.1:\(server.port)") }
        return try await CommandRun.run(arguments, in: folder.url, input: input)
    }

    @Test("In a pipe, the body is printed byte for byte")
    func raw() async throws {
        let bytes = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        server.route("/bytes", .data(bytes, contentType: "application/json"))
        #expect(try await run("SERVER/bytes").output == bytes)
        #expect(try await run("--pretty=all", "SERVER/bytes").output == bytes)
        server.route("/latin", .data(Data([0x61, 0xE9]), contentType: "text/plain; charset=iso-8859-1"))
        #expect(try await run("SERVER/latin").output == Data([0x61, 0xE9]))
    }

    @Test("The received part of a response that is cut short is printed", arguments: [[], ["--pretty=format"]])
    func cutShort(options: [String]) async throws {
        let bytes = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        server.route("/cut", .raw([.text("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"), .bytes(bytes)]))
        server.route(
            "/json",
            .raw([
                .text("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n"),
                .text("[1, 2"),
            ])
        )
        for (path, content) in [("cut", bytes), ("json", Data("[1, 2".utf8))] {
            let arguments = options + ["127.0.0.1:\(server.port)/\(path)"]
            let result = try await CommandRun.run(arguments, in: folder.url, input: nil)
            #expect(result.output == content, "\(path): \(result.output.count) bytes")
            #expect(result.status == 1 && result.errors.contains("lost before the response was complete"))
        }
    }

    @Test("With --public-only, no connection to a private address is opened")
    func publicOnly() async throws {
        let result = try await run("--public-only", "-F", "SERVER/text")
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(result.errors.contains("127.0.0.1:\(server.port) is none to which the session may connect"))
        #expect(server.acceptedConnectionCount == 0)
    }

    @Test("Heads and bodies are printed on request")
    func parts() async throws {
        server.route("/x", .json(#"{"b":1}"#).adding("X-A", "é"))
        let verbose = try await run("-v", "SERVER/x", "n=1").text
        let lines = verbose.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.first == "POST /x HTTP/1.1")
        #expect(lines.contains("Host: 127.0.0.1:\(server.port)") && lines.contains("Content-Length: 10"))
        #expect(lines.contains(#"{"n": "1"}"#) && lines.contains("HTTP/1.1 200 OK") && lines.contains(#"{"b":1}"#))
        let head = try await run("-h", "SERVER/x").text
        #expect(
            head.hasPrefix("HTTP/1.1 200 OK\n") && head.hasSuffix("\n\n")
                && head.contains("Content-Type: application/json")
        )
        #expect(try await run("-b", "--pretty=format", "SERVER/x").text == "{\n    \"b\": 1\n}\n")
        #expect(try await run("-m", "SERVER/x").text.hasPrefix("Elapsed time: 0."))
        #expect(try await run("-vv", "SERVER/x").text.contains("\nProtocol: http/1.1\n"))
        #expect(try await run("-q", "SERVER/x").text.isEmpty)
        #expect(try await run("-o", "out", "SERVER/x").text.isEmpty)
        #expect(
            FileManager.default.contents(atPath: folder.url.appendingPathComponent("out").path)
                == Data(#"{"b":1}"#.utf8)
        )
        #expect(try await run("HEAD", "-h", "SERVER/x").text.hasPrefix("HTTP/1.1 200 OK\n"))
    }

    @Test("With --offline or for a command line, nothing is sent")
    func offline() async throws {
        let offline = try await run("--offline", "SERVER/x", "a=b").text
        #expect(offline.hasPrefix("POST /x HTTP/1.1\n") && offline.contains("\n\n{\"a\": \"b\"}"))
        let command = try await run("--curl", "SERVER/x", "a=b", "Authorization:Bearer t").text
        #expect(command.hasPrefix("curl ") && command.contains("Bearer t") && command.contains(#"{"a": "b"}"#))
        #expect(server.requests.isEmpty)
        #expect(try await run("--curl", "-v", "SERVER/get").text.contains("HTTP/1.1 200 OK"))
        #expect(server.requests.count == 1)
    }

    @Test(
        "The exit status depends on the kind of the failure",
        arguments: [
            (["SERVER/status/404"], 0), (["--check-status", "SERVER/status/404"], 4),
            (["--check-status", "SERVER/status/503"], 5), (["--check-status", "SERVER/status/302"], 3),
            (["--check-status", "SERVER/status/204"], 0), (["--check-status", "-F", "SERVER/status/302"], 0),
            (["-F", "--max-redirects=2", "SERVER/redirect/5"], 6), (["-F", "SERVER/redirect/5"], 0),
            (["--timeout=0.2", "SERVER/delay/30"], 2), (["127.0.0.1:1"], 1), (["SERVER/get", "nonsense"], 1),
            (["--nonsense", "SERVER/get"], 1), (["SERVER/fault/closed-without-response"], 1),
            (["-f", "SERVER/post", "a@missing"], 1),
            (["SERVER/post", "a=@missing"], 1), (["-o", "missing/file", "SERVER/get"], 1),
            (["--verify=missing", "SERVER/get"], 1),
            (["ftp://SERVER/"], 1), (["SERVER/get", "X A:b"], 1), (["SERVER/get", "X-A:a\nb"], 1),
        ] as [([String], Int32)]
    )
    func status(arguments: [String], status: Int32) async throws {
        server.route("/fault/closed-without-response", .raw([]))
        let arguments = arguments.map { $0.replacing("SERVER", with: "127.0.0.1:\(server.port)") }
        let result = try await CommandRun.run(arguments, in: folder.url)
        #expect(result.status == status, "\(arguments): \(result.errors)")
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == (status == 0 ? 0 : 1), "\(result.errors)")
        #expect(lines.allSatisfy { $0.hasPrefix("larkspur: ") })
        if arguments == ["127.0.0.1:1"] {
            #expect(result.errors == "larkspur: error: The server 127.0.0.1:1 refused the connection.\n")
        }
    }

    @Test("Redirects are followed on request, and are printed with -v")
    func redirects() async throws {
        #expect(try await run("-h", "SERVER/redirect/2").text.hasPrefix("HTTP/1.1 302 Found\n"))
        #expect(server.requests.count == 1)
        let text = try await run("-Fv", "SERVER/redirect/2").text
        #expect(text.components(separatedBy: "HTTP/1.1 302 Found").count == 3 && text.contains("HTTP/1.1 200 OK"))
        #expect(text.contains("GET /get HTTP/1.1\n"))
    }

    @Test("An invalid redirect is printed like any other response, and is an error with --follow")
    func redirectsToOtherSchemes() async throws {
        for target in ["myapp://callback?code=1", "mailto:a@b.example"] {
            server.route("/from", .text("moved", status: 302).adding("Location", target))
            let shown = try await run("--print=hb", "SERVER/from")
            #expect(shown.text.hasPrefix("HTTP/1.1 302 Found\n") && shown.text.contains("Location: \(target)\n"))
            #expect(shown.text.hasSuffix("moved") || shown.text.hasSuffix("moved\n"))
            #expect(shown.status == 0 && shown.errors.isEmpty, "\(shown.errors)")
            #expect(try await run("--check-status", "SERVER/from").status == 3)
            let followed = try await run("-F", "SERVER/from")
            #expect(followed.status == 1 && followed.errors.contains("scheme is"), "\(followed.errors)")
        }
    }

    @Test("The error of a failed connection names the host and the cause, and contains no secret")
    func connections() async throws {
        let proxy = ["http_proxy": "http://ada:secret@127.0.0.1:1"]
        let result = try await CommandRun.run(["http://example.com/"], in: folder.url, environment: proxy)
        #expect(
            result.errors == "larkspur: error: example.com: The proxy 127.0.0.1:1 refused the connection.\n"
        )
        let plain = try await run("https://127.0.0.1:\(server.port)/")
        #expect(plain.errors.contains("is this plain http?") && plain.errors.contains("127.0.0.1:\(server.port)"))
    }

    @Test("A download is written to a file, and continues there")
    func downloads() async throws {
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 5) })
        var response = LoopbackServer.Response.data(bytes)
        response.acceptsRanges = true
        server.route("/file.bin", response)
        let place = folder.url.appendingPathComponent("part.bin")
        try bytes.prefix(70_000).write(to: place)
        let result = try await run("-dc", "-o", "part.bin", "SERVER/file.bin")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try Data(contentsOf: place) == bytes)
        let request = try #require(server.requests.last)
        #expect(request.headers["Range"] == "bytes=70000-" && request.headers["Accept-Encoding"] == "identity")
        #expect(try await run("-dc", "-o", "part.bin", "SERVER/file.bin").status == 0)
        #expect(try await run("-d", "-o", "part.bin", "SERVER/file.bin").status == 0)
        #expect(try Data(contentsOf: place) == bytes)
        // Without a file, and in a pipe.
        #expect(try await run("-d", "SERVER/file.bin").output == bytes)
        #expect(try await run("-d", "-o", "no.bin", "SERVER/status/404").status == 4)
        server.route("/other", .data(bytes).adding("Content-Range", "bytes 5-9/10").with(status: 206))
        let wrong = try await run("-dc", "-o", "part.bin", "SERVER/other")
        #expect(wrong.status == 1 && wrong.errors.contains("another part"))
        #expect(try Data(contentsOf: place) == bytes)
        server.route("/cut", .raw([.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")]))
        #expect(try await run("-d", "-o", "cut", "SERVER/cut").status == 1)
    }

    @Test(
        "A file is continued only with the bytes that follow, and is otherwise unchanged",
        arguments: [
            ("bytes 3-5/6", [], "def", 0, "abcdef", ""), ("bytes 3-5/*", [], "def", 0, "abcdef", ""),
            ("bytes 3-5/6", [("Content-Encoding", "gzip")], "def", 1, "abc", "in the coding gzip"),
            ("bytes 3-5/6", [("Content-Encoding", "Identity")], "def", 0, "abcdef", ""),
            ("bytes 3-5/6", [], "defg", 1, "abc", "announces 4 bytes for a part of 3"),
            ("bytes 3-5/6", [], "de", 1, "abc", "announces 2 bytes for a part of 3"),
            ("bytes 3-5/6", [("Transfer-Encoding", "chunked")], "defg", 1, "abc", "more than the part"),
            ("bytes 3-5/6", [("Transfer-Encoding", "chunked")], "de", 1, "abcde", "less than the part"),
            ("bytes 3-5/9", [], "def", 1, "abcdef", "only a part of the rest"),
            ("bytes 2-5/6", [], "cdef", 1, "abc", "another part"), ("bytes 3-x/6", [], "def", 1, "abc", "another part"),
            ("bytes 3-5/6", [("Content-Type", "multipart/byteranges; boundary=x")], "def", 1, "abc", "another part"),
        ] as [(String, [(String, String)], String, Int32, String, String)]
    )
    func continued(
        range: String,
        fields: [(String, String)],
        content: String,
        status: Int32,
        expected: String,
        reason: String
    ) async throws {
        var response = LoopbackServer.Response.data(Data(content.utf8)).adding("Content-Range", range).with(status: 206)
        for (name, value) in fields { response.headers[name] = value }
        if fields.contains(where: { $0.0 == "Transfer-Encoding" }) {
            response.headers["Transfer-Encoding"] = nil
            response.framing = .chunked
        }
        server.route("/file", response)
        let place = try folder.file("file", Data("abc".utf8))

        let result = try await run("-dc", "-o", "file", "SERVER/file")

        #expect(result.status == status, "\(result.errors)")
        #expect(try String(contentsOf: place, encoding: .utf8) == expected)
        #expect(result.errors.contains(reason) || reason.isEmpty, "\(result.errors)")
        #expect(status == 0 || !result.errors.contains("Done"))
    }

    @Test(
        "With --offline, the printed request fields are those that the same command sends without it",
        arguments: [
            ["--chunked", "SERVER/post", "a=b"], ["-x", "SERVER/post", "a=\(String(repeating: "b", count: 200))"],
            ["-x", "SERVER/post", "a=b"], ["POST", "SERVER/post"], ["PUT", "SERVER/put"], ["SERVER/get"],
            ["--raw=a", "SERVER/post", "Content-Type:"], ["--session=./s", "SERVER/get", "Cookie:a=b"],
            ["-d", "SERVER/get"], ["-dc", "-o", "part", "SERVER/get"], ["-f", "--chunked", "SERVER/post", "a=b"],
            ["--multipart", "SERVER/post", "a=b"], ["--events", "--offline", "SERVER/get"],
        ]
    )
    func shown(arguments: [String]) async throws {
        _ = try folder.file("part", Data("abc".utf8))
        let isOffline = arguments.contains("--offline")
        var arguments = arguments.map { $0.replacing("SERVER", with: "127.0.0.1:\(server.port)") }
        if isOffline {
            arguments = arguments.filter { $0 != "--offline" }
            server.route("/get", .status(204))
        }
        let printed = try await CommandRun.run(["--offline", "--print=H"] + arguments, in: folder.url)
        _ = try await CommandRun.run(["-q"] + arguments, in: folder.url)

        let request = try #require(server.requests.last)
        var shown: [String: String] = [:]
        for line in printed.text.split(separator: "\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            shown[parts[0].lowercased()] = parts.count > 1 ? parts[1] : ""
        }
        let sent = Dictionary(request.headers.map { ($0.name.lowercased(), $0.value) }) { $0 + ", " + $1 }
        // The boundary is random.
        if sent["content-type"]?.hasPrefix("multipart/") == true { shown["content-type"] = sent["content-type"] }
        #expect(shown == sent, "\(printed.text)")
    }

    @Test("The table of times has at most a hundred columns, for any URL")
    func widthOfTimings() async throws {
        let errors = try await run("--timings", "SERVER/get?\(String(repeating: "a", count: 200))").errors
        #expect(errors.split(separator: "\n").allSatisfy { $0.count <= 100 } && errors.contains("…"), "\(errors)")
    }

    @Test("Requests are repeated on request, and their latencies are printed")
    func repetition() async throws {
        let result = try await run("--repeat=20", "--parallel=4", "SERVER/get")
        #expect(server.requests.count == 20 && result.status == 0)
        for row in [
            "requests", "errors", "status 200", "requests/s", "min ms", "mean ms", "p50 ms", "p90 ms", "p99 ms",
            "max ms",
        ] {
            #expect(result.text.contains(row))
        }
        #expect(try await run("--repeat=2", "127.0.0.1:1").status == 1)
        #expect(try await run("--repeat=2", "--check-status", "SERVER/status/500").status == 5)
    }

    @Test("Times are printed for each request")
    func timings() async throws {
        let errors = try await run("-F", "--timings", "SERVER/redirect/1").errors
        #expect(errors.split(separator: "\n").count == 3 && errors.contains("connect"))
    }

    @Test("The times of requests over TLS are followed by its version, cipher suite and group")
    func tlsOfTimings() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        let pem = try #require(server.certificate).pem
        _ = try folder.file("ca.pem", Data(pem.utf8))
        server.route("/twice", .redirect(to: "/get"))
        let target = "https://127.0.0.1:\(server.port)/twice"
        let errors = try await run("-F", "--timings", "--verify=ca.pem", target).errors
        let lines = errors.split(separator: "\n")
        #expect(lines.count == 4 && lines.last?.hasPrefix("TLS: TLSv1.3, TLS_AES_") == true, "\(errors)")
        #expect(lines.last?.lowercased().contains("25519") == true, "\(errors)")
    }

    @Test("An archive has the requests and their responses, also of a failed request")
    func archive() async throws {
        struct Archive: Decodable {
            struct Log: Decodable { let entries: [Entry] }
            struct Entry: Decodable { let response: Response }
            struct Response: Decodable { let status: Int }

            let log: Log
        }
        let file = folder.url.appendingPathComponent("calls.har")
        _ = try await run("-F", "--har", "calls.har", "SERVER/redirect/1")
        let archive = try JSONDecoder().decode(Archive.self, from: Data(contentsOf: file))
        #expect(archive.log.entries.map(\.response.status) == [302, 200])
        #expect(try await run("--har", "calls.har", "127.0.0.1:1").status == 1)
        #expect(try JSONDecoder().decode(Archive.self, from: Data(contentsOf: file)).log.entries.count == 1)
    }

    @Test("Events are printed when they arrive")
    func events() async throws {
        let stream = "event: tick\nid: 1\ndata: a\ndata: b\n\n: comment\ndata: c\n\n"
        let type: LoopbackServer.Fields = ["Content-Type": "text/event-stream"]
        server.route("/events", .stream([.text(stream)]).with(headers: type), .status(204))
        let result = try await run("--events", "SERVER/events")
        #expect(result.text == "event: tick\nid: 1\ndata: a\ndata: b\n\nid: 1\ndata: c\n\n")
        #expect(result.status == 0, "\(result.errors)")
        #expect(server.requests.last?.headers["Last-Event-ID"] == "1")
        server.route("/raw", .stream([.text(stream)]).with(headers: type))
        #expect(try await run("SERVER/raw").text == stream)
    }

    @Test("Each line of the input becomes a message of a WebSocket")
    func webSocket() async throws {
        let result = try await run("ws", "SERVER/websocket/echo", input: Data("a\nbé\nlast".utf8))
        #expect(result.text == "a\nbé\nlast\n", "\(result.errors)")
        #expect(result.status == 0)
        let closed = try await run("ws", "SERVER/websocket/close/1011", "reason==broken")
        #expect(closed.status == 1 && closed.errors.contains("1011 and the reason: broken"), "\(closed.errors)")
        let refused = try await run("ws", "SERVER/get", input: Data())
        #expect(refused.status == 1 && refused.errors.hasPrefix("larkspur: error: "))
    }

    @Test("Help, version and completions are printed")
    func program() async throws {
        let help = try await run("--help")
        #expect(help.text == HelpText.text && help.status == 0)
        #expect(try await run("--version").text == "larkspur \(LarkspurCommand.version)\n")
        let doctor = try await run("doctor")
        #expect(doctor.text.hasPrefix("larkspur     \(LarkspurCommand.version)\nlibcurl      "))
        #expect(try await run("--completion", "bash").text == CompletionScript.text(for: .bash))
    }
}

extension LoopbackServer.Response {
    fileprivate func with(status: Int? = nil, headers: LoopbackServer.Fields = [:]) -> Self {
        var response = self
        if let status { response.status = status }
        for field in headers { response.headers[field.name] = field.value }
        return response
    }
}
