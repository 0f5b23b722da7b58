import Foundation
import Larkspur
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurCommand

@Suite("The configuration file", .timeLimit(.minutes(5)))
struct ConfigurationTests {
    let folder = TemporaryFolder()

    /// Parses a command line after a file with default options.
    private func parse(_ defaults: [String], _ arguments: [String]) throws(UsageError) -> Invocation {
        let content: Data
        do {
            content = try JSONEncoder().encode(["default_options": defaults])
        } catch {
            throw UsageError("\(error)")
        }
        let file = try ConfigurationFile(Array(content), path: "c.json")
        return try ArgumentParser.parse(arguments) { () throws(UsageError) in file }
    }

    private func parse(_ defaults: [String], _ arguments: String) throws(UsageError) -> Invocation {
        try parse(defaults, arguments.split(separator: " ").map(String.init))
    }

    @Test("Each option has the same effect in the file and on the command line, and --no- undoes both")
    func everyOption() throws {
        let plain = try ArgumentParser.parse([":1"])
        for option in OptionTable.all where option.group != .program {
            let values = [
                "print": "h", "response-charset": "koi8-r", "resolve": "a.test:1:192.0.2.1", "aws-sigv4": "aws:amz:r:s",
            ]
            let value = option.argument == nil ? "" : "=\(values[option.name] ?? option.choices.last ?? "7")"
            let argument = "--\(option.name)\(value)"
            // Some options need another one.
            let needed = [
                "cert-key": ["--cert=7"], "auth-type": ["--auth=7"], "continue": ["--download", "--output=7"],
                "parallel": ["--repeat=7"], "retry-delay": ["--retry=7"], "retry-max-time": ["--retry=7"],
            ]
            let others = needed[option.name] ?? []
            let expected = try ArgumentParser.parse(others + [argument, ":1"])
            #expect(try parse(others + [argument], [":1"]) == expected, "\(argument)")
            #expect(expected != plain)
            let undone = try ArgumentParser.parse(others + [":1"])
            #expect(try parse(others + [argument], ["--no-\(option.name)", ":1"]) == undone, "\(argument)")
            #expect(try ArgumentParser.parse(others + [argument, "--no-\(option.name)", ":1"]) == undone)
        }
    }

    @Test("The command line takes precedence over the file")
    func precedence() throws {
        let defaults = ["--timeout", "3", "-fv", "--session=me", "--resolve=a.test:1:192.0.2.1"]
        let invocation = try parse(defaults, "-v --json --timeout=5 --resolve=b.test:1:192.0.2.1 :1")
        #expect(invocation.network.timeout == 5 && invocation.request.contentKind == .json)
        #expect(invocation.output.verbosity == 2 && invocation.credentials.session == "me")
        #expect(invocation.network.hostAddresses.map(\.host) == ["a.test", "b.test"])
        // An option that is undone can be given again, and its value is not read before.
        #expect(try parse(["--timeout=x"], "--no-timeout --timeout=5 :1").network.timeout == 5)
        #expect(try parse(["-6"], "-4 :1").network.family == .ipv4)
        #expect(try parse(["--chunked"], "--no-chunked --compress :1").request.compression == .gzip)
        #expect(throws: UsageError.self) { try parse(["--chunked"], "--compress :1") }
        #expect(throws: UsageError.self) { try parse([], "--no-timeout=3 :1") }
        #expect(throws: UsageError.self) { try parse([], "--no-nonsense :1") }
    }

    @Test(
        "The file is read only for requests, and not with --ignore-config",
        arguments: [
            ("--help", false), ("--version", false), ("--completion zsh", false), ("--install-completion zsh", false),
            ("doctor", false), ("--ignore-config :1", false), (":1", true), ("ws :1", true), ("GET doctor", true),
        ]
    )
    func use(arguments: String, isRead: Bool) throws {
        var wasRead = false
        _ = try ArgumentParser.parse(arguments.split(separator: " ").map(String.init)) { () throws(UsageError) in
            wasRead = true
            return nil
        }
        #expect(wasRead == isRead)
    }

    @Test(
        "An error in the file names the path, the line and the reason",
        arguments: [
            ("{\n  \"default_options\": [\"--form\",\n  ]\n}", 3, "no JSON"), ("", 1, "no JSON"),
            ("\n[]", 2, "no JSON object"), ("{\n\"default_options\":\n3}", 3, "no array"),
            ("{\"default_options\": [\n\"-f\",\n3]}", 3, "no string"),
            ("{\n\"defaults\": []}", 2, "“defaults”"),
            ("{\"default_options\": [\n\"--form\",\n\"--nonsense\"\n]}", 3, "no option --nonsense"),
            ("{\"default_options\": [\n\"--form\",\n\"-L\"]}", 3, "--follow"),
            ("{\"default_options\": [\n\"--timeout=x\",\n\"-f\"]}", 2, "--timeout"),
            ("{\"default_options\": [\n\"--timeout\",\n\"x\"]}", 3, "--timeout"),
            ("{\"default_options\": [\n\"-f\",\n\"--timeout\"]}", 3, "needs an argument"),
            ("{\"default_options\": [\n\"-f\",\n\"https://a.test\"]}", 3, "“https://a.test” is no option"),
            ("{\"default_options\": [\n\"--help\"]}", 2, "--help"),
            ("{\"default_options\": [\n\"--ignore-config\"]}", 2, "--ignore-config"),
            ("{\"default_options\": [\n\"--\", \"a\"]}", 2, "“a” is no option"),
        ]
    )
    func errors(content: String, line: Int, reason: String) {
        let error = #expect(throws: UsageError.self) {
            let file = try ConfigurationFile(Array(content.utf8), path: "/c.json")
            _ = try ArgumentParser.parse([":1"]) { () throws(UsageError) in file }
        }
        #expect(error?.message.hasPrefix("/c.json:\(line): ") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test("An error of the command line is reported before an error of the file")
    func order() throws {
        let error = #expect(throws: UsageError.self) { try parse(["--nonsense"], "--timeout=x :1") }
        #expect(error?.message.hasPrefix("--timeout") == true)
        // HTTPie writes this member.
        let file = try ConfigurationFile(Array(#"{"__meta__": {"about": "x"}, "default_options": []}"#.utf8), path: "")
        #expect(file.arguments.isEmpty)
    }

    @Test("The folder is that of LARKSPUR_CONFIG_DIR, or below XDG_CONFIG_HOME or the home")
    func place() throws {
        #expect(SettingsFolder.path(in: ["HOME": "/h"]) == "/h/.config/larkspur")
        #expect(SettingsFolder.path(in: ["HOME": "/h", "XDG_CONFIG_HOME": "/x"]) == "/x/larkspur")
        let own = ["HOME": "/h", "XDG_CONFIG_HOME": "/x", "LARKSPUR_CONFIG_DIR": "~/own"]
        #expect(SettingsFolder.path(in: own) == "/h/own")
        #expect(
            SettingsFolder.path(in: ["HOME": "/h", "XDG_CONFIG_HOME": "", "LARKSPUR_CONFIG_DIR": ""])
                == "/h/.config/larkspur"
        )
        let url = try #require(URL(string: "http://h.test/"))
        #expect(try SessionFile("ada", url: url, environment: own).path == "/h/own/sessions/http_h.test/ada.json")
    }

    // MARK: Runs of the program

    /// Writes the file to a folder with settings.
    private func write(_ content: String, to place: String = ".config/larkspur", mode: Int = 0o600) throws {
        let settings = folder.url.appendingPathComponent(place)
        try FileManager.default.createDirectory(at: settings, withIntermediateDirectories: true)
        let file = settings.appendingPathComponent("config.json").path
        try Data(content.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    }

    @Test("The program uses the default options of the file")
    func defaults() async throws {
        let server = try LoopbackServer()
        let address = "127.0.0.1:\(server.port)/r"
        server.route("/r", .text("later", status: 503), .text("done"))
        try write(#"{"default_options": ["--retry=3", "--retry-delay=0.001", "--print=hb"]}"#)
        let result = try await CommandRun.run([address], in: folder.url)
        #expect(result.text.hasPrefix("HTTP/1.1 200 OK\n") && result.text.hasSuffix("done"), "\(result.errors)")
        #expect(try await CommandRun.run(["--no-print", address], in: folder.url).text == "done")
        #expect(try await CommandRun.run(["--ignore-config", address], in: folder.url).text == "done")
        try write(#"{"default_options": ["-p=h"]}"#, to: "own")
        let own = ["LARKSPUR_CONFIG_DIR": folder.url.appendingPathComponent("own").path]
        let wrong = try await CommandRun.run([address], in: folder.url, environment: own)
        #expect(wrong.status == 1 && wrong.errors.contains("own/config.json:1: --print: "), "\(wrong.errors)")
        #expect(try await CommandRun.run(["--version"], in: folder.url, environment: own).status == 0)
    }

    @Test("Default options for addresses apply, and can be undone")
    func addresses() async throws {
        let server = try LoopbackServer()
        let entry = "--resolve=given.test:\(server.port):127.0.0.1"
        let url = "given.test:\(server.port)/get"
        try write("{\"default_options\": [\"\(entry)\", \"--ipv4\", \"--interface=127.0.0.1\"]}")
        #expect(try await CommandRun.run([url], in: folder.url).status == 0)
        let sixth = try await CommandRun.run(["-6", url], in: folder.url)
        #expect(sixth.errors.contains("No IPv6 address"), "\(sixth.errors)")
        try write("{\"default_options\": [\"\(entry)\", \"--unix-socket=none.sock\"]}")
        #expect(try await CommandRun.run([url], in: folder.url).errors.contains("none.sock"))
        #expect(try await CommandRun.run(["--no-unix-socket", url], in: folder.url).status == 0)
    }

    @Test("A file that other users can write, or that cannot be read, is an error", arguments: [0o620, 0o602, 0o666])
    func permissions(mode: Int) async throws {
        let server = try LoopbackServer()
        try write(#"{"default_options": []}"#, mode: mode)
        let result = try await CommandRun.run(["127.0.0.1:\(server.port)/get"], in: folder.url)
        #expect(result.status == 1 && result.errors.contains("config.json: other users can write"), "\(result.errors)")
        #expect(server.requests.isEmpty)
        let file = folder.url.appendingPathComponent(".config/larkspur/config.json")
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        let directory = try await CommandRun.run(["127.0.0.1:\(server.port)/get"], in: folder.url)
        #expect(directory.status == 1 && directory.errors.contains("config.json is no file"), "\(directory.errors)")
    }
}
