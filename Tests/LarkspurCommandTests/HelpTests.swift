import Foundation
import TestSupport
import Testing

@testable import LarkspurCommand

@Suite("Help and completions")
struct HelpTests {
    @Test("Every group of the help fits on one screen", arguments: Option.Group.allCases)
    func screens(group: Option.Group) {
        let lines = HelpText.section(group).split(separator: "\n", omittingEmptySubsequences: false)
        #expect((3...24).contains(lines.count))
        #expect(lines.allSatisfy { $0.count < 100 })
    }

    @Test("The help lists every option once")
    func complete() {
        let text = HelpText.text
        for option in OptionTable.all {
            #expect(text.components(separatedBy: "  \(option.synopsis)  ").count == 2, "\(option.synopsis)")
        }
    }

    @Test("The completions contain every option and its choices", arguments: Invocation.Shell.allCases)
    func completions(shell: Invocation.Shell) {
        let script = CompletionScript.text(for: shell)
        for option in OptionTable.all {
            #expect(script.contains(shell == .fish ? " -l \(option.name) " : "--\(option.name)"))
            #expect(option.choices.isEmpty || script.contains(option.choices.joined(separator: " ")))
        }
    }

    @Test("bash loads its completion script, and completes options")
    func bash() throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        let script =
            CompletionScript.text(for: .bash) + """
                COMP_WORDS=(larkspur --pretty a); COMP_CWORD=2; _larkspur; echo "${COMPREPLY[@]}"
                COMP_WORDS=(larkspur --time); COMP_CWORD=1; _larkspur; echo "${COMPREPLY[@]}"
                COMP_WORDS=(larkspur --pretty =); COMP_CWORD=2; _larkspur; echo "${COMPREPLY[@]}"
                COMP_WORDS=(larkspur --pretty = co); COMP_CWORD=3; _larkspur; echo "${COMPREPLY[@]}"
                COMP_WORDS=(larkspur --pretty=co); COMP_CWORD=1; _larkspur; echo "${COMPREPLY[@]}"
                COMP_WORDS=(larkspur GET --output = /etc/passw); COMP_CWORD=4; _larkspur; echo "${COMPREPLY[@]}"
                """
        process.arguments = ["--norc", "-c", script]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let paths = "/etc/passwd"
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.prefix(5) == ["all", "--timeout", "all colors format none", "colors", "--pretty=colors"])
        #expect(lines.last?.hasPrefix(paths) == true)
    }

    @Test("In a terminal, bash completes an option with an equals sign")
    func interactive() async throws {
        let folder = TemporaryFolder()
        let script = try folder.file("completion", Data(CompletionScript.text(for: .bash).utf8))
        let terminal = try PseudoTerminal()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["--rcfile", script.path, "--noprofile", "-i"]
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.url.path, "TERM": "dumb", "PS1": "$ "]
        process.standardInput = terminal.slave
        process.standardOutput = terminal.slave
        process.standardError = terminal.slave
        try process.run()
        try terminal.slave.close()
        try terminal.type("larkspur() { echo \"<$1>\"; }\nlarkspur --pretty=co\t\nexit\n")
        let text = await terminal.read(until: "<--pretty=colors>")
        #expect(text.contains("<--pretty=colors>"), "\(text)")
        process.terminate()
        process.waitUntilExit()
    }

    @Test("The guide names every option, in the groups of the help, and no other")
    func guide() throws {
        let text = try page("CommandLine.md")
        for group in Option.Group.allCases {
            let names = OptionTable.all.filter { $0.group == group }.map { "`--\($0.name)`" }
            #expect(text.contains("\n- \(group.rawValue): \(names.joined(separator: ", "))\n"), "\(group)")
        }
        // Options of HTTPie that the guide says do not exist.
        let missing: Set = ["style", "format-options", "ssl", "ciphers", "path-as-is", "no-retry"]
        let named = Set(text.matches(of: /`--([a-z0-9-]+)/).map { String($0.output.1) })
        #expect(named.subtracting(missing).isSubset(of: OptionTable.all.map(\.name)))
    }

    @Test("The version is the first released one of the changelog")
    func version() throws {
        let version = try page("Changelog.md").firstMatch(of: /\n## (\d+\.\d+\.\d+) \(\d/).map { String($0.output.1) }
        #expect(version == LarkspurCommand.version)
    }

    /// Reads a page of `Docs/`.
    private func page(_ name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("Docs/\(name)"), encoding: .utf8)
    }
}
