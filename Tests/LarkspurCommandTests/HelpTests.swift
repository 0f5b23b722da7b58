import Foundation
import Testing

@testable import LarkspurCommand

@Suite("Help and completions")
struct HelpTests {
    @Test("Every group of the help fits on a screen", arguments: Option.Group.allCases)
    func screens(group: Option.Group) {
        let lines = HelpText.section(group).split(separator: "\n", omittingEmptySubsequences: false)
        #expect((3...24).contains(lines.count))
        #expect(lines.allSatisfy { $0.count < 100 })
    }

    @Test("The help has every option once")
    func complete() {
        let text = HelpText.text
        for option in OptionTable.all {
            #expect(text.components(separatedBy: "  \(option.synopsis)  ").count == 2, "\(option.synopsis)")
        }
    }

    @Test("Completions know every option and its choices", arguments: Invocation.Shell.allCases)
    func completions(shell: Invocation.Shell) {
        let script = CompletionScript.text(for: shell)
        for option in OptionTable.all {
            #expect(script.contains("--\(option.name)"))
            #expect(option.choices.isEmpty || script.contains(option.choices.joined(separator: " ")))
        }
    }

    @Test("bash reads its completion, and completes")
    func bash() throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        let script =
            CompletionScript.text(for: .bash) + """
                COMP_WORDS=(larkspur --pretty a); COMP_CWORD=2; _larkspur; echo "${COMPREPLY[@]}"
                COMP_WORDS=(larkspur --time); COMP_CWORD=1; _larkspur; echo "${COMPREPLY[@]}"
                """
        process.arguments = ["--norc", "-c", script]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text == "all\n--timeout\n")
    }

    @Test("The guide has the table of options")
    func guide() throws {
        let guide = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Docs/CommandLine.md")
        let text = try String(contentsOf: guide, encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `--") && !$0.contains("SERVER") }.map(
            String.init
        )
        #expect(rows == OptionTable.all.map { "| `\($0.synopsis)` | \($0.help) |" })
    }
}
