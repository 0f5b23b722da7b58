import Foundation
import TestSupport
import Testing

@testable import LarkspurCommand

@Suite("Installed completions", .timeLimit(.minutes(5)))
struct CompletionInstallationTests {
    let folder = TemporaryFolder()

    private static let places: [(Invocation.Shell, String)] = [
        (.bash, ".local/share/bash-completion/completions/larkspur"),
        (.zsh, ".local/share/zsh/site-functions/_larkspur"), (.fish, ".config/fish/completions/larkspur.fish"),
    ]

    @Test(
        "A script is written to the folder of its shell, and replaces only a script of the program",
        arguments: places
    )
    func install(shell: Invocation.Shell, place: String) async throws {
        let file = folder.url.appendingPathComponent(place)
        let arguments = ["--install-completion=\(shell.rawValue)"]
        let script = Data(CompletionScript.text(for: shell).utf8)

        let first = try await CommandRun.run(arguments, in: folder.url)
        #expect(first.status == 0 && first.text.hasPrefix("\(file.path) was written.\n"), "\(first.errors)")
        #expect(try Data(contentsOf: file) == script)
        let second = try await CommandRun.run(arguments, in: folder.url)
        #expect(second.status == 0 && second.text.hasPrefix("\(file.path) is up to date.\n"))
        try (script + Data("# older\n".utf8)).write(to: file)
        let third = try await CommandRun.run(arguments, in: folder.url)
        #expect(third.status == 0 && third.text.hasPrefix("\(file.path) was replaced.\n"))
        #expect(try Data(contentsOf: file) == script)
        // No other file is overwritten.
        try Data("mine".utf8).write(to: file)
        let other = try await CommandRun.run(arguments, in: folder.url)
        #expect(other.status == 1 && other.errors.contains("\(file.path) exists"), "\(other.errors)")
        #expect(try Data(contentsOf: file) == Data("mine".utf8))
    }

    @Test("For zsh, the line that adds the folder to fpath is printed")
    func zsh() async throws {
        let result = try await CommandRun.run(["--install-completion", "zsh"], in: folder.url)
        #expect(result.text.contains("\nfpath=(\(folder.url.path)/.local/share/zsh/site-functions $fpath)\n"))
    }

    @Test("The variables of the base folders are used")
    func variables() {
        let base = ["HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c"]
        func path(_ shell: Invocation.Shell, _ environment: [String: String]) -> String {
            CompletionInstallation(shell, environment: environment).path
        }
        #expect(path(.bash, base) == "/d/bash-completion/completions/larkspur")
        #expect(path(.bash, base.merging(["BASH_COMPLETION_USER_DIR": "/b"]) { $1 }) == "/b/completions/larkspur")
        #expect(path(.zsh, base) == "/d/zsh/site-functions/_larkspur")
        #expect(path(.fish, base) == "/c/fish/completions/larkspur.fish")
    }

    @Test("A folder that cannot be made is an error with its path")
    func unwritable() async throws {
        _ = try folder.file(".local", Data())
        let result = try await CommandRun.run(["--install-completion=zsh"], in: folder.url)
        #expect(result.status == 1 && result.errors.contains("_larkspur cannot be written: "), "\(result.errors)")
    }

    @Test("The script for fish has the letters, arguments and choices of the options")
    func fish() {
        let script = CompletionScript.text(for: .fish)
        #expect(script.hasPrefix("# Completion of larkspur for fish: "))
        for line in [
            "complete -c larkspur -l ipv4 -s 4 -d 'Connects only to IPv4 addresses.'",
            "complete -c larkspur -l http-version -x -a '1.1 2 3' -d 'The highest version of HTTP. Default: 2.'",
            "complete -c larkspur -l output -s o -r -d 'Writes to a file.'",
            #"complete -c larkspur -l headers -s h -d 'Prints the response\'s head: --print=h.'"#,
        ] {
            #expect(script.contains("\n\(line)\n"), "\(line)")
        }
        #expect(script.hasSuffix(".'\n"))
    }
}
