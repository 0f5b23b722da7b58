import HTTPSyntax
import Larkspur

/// A path from the command line.
enum UserPath {
    /// Returns the path with the user's home in place of a leading `~`. The shell does not replace the tilde in
    /// `name@~/file` and `--option=~/file`.
    static func expanded(
        _ path: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String {
        guard path == "~" || path.begins(with: "~/") else { return path }
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
        return home + path.dropFirst()
    }
}
