import Foundation
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCommand

/// Runs of the built program on a terminal, and with streams that fail.
@Suite("The program and its streams", .timeLimit(.minutes(5)))
struct TerminalRunTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()

    init() throws { server = try LoopbackServer() }

    private func address(_ path: String) -> String { "127.0.0.1:\(server.port)\(path)" }

    /// Runs the program on a terminal, and returns what the terminal has shown.
    private func show(_ arguments: [String], environment: [String: String] = [:]) async throws -> (
        text: String, status: Int32
    ) {
        let terminal = try PseudoTerminal()
        let run = try terminal.start(arguments, in: folder.url, environment: environment)
        let text = await terminal.read()
        return (text.replacing("\r\n", with: "\n"), await run.wait())
    }

    @Test("A terminal gets colours and formatted JSON")
    func colors() async throws {
        server.route("/x", .json(#"{"b":"c"}"#))
        let (text, status) = try await show([address("/x")])
        #expect(text.hasPrefix("HTTP/1.1 \u{1B}[32m200 OK\u{1B}[0m\n"))
        #expect(text.hasSuffix("{\n    \u{1B}[34m\"b\"\u{1B}[0m: \u{1B}[33m\"c\"\u{1B}[0m\n}\n"))
        #expect(status == 0)
        #expect(try await !show([address("/x")], environment: ["NO_COLOR": "1"]).text.contains("\u{1B}"))
        #expect(try await show(["--pretty=none", "-b", address("/x")]).text == "{\"b\":\"c\"}\n")
    }

    @Test("Text from a server sends no control sequences to a terminal, and binary data is not printed")
    func control() async throws {
        let evil = "\u{1B}]0;title\u{7}\u{1B}[2Ja\u{9B}31m"
        server.route("/text", .text(evil).adding("X-Evil", "a\u{1B}[31mb\u{8}"))
        server.route("/json", .json("{\"a\":\"\u{9B}31m\u{202E}\"}"))
        let text = try await show(["--pretty=none", address("/text")]).text
        #expect(text.contains("X-Evil: a?[31mb?") && text.hasSuffix("?]0;title??[2Ja?31m\n"))
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) })
        let json = try await show(["--pretty=format", "-b", address("/json")]).text
        #expect(json == "{\n    \"a\": \"?31m?\"\n}\n")
        server.route("/binary", .data(Data([0x61, 0, 0x1B]), contentType: "text/plain"))
        #expect(try await show(["-b", address("/binary")]).text.contains("NOTE: binary data not shown in terminal"))
        let error = try await show(["127.0.0.1:1/\u{1B}[31m"]).text
        #expect(error.hasPrefix("larkspur: error: ") && !error.contains("\u{1B}"))
    }

    @Test("A terminal gets text in the charset of the response or of the option")
    func charsets() async throws {
        server.route("/sjis", .data(Data([0x93, 0xFA, 0x96, 0x7B]), contentType: "text/plain; charset=Shift_JIS"))
        #expect(try await show(["-b", address("/sjis")]).text == "日本\n")
        #expect(try await show(["-b", "--response-charset=KOI8-R", address("/sjis")]).text == "⌠З√{\n")
        let wide = Data("{\"a\":\"П\"}".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        server.route("/json", .data(wide, contentType: "application/json; charset=utf-16be"))
        #expect(try await show(["--pretty=format", "-b", address("/json")]).text == "{\n    \"a\": \"П\"\n}\n")
        #expect(try await show(["--pretty=none", "-b", address("/json")]).text == "{\"a\":\"П\"}\n")
        server.route("/broken", .data(Data([0x7B, 0xE9]), contentType: "application/json; charset=iso-8859-1"))
        #expect(try await show(["-b", address("/broken")]).text == "{é\n")
    }

    @Test("The list of processes contains no password, and the server gets it")
    func processList() async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("end").held(until: gate))
        let run = try CommandRun.start(
            ["-a", "ada:s3cret", address("/held"), "X-Api-Key:s3cret"],
            in: folder.url,
            streams: (FileHandle.nullDevice, FileHandle.nullDevice, FileHandle.nullDevice)
        )
        try await server.waitForRequests(1)

        let shown = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(run.process.processIdentifier)/cmdline"))

        #expect(String(decoding: shown, as: UTF8.self).contains("\0-a\0          \0127.0.0.1"))
        #expect(!String(decoding: shown, as: UTF8.self).contains("s3cret"))
        #expect(server.requests.last?.headers["X-Api-Key"] == "s3cret")
        #expect(server.requests.last?.headers["Authorization"] == "Basic YWRhOnMzY3JldA==")
        gate.open()
        #expect(await run.wait() == 0)
    }

    @Test("A recording is written to a pipe, a device or the standard output without replacing the file")
    func recordings() async throws {
        let program = "'\(CommandRun.program.path)' -I -q '\(address("/get"))' --har"
        #expect(try shell("\(program) >(cat >copy); wait $!; grep -c startedDateTime copy") == "1\n")
        #expect(
            try shell("mkfifo pipe; cat pipe >copy2 & \(program) pipe; wait; grep -c startedDateTime copy2") == "1\n"
        )
        #expect(try shell("test -p pipe && echo pipe") == "pipe\n")
        #expect(try shell("\(program) /dev/stdout | grep -c startedDateTime") == "1\n")
        #expect(try shell("\(program) /dev/stdout >file; echo x >>file; grep -c startedDateTime file") == "1\n")
        #expect(try shell("ln -s /dev/null null; \(program) null; test -L null && echo link") == "link\n")
        #expect(try shell("test -c /dev/null && echo device") == "device\n")
        #expect(
            try shell("ln -s target link; \(program) link; test -L link && grep -c startedDateTime target") == "1\n"
        )
        let refused = try shell("\(program) missing/file 2>&1; echo $?")
        #expect(refused.hasSuffix("/missing/file cannot be written: No such file or directory.\n1\n"), "\(refused)")
    }

    @Test("The link of a session file stays, and its target is replaced")
    func linkedSession() async throws {
        let script = "ln -s real.json link.json; '\(CommandRun.program.path)' -I -q --session=./link.json"
        #expect(try shell("\(script) '\(address("/get"))' X-A:1; test -L link.json && grep -c X-A real.json") == "1\n")
    }

    @Test("The program asks for a password, and does not echo it")
    func password() async throws {
        let terminal = try PseudoTerminal()
        let run = try terminal.start(["-a", "ada", "-b", address("/basic-auth/ada/s3cret")], in: folder.url)
        _ = await terminal.read(until: "password for ada@127.0.0.1")
        try terminal.type("s3cret\n")
        let text = await terminal.read()
        #expect(await run.wait() == 0)
        #expect(!text.contains("s3cret") && text.contains("authenticated"))
    }

    @Test("Ctrl-C ends a transfer with the status 130, and keeps the downloaded part")
    func interruption() async throws {
        let gate = LoopbackServer.Gate()
        defer { gate.open() }
        server.route("/held", .text("").held(until: gate))
        let terminal = try PseudoTerminal()
        let run = try terminal.start([address("/held")], in: folder.url)
        try await server.waitForRequests(1)
        run.process.interrupt()
        #expect(await run.wait() == 130)
        _ = await terminal.read()
        let prompting = try PseudoTerminal()
        let asking = try prompting.start(["-a", "ada", address("/get")], in: folder.url)
        _ = await prompting.read(until: "password")
        asking.process.interrupt()
        #expect(await asking.wait() == 130)
    }

    @Test("On a terminal, a download shows its progress, and its file has the server's name")
    func progress() async throws {
        let bytes = Data(repeating: 7, count: 100_000)
        server.route("/x", .data(bytes).adding("Content-Disposition", "attachment; filename=\"../.\u{85}evil.bin\""))
        let (text, status) = try await show(["-d", address("/x")])
        #expect(status == 0)
        #expect(text.contains("100%") && text.contains("Done: 100000 bytes"))
        let names = try folder.visibleNames()
        let name = try #require(names.first)
        #expect(names.count == 1 && name.hasSuffix("evil.bin"))
        #expect(try Data(contentsOf: folder.url.appendingPathComponent(name)) == bytes)
        _ = try await show(["-d", address("/x")])
        #expect(try folder.visibleNames() == [name, name + "-1"])
    }

    @Test(
        "Without a server's name, a download has the URL's name, and never that of an option",
        arguments: [
            ("/a/disk.iso?x=y", "inline", "disk.iso"), ("/a", "attachment; filename*=UTF-8''%2Drf", "_rf"),
            ("/--help", "attachment; filename=a b", "__help"), ("/", "inline", "index"),
        ]
    )
    func downloadName(path: String, field: String, name: String) async throws {
        server.route("*", .text("content").adding("Content-Disposition", field))
        let (_, status) = try await show(["-d", address(path)])
        #expect(status == 0)
        #expect(try folder.visibleNames() == [name])
    }

    @Test("If the reader of the output ends early, the program ends silently")
    func closedPipe() async throws {
        server.route("/long", .stream([.repeated([.text(String(repeating: "line\n", count: 1000))], times: 20_000)]))
        let script = "'\(CommandRun.program.path)' -I '\(address("/long"))' 2>errors | head -n 1; echo ${PIPESTATUS[0]}"
        let result = try shell(script)
        #expect(result == "line\n0\n")
        #expect(FileManager.default.contents(atPath: folder.url.appendingPathComponent("errors").path) == Data())
    }

    @Test("A closed standard output is an error, and its descriptor is not reused for a connection")
    func closedOutput() async throws {
        let result = try shell("'\(CommandRun.program.path)' -I '\(address("/get"))' 2>errors >&-; echo $?")
        #expect(result == "1\n")
        let errors = FileManager.default.contents(atPath: folder.url.appendingPathComponent("errors").path)
        #expect(
            String(decoding: errors ?? Data(), as: UTF8.self).hasPrefix(
                "larkspur: error: The output could not be written"
            )
        )
        #expect(try shell("'\(CommandRun.program.path)' -b '\(address("/get"))' <&- | grep -c url") == "1\n")
        #expect(try shell("'\(CommandRun.program.path)' --nonsense 2>&-; echo $?") == "1\n")
        #expect(try shell("'\(CommandRun.program.path)' -I '\(address("/get"))' 2>errors >/dev/full; echo $?") == "1\n")
    }

    @Test("An argument that is not valid text is an error")
    func invalidArgument() throws {
        #expect(
            try shell("'\(CommandRun.program.path)' $'\\xff' 2>&1; echo $?")
                == "larkspur: error: The argument 1 is no text in UTF-8.\n1\n"
        )
    }

    @Test("A body of 400 MiB is printed, and is not stored in memory")
    func memory() async throws {
        server.route("/huge", .stream([.repeated([.text(String(repeating: "x", count: 1 << 20))], times: 400)]))
        // The limit of data in kilobytes, far below the length of the body.
        let script = "ulimit -d 262144; '\(CommandRun.program.path)' -I '\(address("/huge"))' | wc -c"
        #expect(try shell(script) == "\(400 << 20)\n")
    }

    /// Runs a script in bash, in the folder, and returns its output.
    private func shell(_ script: String) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["--norc", "-c", script]
        process.currentDirectoryURL = folder.url
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
