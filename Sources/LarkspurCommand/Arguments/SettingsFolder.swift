import HTTPSyntax
import Larkspur

/// The folder with the user's settings and sessions.
enum SettingsFolder {
    /// Returns the path of the folder: the one that `LARKSPUR_CONFIG_DIR` names, otherwise `larkspur` below
    /// `XDG_CONFIG_HOME`, otherwise `~/.config/larkspur`.
    static func path(in environment: [String: String]) -> String {
        if let own = environment["LARKSPUR_CONFIG_DIR"], !own.isEmpty {
            return UserPath.expanded(own, environment: environment)
        }
        return base("XDG_CONFIG_HOME", "~/.config", in: environment) + "/larkspur"
    }

    /// Returns the path of a base folder (XDG Base Directory Specification): the one that a variable names, otherwise
    /// the default. As the specification requires, a relative path is ignored.
    static func base(_ variable: String, _ standard: String, in environment: [String: String]) -> String {
        environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? UserPath.expanded(standard, environment: environment)
    }
}
