import Foundation
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCommand

/// Runs of the built program against a server: the requests that it sends.
@Suite("Requests of the program", .timeLimit(.minutes(5)))
struct RequestRunTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()

    init() throws { server = try LoopbackServer() }

    private func run(
        _ arguments: String...,
        input: Data? = nil,
        environment: [String: String] = [:]
    ) async throws -> CommandRun.Result {
        let arguments = arguments.map { $0.replacing("SERVER", with: "127.0.0.1:\(server.port)") }
        return try await CommandRun.run(arguments, in: folder.url, input: input, environment: environment)
    }

    /// Runs the program, and returns the last request that the server got.
    private func request(_ arguments: String..., input: Data? = nil) async throws -> LoopbackServer.Request {
        let arguments = arguments.map { $0.replacing("SERVER", with: "127.0.0.1:\(server.port)") }
        let result = try await CommandRun.run(arguments, in: folder.url, input: input)
        #expect(result.errors.isEmpty, "\(result.errors)")
        #expect(result.status == 0)
        return try #require(server.requests.last)
    }

    @Test("A GET has a query, fields and HTTPie's defaults")
    func get() async throws {
        let request = try await request("SERVER/get", "a==b c", "X-A:1", "Accept-Encoding:identity", "X-Empty;")
        #expect(request.method == "GET")
        #expect(request.target == "/get?a=b+c")
        #expect(request.headers["X-A"] == "1" && request.headers["X-Empty"]?.isEmpty == true)
        #expect(request.headers["Accept"] == "*/*" && request.headers["Accept-Encoding"] == "identity")
        #expect(request.headers["User-Agent"] == "larkspur/\(LarkspurCommand.version)")
        #expect(request.headers["Content-Type"] == nil && request.body.isEmpty)
    }

    @Test("Data of a POST is JSON by default")
    func json() async throws {
        let request = try await request("SERVER/post", "name=Ada", "age:=36", "tags[]=x")
        #expect(request.method == "POST")
        #expect(request.text == #"{"name": "Ada", "age": 36, "tags": ["x"]}"#)
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.headers["Accept"] == "application/json, */*;q=0.5")
    }

    @Test("Data is sent as a form on request")
    func form() async throws {
        let request = try await request("-f", "PUT", "SERVER/put", "name=Ada L", "é:=1")
        #expect(request.method == "PUT")
        #expect(request.text == "name=Ada+L&%C3%A9=1")
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded; charset=utf-8")
    }

    @Test("Files and data become a multipart form in their order")
    func multipart() async throws {
        let file = try folder.file("a.png", Data([0, 255, 1]))
        let request = try await request("-f", "SERVER/post", "x=1", "f@\(file.path)", "g@\(file.path);type=a/b", "y=2")
        #expect(request.parts.map(\.name) == ["x", "f", "g", "y"])
        #expect(request.parts[1].data == Data([0, 255, 1]) && request.parts[1].fileName == "a.png")
        #expect(request.parts[1].headers["Content-Type"] == "image/png")
        #expect(request.parts[2].headers["Content-Type"] == "a/b")
        let bounded = try await self.request("--multipart", "--boundary=xyz", "SERVER/post", "x=1")
        #expect(bounded.headers["Content-Type"] == "multipart/form-data; boundary=xyz")
    }

    @Test("A body comes from an argument, a file, or standard input")
    func bodies() async throws {
        #expect(try await request("SERVER/post", "--raw", "héllo").text == "héllo")
        let file = try folder.file("a.txt", Data("text".utf8))
        let sent = try await request("SERVER/post", "@\(file.path)")
        #expect(sent.text == "text" && sent.headers["Content-Type"] == "text/plain")
        #expect(sent.headers["Content-Length"] == "4")
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 3) })
        let piped = try await request("SERVER/post", input: bytes)
        #expect(piped.body == bytes && piped.method == "POST")
        #expect(piped.headers["Content-Type"] == "application/json")
        let chunked = try await request("--chunked", "SERVER/post", input: bytes)
        #expect(chunked.body == bytes && chunked.headers["Transfer-Encoding"] == "chunked")
        #expect(try await request("-I", "SERVER/get", input: Data("x".utf8)).method == "GET")
        #expect(try await request("SERVER/post", "a=@\(file.path)").text == #"{"a": "text"}"#)
    }

    @Test("Standard input beyond the memory limit is sent with its length")
    func largeInput() async throws {
        let bytes = Data(repeating: 65, count: StandardInput.largestInMemory + 100_000)
        let request = try await request("SERVER/post", input: bytes)
        #expect(request.body == bytes)
        #expect(request.headers["Content-Length"] == String(bytes.count))
    }

    @Test("Content is compressed on request")
    func compression() async throws {
        for (option, coding) in [("-x", "gzip"), ("--compress-zstd", "zstd")] {
            let request = try await request(option, "SERVER/post", "--raw", String(repeating: "a", count: 5000))
            #expect(request.headers["Content-Encoding"] == coding && request.body.count < 100)
        }
    }

    @Test("Credentials are sent at once, or after a challenge")
    func credentials() async throws {
        #expect(
            try await request("-a", "ada:secret", "SERVER/get").headers["Authorization"] == "Basic YWRhOnNlY3JldA=="
        )
        #expect(try await request("-Abearer", "-atoken", "SERVER/get").headers["Authorization"] == "Bearer token")
        #expect(try await request("http://ada:secret@SERVER/get").headers["Authorization"] == "Basic YWRhOnNlY3JldA==")
        let digest = try await run("-Adigest", "-aada:secret", "--check-status", "SERVER/digest-auth/auth/ada/secret")
        #expect(digest.status == 0)
        let refused = try await run("-Adigest", "-aada:guess", "--check-status", "SERVER/digest-auth/auth/ada/secret")
        #expect(refused.status == 4)
        let missing = try await run("-a", "ada", "SERVER/get")
        #expect(missing.status == 1 && missing.errors.contains("password"))
    }

    @Test("Requests are signed for AWS, with keys of the arguments or the environment, which are not stored")
    func signature() async throws {
        let session = folder.url.appendingPathComponent("s.json").path
        let file = try folder.file("a.txt", Data("abc".utf8))
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let options = ["--aws-sigv4=aws:amz:eu-central-1:s3", "--session=\(session)", "PUT", "SERVER/signed"]
        // The response must not have the fields of the request, as that of /put does.
        server.route("/signed", .text("signed"))
        let keys = ["AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "s3cret", "AWS_SESSION_TOKEN": "t0ken"]
        for (arguments, input, expected) in [
            (["--raw=abc"], nil, hash), (["@\(file.path)"], nil, hash), (["--chunked", "--raw=abc"], nil, hash),
            ([], Data("abc".utf8), hash), (["--chunked"], Data("abc".utf8), "UNSIGNED-PAYLOAD"),
            (["X-Amz-Content-SHA256:own", "--raw=abc"], nil, "own"),
        ] as [([String], Data?, String)] {
            for isGiven in [true, false] {
                let all = (options + arguments + (isGiven ? ["-a", "AKID:s3cret"] : []))
                    .map { $0.replacing("SERVER", with: "127.0.0.1:\(server.port)") }
                let environment = isGiven ? [:] : keys
                let result = try await CommandRun.run(
                    all + ["-v"],
                    in: folder.url,
                    input: input,
                    environment: environment
                )
                #expect(result.status == 0, "\(result.errors)")
                let request = try #require(server.requests.last)
                #expect(request.text == "abc" && request.headers["X-Amz-Content-SHA256"] == expected)
                let authorization = try #require(request.headers["Authorization"])
                #expect(authorization.hasPrefix("AWS4-HMAC-SHA256 Credential=AKID/2"))
                #expect(authorization.contains("/eu-central-1/s3/aws4_request, SignedHeaders=accept;"))
                #expect(request.headers["X-Amz-Security-Token"] == (isGiven ? nil : "t0ken"))
                let shown = result.text + (try String(contentsOfFile: session, encoding: .utf8))
                #expect(!shown.contains("s3cret") && !shown.contains("t0ken"))
            }
        }
        let missing = try await run("--aws-sigv4=aws:amz:r:s3", "SERVER/get")
        #expect(missing.status == 1 && missing.errors.contains(".aws/credentials"))
        let derived = try await run("--aws-sigv4=aws:amz", "-a", "AKID:s3cret", "http://s3.r.localhost/")
        #expect(!derived.errors.contains("names no region"))
        let unknown = try await run("--aws-sigv4=aws:amz", "-a", "AKID:s3cret", "http://localhost/")
        #expect(unknown.status == 1 && unknown.errors.contains("names no region"))
        let command = try await run("--curl", "--aws-sigv4=aws:amz:r:s3", "-a", "AKID:a b", "SERVER/get")
        #expect(command.text.hasSuffix(" --aws-sigv4 aws:amz:r:s3 --user 'AKID:a b'\n"))
    }

    @Test("A session stores fields, cookies and credentials in a file that only the user may read")
    func session() async throws {
        let path = folder.url.appendingPathComponent("s.json").path
        _ = try await request(
            "--session=\(path)",
            "-a",
            "ada:secret",
            "SERVER/cookies/set?a=b",
            "X-A:1",
            "Content-Language:de",
            "Cookie:c=d"
        )
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let next = try await request("--session=\(path)", "SERVER/get")
        #expect(next.headers["X-A"] == "1" && next.headers["Content-Language"] == nil)
        #expect(next.headers["Authorization"] == "Basic YWRhOnNlY3JldA==")
        let cookies = try #require(next.headers["Cookie"]).split(separator: "; ").sorted()
        #expect(cookies == ["a=b", "c=d"])
        let before = FileManager.default.contents(atPath: path)
        _ = try await request("--session-read-only=\(path)", "SERVER/cookies/set?x=y", "X-B:1")
        #expect(FileManager.default.contents(atPath: path) == before)
        #expect(try folder.visibleNames() == ["s.json"])
    }

    @Test("An accent after a separator belongs to the text after the separator")
    func accents() async throws {
        let path = "--session=./\u{301}s.json"
        let basic = "Basic " + Data("ada:\u{301}pw".utf8).base64EncodedString()
        let first = try await request(path, "-aada:\u{301}pw", "SERVER/get", "Cookie:a=\u{301}1;\u{FE0F}=2")
        #expect(first.headers["Authorization"] == basic)
        let next = try await request(path, "SERVER/get")
        #expect(next.headers["Authorization"] == basic)
        let data = try #require(FileManager.default.contents(atPath: folder.url.path + "/\u{301}s.json"))
        let cookies = try JSONDecoder().decode(SavedSession.self, from: data).cookies
        #expect(cookies.contains { $0.name == "a" && $0.value == "\u{301}1" })
        // The host is decoded, and must not lead to another folder.
        let host = try #require(URL(string: "http://a%2F%CC%81b/"))
        let file = try SessionFile("ada", url: host, environment: ["XDG_CONFIG_HOME": "/c"])
        #expect(file.path == "/c/larkspur/sessions/http_a_\u{301}b/ada.json")
    }

    @Test("The text of a file loses its final line breaks, and a file may have any type")
    func fileValues() throws {
        let path = folder.url.appendingPathComponent("value").path
        try Data("v\r\n\n".utf8).write(to: URL(fileURLWithPath: path))
        let items = [RequestItem("X-A", .headerFile, path), RequestItem("f", .file, path + ";type=\u{301}x")]
        let contents = try ItemContents(items, kind: .multipart)
        #expect(contents.fields.map(\.value) == ["v"])
        #expect(contents.files.map(\.type) == ["\u{301}x"])
    }

    @Test("Credentials of a session with https are not sent over http")
    func secureSession() throws {
        let http = try #require(URL(string: "http://h.test/"))
        let https = try #require(URL(string: "https://h.test/"))
        let environment = ["XDG_CONFIG_HOME": folder.url.path]
        func file(_ name: String, _ url: URL) throws -> SessionFile {
            try SessionFile(name, url: url, environment: environment)
        }
        var session = SavedSession()
        session.auth = SavedSession.Authentication(type: "bearer", rawAuth: "s3cret")
        // A name is that of two sessions; WebSockets share theirs with requests.
        try file("ada", https).write(session)
        #expect(try file("ada", http).read() == SavedSession())
        #expect(try file("ada", try #require(URL(string: "wss://h.test/"))).read().auth == session.auth)
        #expect(try file("ada", http).path == file("ada", try #require(URL(string: "ws://h.test/"))).path)
        // A file is one session, which is refused.
        let path = folder.url.appendingPathComponent("s.json").path
        try file(path, http).write(session)
        #expect(try file(path, http).read().auth == session.auth)
        try file(path, https).write(try file(path, https).read())
        let error = #expect(throws: UsageError.self) { try file(path, http).read() }
        #expect(error?.message.contains("https") == true && error?.message.contains("s3cret") == false)
        #expect(try file(path, https).read().auth == session.auth)
        // HTTPie's files do not say how they were used.
        try Data(#"{"auth": {"type": "basic", "raw_auth": "a:b"}}"#.utf8).write(to: URL(fileURLWithPath: path))
        #expect(try file(path, http).read().auth.rawAuth == "a:b")
    }

    @Test("A named session belongs to one host")
    func namedSession() async throws {
        _ = try await request("--session=ada", "SERVER/get", "X-A:1")
        let file = ".config/larkspur/sessions/http_127.0.0.1_\(server.port)/ada.json"
        let data = try #require(FileManager.default.contents(atPath: folder.url.appendingPathComponent(file).path))
        #expect(try JSONDecoder().decode(SavedSession.self, from: data).headers.map(\.name) == ["X-A"])
        #expect(try await run("--session=..", "SERVER/get").status == 1)
        try Data("{".utf8).write(to: folder.url.appendingPathComponent("bad.json"))
        let broken = try await run("--session=./bad.json", "SERVER/get")
        #expect(broken.status == 1 && broken.errors.contains("no session file"))
    }

    @Test("Six runs at once with one session keep the cookies of all")
    func sharedSession() async throws {
        let gate = LoopbackServer.Gate()
        let targets = Recorder<String>()
        // No response is sent before all runs have read the session.
        server.route("/in") { request in
            targets.record(request.target)
            if targets.values.count == 6 { gate.open() }
            let name = request.target.suffix(1)
            return .text("in").adding("Set-Cookie", "c\(name)=1; Path=/").held(until: gate)
        }
        let path = folder.url.appendingPathComponent("s.json").path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask {
                    let result = try await run("--session=\(path)", "SERVER/in?\(number)", "X-\(number):1")
                    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
                }
            }
            try await group.waitForAll()
        }
        let data = try #require(FileManager.default.contents(atPath: path))
        let session = try JSONDecoder().decode(SavedSession.self, from: data)
        #expect(session.cookies.map(\.name) == (0..<6).map { "c\($0)" })
        #expect(session.headers.map(\.name).sorted() == (0..<6).map { "X-\($0)" })
        #expect(try folder.visibleNames() == ["s.json"])
        #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/.s.json.lock"))
    }
}
