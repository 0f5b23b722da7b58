import Foundation
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCommand

/// Runs of the built program with a netrc file, against two hosts: the address 127.0.0.1 and the name localhost.
@Suite("The program and the netrc file", .timeLimit(.minutes(5)))
struct NetrcRunTests {
    private static let own = "Basic " + Data("ada:secret".utf8).base64EncodedString()

    let server: LoopbackServer
    let folder = TemporaryFolder()

    init() throws { server = try LoopbackServer() }

    private func write(
        _ text: String = "machine 127.0.0.1 login ada password secret\n",
        to name: String = ".netrc",
        mode: Int = 0o600
    ) throws {
        let file = try folder.file(name, Data(text.utf8))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    }

    private func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> CommandRun.Result {
        let arguments = arguments.map {
            $0.replacing("SERVER", with: "127.0.0.1:\(server.port)").replacing(
                "OTHER",
                with: "localhost:\(server.port)"
            )
        }
        return try await CommandRun.run(arguments, in: folder.url, environment: environment)
    }

    /// Runs the program, and returns the field of the last request that the server got.
    private func authorization(_ arguments: String..., environment: [String: String] = [:]) async throws -> String? {
        let count = server.requests.count
        let arguments = arguments.map {
            $0.replacing("SERVER", with: "127.0.0.1:\(server.port)").replacing(
                "OTHER",
                with: "localhost:\(server.port)"
            )
        }
        let result = try await CommandRun.run(arguments, in: folder.url, environment: environment)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        #expect(server.requests.count > count)
        return server.requests.last?.headers["Authorization"]
    }

    @Test("The entry of the URL's host is sent, unless there are other credentials or --ignore-netrc")
    func use() async throws {
        try write()
        #expect(try await authorization("SERVER/get") == Self.own)
        #expect(try await authorization("SERVER/post", "a=b") == Self.own)
        #expect(try await authorization("OTHER/get") == nil)
        #expect(try await authorization("--ignore-netrc", "SERVER/get") == nil)
        let given = "Basic " + Data("bob:guess".utf8).base64EncodedString()
        #expect(try await authorization("-a", "bob:guess", "SERVER/get") == given)
        #expect(try await authorization("http://bob:guess@SERVER/get") == given)
        #expect(try await authorization("-A", "digest", "-a", "bob:guess", "SERVER/get") == nil)
        #expect(try await authorization("SERVER/get", "authorization:own") == "own")
        #expect(try await authorization("SERVER/get", "Authorization:") == nil)
    }

    @Test("The variable NETRC names the file")
    func variable() async throws {
        try write()
        try write("default login bob password \"a b\"", to: "own")
        let own = ["NETRC": folder.url.appendingPathComponent("own").path]
        let basic = "Basic " + Data("bob:a b".utf8).base64EncodedString()
        #expect(try await authorization("SERVER/get", environment: own) == basic)
        #expect(try await authorization("OTHER/get", environment: own) == basic)
        #expect(try await authorization("SERVER/get", environment: ["NETRC": "/dev/null"]) == nil)
        #expect(try await authorization("SERVER/get", environment: ["NETRC": "missing"]) == nil)
    }

    @Test("The credentials of a session take precedence, and a session does not store those of the file")
    func session() async throws {
        try write()
        #expect(try await authorization("--session=./s.json", "SERVER/get", "X-A:1") == Self.own)
        let data = try #require(FileManager.default.contents(atPath: folder.url.appendingPathComponent("s.json").path))
        let session = try JSONDecoder().decode(SavedSession.self, from: data)
        #expect(session.auth.rawAuth == nil && session.headers.map(\.name) == ["X-A"])
        _ = try await authorization("--session=./s.json", "-a", "bob:guess", "SERVER/get")
        let stored = try await authorization("--session=./s.json", "SERVER/get")
        #expect(stored == "Basic " + Data("bob:guess".utf8).base64EncodedString())
        _ = try await authorization("--session=./t.json", "SERVER/get", "Authorization:own")
        #expect(try await authorization("--session=./t.json", "SERVER/get") == "own")
    }

    @Test("A redirect to another host has no credentials, and none are looked up for it")
    func redirects() async throws {
        try write("machine 127.0.0.1 login ada password secret\ndefault login bob password guess")
        server.route("/away", .redirect(to: "http://localhost:\(server.port)/get"))
        #expect(try await authorization("--follow", "SERVER/away") == nil)
        try write()
        server.route("/to", .redirect(to: "http://127.0.0.1:\(server.port)/get"))
        #expect(try await authorization("--follow", "OTHER/to") == nil)
        #expect(server.requests.map { $0.headers["Authorization"] } == [Self.own, nil, nil, nil])
    }

    @Test(
        "A file that is malformed, or that other users can read, is not used, and a warning names it",
        arguments: [
            ("machine 127.0.0.1 login ada password secret", 0o644, ".netrc: Other users"),
            ("machine 127.0.0.1 login ada password secret", 0o640, ".netrc: Other users"),
            ("machine 127.0.0.1\nlogin ada password secret words", 0o600, ".netrc:2: "),
        ]
    )
    func warnings(text: String, mode: Int, reason: String) async throws {
        try write(text, mode: mode)
        let result = try await run("SERVER/get")
        #expect(result.status == 0 && server.requests.last?.headers["Authorization"] == nil)
        let start = "larkspur: warning: \(folder.url.path)/\(reason)"
        #expect(result.errors.hasPrefix(start) && result.errors.hasSuffix("--ignore-netrc ignores the file.\n"))
        #expect(!result.errors.contains("secret") && result.errors.split(separator: "\n").count == 1)
        #expect(try await authorization("--ignore-netrc", "SERVER/get") == nil)
        #expect(try await authorization("-a", "bob:guess", "SERVER/get")?.isEmpty == false)
    }

    @Test("The password is not printed: with -v, --offline, --curl and --har, and when a redirect is followed")
    func secrecy() async throws {
        try write()
        server.route("/here", .redirect(to: "/headers"))
        server.route("/headers", .text("done"))
        for arguments in [
            ["-v"], ["-vv", "--follow"], ["--offline"], ["--curl"], ["--curl", "-v"], ["--har=./a.har"],
        ] {
            let all = arguments + ["127.0.0.1:\(server.port)/here"]
            let result = try await CommandRun.run(all, in: folder.url)
            let archive = FileManager.default.contents(atPath: folder.url.appendingPathComponent("a.har").path)
            let text = result.text + result.errors + String(decoding: archive ?? Data(), as: UTF8.self)
            #expect(result.status == 0 && !text.contains("secret") && !text.contains(Self.own.dropFirst(6)), "\(all)")
            if arguments.first?.hasPrefix("-v") == true || arguments == ["--offline"] {
                #expect(text.contains("Authorization: Basic <redacted>\n"), "\(text)")
            }
            if arguments.first == "--curl" {
                #expect(result.text.contains(" --netrc-file \(folder.url.path)/.netrc\n"), "\(result.text)")
            }
        }
        #expect(server.requests.allSatisfy { $0.headers["Authorization"] == Self.own } && server.requests.count == 5)
        // The secrets that the arguments contain are printed.
        #expect(try await run("--offline", "-a", "ada:secret", "SERVER/get").text.contains(Self.own))
    }
}
