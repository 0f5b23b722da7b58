#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCommand

/// Runs of the built program with the options for addresses and sockets.
@Suite("Addresses and sockets", .timeLimit(.minutes(5)))
struct RouteRunTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()

    init() throws { server = try LoopbackServer() }

    private func run(
        _ arguments: String...,
        input: Data? = nil,
        environment: [String: String] = [:]
    ) async throws -> CommandRun.Result {
        let arguments = arguments.map { $0.replacing("PORT", with: "\(server.port)") }
        return try await CommandRun.run(arguments, in: folder.url, input: input, environment: environment)
    }

    @Test(
        "An entry has a host, a port and addresses",
        arguments: [
            ("a.test:80:192.0.2.1", "a.test", 80, ["192.0.2.1"]),
            ("+A.test:443:192.0.2.1,[2001:db8::1]", "A.test", 443, ["192.0.2.1", "[2001:db8::1]"]),
            ("ü.test:1:2001:db8::1", "ü.test", 1, ["2001:db8::1"]),
        ]
    )
    func entries(text: String, host: String, port: Int, addresses: [String]) throws {
        let entry = try HostEntry(text)
        #expect(entry.host == host && entry.port == port && entry.addresses == addresses)
    }

    @Test(
        "An entry that is malformed is an error with its reason",
        arguments: [
            ("", "notation"), ("a.test", "notation"), ("a.test:80", "notation"), (":80:192.0.2.1", "notation"),
            ("*:80:192.0.2.1", "one host"), ("-a.test:80", "remove"), ("a.test:0:192.0.2.1", "“0” is no port"),
            ("a.test:65536:192.0.2.1", "is no port"), ("a.test:+80:192.0.2.1", "is no port"),
            ("a.test:80:", "“” is no address"), ("a.test:80:b.test", "“b.test” is no address"),
            ("a.test:80:192.0.2.1,", "“” is no address"), ("a..test:80:192.0.2.1", "“a..test” is no host"),
            ("a b:80:192.0.2.1", "is no host"), ("+-a.test:80:192.0.2.1", "is no host"),
        ]
    )
    func malformed(text: String, reason: String) {
        let error = #expect(throws: UsageError.self) { try HostEntry(text) }
        #expect(error?.message.hasPrefix("--resolve: “\(text)”: ") == true)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test("A host of --resolve is found at its addresses, and keeps its name")
    func resolve() async throws {
        let result = try await run(
            "--resolve=given.test:PORT:127.0.0.1",
            "--resolve=other.test:PORT:192.0.2.1",
            "--session=ada",
            "given.test:PORT/cookies/set?a=b"
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(server.requests.last?.headers["Host"] == "given.test:\(server.port)")
        let session = ".config/larkspur/sessions/http_given.test_\(server.port)/ada.json"
        #expect(FileManager.default.fileExists(atPath: folder.url.appendingPathComponent(session).path))
        #expect(try await run("--resolve=given.test:PORT", "given.test:PORT").status == 1)
    }

    @Test("With a proxy, --resolve gives the addresses of the proxy")
    func proxy() async throws {
        let result = try await run(
            "-4",
            "--resolve=proxy.test:PORT:127.0.0.1",
            "--proxy=http://proxy.test:PORT",
            "http://far.test/get"
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(server.requests.last?.headers["Host"] == "far.test")
    }

    @Test("-4 and -6 choose the family of addresses, and the last of them counts")
    func families() async throws {
        let entry = "--resolve=given.test:PORT:127.0.0.1"
        #expect(try await run("-4", entry, "given.test:PORT/get").status == 0)
        #expect(try await run("--ipv6", "--ipv4", entry, "given.test:PORT/get").status == 0)
        #expect(server.requests.count == 2)
        for arguments in [["-6"], ["-4", "--ipv6"]] {
            let result = try await CommandRun.run(
                arguments + [entry, "given.test:PORT/get"].map { $0.replacing("PORT", with: "\(server.port)") },
                in: folder.url
            )
            #expect(result.status == 1)
            let place = "given.test:\(server.port)"
            #expect(
                result.errors.hasPrefix("larkspur: error: No IPv6 address of the server \(place) was found"),
                "\(result.errors)"
            )
        }
        #expect(try await run("-4", "[::1]:PORT/get").errors.contains("No IPv4 address of the server [::1]:"))
        #expect(server.requests.count == 2)
    }

    @Test("Connections are opened from the address of --interface")
    func interface() async throws {
        #expect(try await run("--interface=127.0.0.1", "127.0.0.1:PORT/get").status == 0)
        // No machine has this address, which is for documentation.
        let other = try await run("--interface=192.0.2.1", "127.0.0.1:PORT/get")
        #expect(other.status == 1 && other.errors.hasPrefix("larkspur: error: "), "\(other.errors)")
        #expect(server.requests.count == 1)
        #expect(try await run("--interface=", "127.0.0.1:PORT/get").errors.contains("--interface"))
    }

    @Test("With --unix-socket, the request goes to the socket, with its own URL, and without the network")
    func socket() async throws {
        let path = folder.url.appendingPathComponent("s.sock").path
        let local = try LoopbackServer(unixSocket: path)
        defer { local.stop() }
        let result = try await run(
            "-4",
            "--interface=192.0.2.1",
            "--resolve=docker.test:80:192.0.2.1",
            "--unix-socket=s.sock",
            "docker.test/get",
            "a==b",
            environment: ["http_proxy": "http://127.0.0.1:1"]
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(local.requests.last?.target == "/get?a=b" && local.requests.last?.headers["Host"] == "docker.test")
        let content = Data(repeating: 65, count: 200_000)
        local.route("/file", .data(content))
        let download = try await run("-d", "-o", "file", "--unix-socket", path, "docker.test/file")
        #expect(download.status == 0, "\(download.errors)")
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("file")) == content)
        let echo = try await run(
            "ws",
            "--unix-socket=~/s.sock",
            "docker.test/websocket/echo",
            input: Data("a\n".utf8)
        )
        #expect(echo.text == "a\n" && echo.status == 0, "\(echo.errors)")
        #expect(server.requests.isEmpty)
    }

    @Test("A socket that is missing or has a path that is too long is an error that names it")
    func wrongSocket() async throws {
        let missing = try await run("--unix-socket=none.sock", "docker.test/get")
        #expect(missing.status == 1)
        #expect(missing.errors.contains("none.sock could not be connected to: No such file"), "\(missing.errors)")
        let long = try await run("--unix-socket=/\(String(repeating: "a", count: 107))", "docker.test/get")
        #expect(long.status == 1 && long.errors.contains("at most 107 bytes"), "\(long.errors)")
        let proxied = try await run("--unix-socket=s", "--proxy=http://127.0.0.1:PORT", "docker.test/get")
        #expect(proxied.status == 1 && proxied.errors.contains("--unix-socket and --proxy"))
    }
}
#endif
