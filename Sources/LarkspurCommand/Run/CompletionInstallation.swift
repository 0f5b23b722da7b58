import HTTPSyntax
import Larkspur

/// The installation of a completion script in a folder of the user.
struct CompletionInstallation {
    let path: String
    private let shell: Invocation.Shell

    init(_ shell: Invocation.Shell, environment: [String: String]) {
        self.shell = shell
        let data = SettingsFolder.base("XDG_DATA_HOME", "~/.local/share", in: environment)
        path =
            switch shell {
            case .bash:
                SettingsFolder.base("BASH_COMPLETION_USER_DIR", data + "/bash-completion", in: environment)
                    + "/completions/larkspur"
            case .zsh: data + "/zsh/site-functions/_larkspur"
            case .fish:
                SettingsFolder.base("XDG_CONFIG_HOME", "~/.config", in: environment)
                    + "/fish/completions/larkspur.fish"
            }
    }

    /// Writes the script. A file that is no such script stays, and is an error.
    /// - Returns: The lines for the user: the path, and the step that remains.
    func run() throws(UsageError) -> String {
        let script = Data(CompletionScript.text(for: shell).utf8)
        let existing = FileManager.default.contents(atPath: path)
        if let existing, existing != script {
            guard String(decoding: existing, as: UTF8.self).holds(CompletionScript.mark) else {
                throw UsageError("\(path) exists, and is not from larkspur: remove it first.")
            }
        }
        guard existing != script else { return "\(path) is up to date.\n" + advice }
        let folder = NSString(string: path).deletingLastPathComponent
        // If this fails, creating the file fails too and reports it.
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        do {
            try PrivateFile.write(script, to: URL(fileURLWithPath: path))
        } catch {
            throw UsageError("\(path) cannot be written: \(Sink.reason(of: error)).")
        }
        return "\(path) was \(existing == nil ? "written" : "replaced").\n" + advice
    }

    private var advice: String {
        switch shell {
        case .bash: "New shells load it if the package bash-completion is installed.\n"
        case .zsh:
            """
            Add this line to ~/.zshrc, before compinit:
            fpath=(\(NSString(string: path).deletingLastPathComponent) $fpath)

            """
        case .fish: "New shells load it.\n"
        }
    }
}
