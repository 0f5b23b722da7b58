import Foundation
import Larkspur
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCommand

/// Runs of the built program with `--retry`.
@Suite("Repetitions after temporary failures", .timeLimit(.minutes(5)))
struct RetryRunTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()

    init() throws { server = try LoopbackServer() }

    /// Runs the program with three repetitions at most, which begin at once.
    private func run(_ arguments: String..., input: Data? = nil) async throws -> CommandRun.Result {
        let arguments = arguments.map { $0.replacing("SERVER", with: "127.0.0.1:\(server.port)") }
        return try await CommandRun.run(
            ["--retry=3", "--retry-delay=0.001"] + arguments,
            in: folder.url,
            input: input
        )
    }

    private static let unavailable = LoopbackServer.Response.text("later", status: 503)

    @Test("The policy of repetitions follows the options")
    func policy() throws {
        func parse(_ text: String) throws -> Invocation {
            try ArgumentParser.parse(text.split(separator: " ").map(String.init))
        }
        #expect(Retries(try parse("u")) == nil)
        #expect(Retries(try parse("u --retry 0")) == nil)
        let usual = try #require(Retries(try parse("u --retry 3 -v")))
        #expect(usual.policy.maximumAttempts == 4 && usual.policy.deadline == nil && usual.isReported)
        #expect(usual.policy.baseDelay == .seconds(1) && usual.policy.maximumDelay == .seconds(600))
        let fixed = try #require(
            Retries(try parse("u --retry \(Int.max) --retry-delay 2.5 --retry-max-time 1e300 -vq"))
        )
        #expect(fixed.policy.baseDelay == .seconds(2.5) && fixed.policy.maximumDelay == .seconds(2.5))
        #expect(fixed.policy.random() == 1 && !fixed.isReported)
        #expect(fixed.policy.deadline == .seconds(1e9) && fixed.policy.maximumAttempts > 1_000_000)
    }

    @Test("Only the last response is printed, and with -v each repetition is reported in a line")
    func statuses() async throws {
        server.route("/r", Self.unavailable, .status(429), .text("done"))
        let result = try await run("-v", "SERVER/r")
        #expect(result.status == 0)
        #expect(result.text.components(separatedBy: "HTTP/1.1 ").count == 2, "\(result.text)")
        #expect(
            result.text.contains("HTTP/1.1 200 OK\n")
                && (result.text.hasSuffix("done") || result.text.hasSuffix("done\n"))
        )
        let lines = result.errors.split(separator: "\n")
        #expect(
            lines == [
                "larkspur: status 503; repetition 1 of 3 in 0.001 s",
                "larkspur: status 429; repetition 2 of 3 in 0.001 s",
            ]
        )
        #expect(server.requests.count == 3)
        server.route("/silent", Self.unavailable, .text("done"))
        let silent = try await run("SERVER/silent")
        #expect(silent.text == "done" && silent.errors.isEmpty)
    }

    @Test("The last response is printed completely, even if it is a failure")
    func exhausted() async throws {
        let content = Data(repeating: 65, count: 3 << 20)
        var response = LoopbackServer.Response.data(content)
        response.status = 503
        server.route("/r", response)
        let result = try await run("--check-status", "SERVER/r")
        #expect(result.output == content && result.status == 5)
        #expect(server.requests.count == 4)
    }

    @Test("A status that is no temporary failure is not followed by a repetition", arguments: [404, 501, 302, 200])
    func otherStatuses(status: Int) async throws {
        server.route("/r", .status(status))
        #expect(try await run("SERVER/r").status == 0)
        #expect(server.requests.count == 1)
    }

    @Test("Without the option, or with --retry=0, nothing is repeated")
    func off() async throws {
        server.route("/r", Self.unavailable)
        #expect(try await run("--retry=0", "SERVER/r").text == "later")
        #expect(try await run("--no-retry-delay", "--no-retry", "SERVER/r").text == "later")
        #expect(server.requests.count == 2)
    }

    @Test("Only requests that can be repeated are repeated, with the same content")
    func repeatable() async throws {
        let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 3) })
        let file = try folder.file("content", content)
        server.route("/r", Self.unavailable)
        #expect(try await run("SERVER/r", "a=b").text == "later")
        #expect(server.requests.count == 1)
        // A pipe that is sent as it arrives can be read only once.
        #expect(try await run("--chunked", "PUT", "SERVER/r", input: content).text == "later")
        #expect(server.requests.count == 2)
        for arguments in [
            ["SERVER/k", "a=b", "Idempotency-Key:1"], ["PUT", "SERVER/k", "@\(file.path)"],
            ["-f", "PUT", "SERVER/k", "f@\(file.path)"],
        ] {
            server.route("/k", Self.unavailable, .text("done"))
            let before = server.requests.count
            let arguments = arguments.map { $0.replacing("SERVER", with: "127.0.0.1:\(server.port)") }
            let result = try await CommandRun.run(
                ["--retry=3", "--retry-delay=0.001"] + arguments,
                in: folder.url
            )
            #expect(result.text == "done", "\(arguments): \(result.errors)")
            let bodies = server.requests.dropFirst(before).map(\.body)
            #expect(bodies.count == 2 && bodies.first == bodies.last && bodies.first?.isEmpty == false)
        }
    }

    @Test("A refused connection is followed by repetitions")
    func refused() async throws {
        let result = try await run("-v", "127.0.0.1:1")
        #expect(result.status == 1)
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 4, "\(result.errors)")
        #expect(lines.last == "larkspur: error: The server 127.0.0.1:1 refused the connection.")
    }

    @Test("No repetition begins after the time for all of them, or earlier than the server asks for")
    func time() async throws {
        server.route("/r", Self.unavailable)
        #expect(try await run("--retry-delay=100", "--retry-max-time=1", "SERVER/r").text == "later")
        server.route("/asks", Self.unavailable.adding("Retry-After", "100"))
        #expect(try await run("--retry-max-time=1", "SERVER/asks").text == "later")
        #expect(server.requests.count == 2)
    }

    @Test("A download is repeated before its content begins, and not afterwards")
    func downloads() async throws {
        let content = Data(repeating: 65, count: 200_000)
        server.route("/file", Self.unavailable, .data(content))
        let result = try await run("-d", "-o", "file", "SERVER/file")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("file")) == content)
        #expect(server.requests.count == 2)
        server.route("/cut", .raw([.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")]))
        #expect(try await run("-d", "-o", "cut", "SERVER/cut").status == 1)
        #expect(server.requests.count == 3)
    }

    @Test("A download that continues asks for the rest again")
    func continued() async throws {
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        var response = LoopbackServer.Response.data(content)
        response.acceptsRanges = true
        server.route("/file", Self.unavailable, response)
        let file = try folder.file("file", content.prefix(70_000))
        #expect(try await run("-dc", "-o", "file", "SERVER/file").status == 0)
        #expect(try Data(contentsOf: file) == content)
        #expect(server.requests.map { $0.headers["Range"] } == ["bytes=70000-", "bytes=70000-"])
    }

    @Test("The cookies of a failed attempt are sent with the next one, and are stored in the session")
    func sessions() async throws {
        server.route("/r", Self.unavailable.adding("Set-Cookie", "a=b"), .text("done"))
        #expect(try await run("--session=./s.json", "SERVER/r").text == "done")
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "a=b"])
        let data = try Data(contentsOf: folder.url.appendingPathComponent("s.json"))
        #expect(try JSONDecoder().decode(SavedSession.self, from: data).cookies.map(\.name) == ["a"])
    }

    @Test("After a redirect, a repetition begins with the first URL, and the table of times has each request")
    func redirects() async throws {
        server.route("/from", .redirect(to: "/to"))
        server.route("/to", Self.unavailable, .text("done"))
        let result = try await run("-F", "--timings", "SERVER/from")
        #expect(result.text == "done")
        #expect(server.requests.map(\.target) == ["/from", "/to", "/from", "/to"])
        #expect(result.errors.split(separator: "\n").count == 5, "\(result.errors)")
    }

    @Test("Requests of --repeat are repeated too, and count once")
    func repeated() async throws {
        server.route("/r", Self.unavailable, .text("done"))
        let result = try await run("--repeat=3", "SERVER/r")
        #expect(result.text.contains("status 200") && !result.text.contains("status 503"), "\(result.text)")
        #expect(server.requests.count == 4)
    }

    @Test("The connection of an event stream is repeated")
    func events() async throws {
        let stream = LoopbackServer.Response.stream([.text("data: a\n\n")])
            .adding("Content-Type", "text/event-stream")
        server.route("/events", Self.unavailable, stream, .status(204))
        let result = try await run("--events", "SERVER/events")
        #expect(result.text == "data: a\n\n" && result.status == 0, "\(result.errors)")
        #expect(server.requests.count == 3)
    }
}
