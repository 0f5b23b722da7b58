import HTTPSyntax

/// An option of the command line. One table of options serves the parser, the help, the completions and the guide.
struct Option: Sendable {
    /// The section of the help in which the option is listed.
    enum Group: String, CaseIterable, Sendable {
        case request = "Request"
        case output = "Output"
        case download = "Downloads"
        case credentials = "Sessions and credentials"
        case network = "Network"
        case streams = "Repetition and streams"
        case program = "Program"
    }

    /// The effect of the option on the invocation.
    enum Action: Sendable {
        case flag(@Sendable (inout Invocation) -> Void)
        /// An option with an argument: the argument's name in the help, and the words that a completion offers.
        case value(String, choices: [String] = [], @Sendable (inout Invocation, String) throws(UsageError) -> Void)
    }

    /// The part of the argument that the list of processes must not show.
    enum Secret: Sendable {
        case none
        case all
        /// The user and the password of a URL.
        case userInformation
    }

    let name: String
    let letter: Character?
    let group: Group
    let help: String
    let secret: Secret
    let action: Action

    init(
        _ name: String,
        letter: Character? = nil,
        _ group: Group,
        _ help: String,
        secret: Secret = .none,
        _ action: Action
    ) {
        self.name = name
        self.letter = letter
        self.group = group
        self.help = help
        self.secret = secret
        self.action = action
    }

    /// The name of the argument; nil for an option that takes none.
    var argument: String? { if case .value(let argument, _, _) = action { argument } else { nil } }

    /// The only words that are allowed as the argument; empty if every word is allowed.
    var choices: [String] { if case .value(_, let choices, _) = action { choices } else { [] } }

    /// The option in the form of the help and the guide, such as `--output, -o FILE`.
    var synopsis: String { "--\(name)" + (letter.map { ", -\($0)" } ?? "") + (argument.map { " \($0)" } ?? "") }

    /// Returns the case of an enumeration with a raw value.
    static func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String,
        of name: String,
        _ type: Choice.Type = Choice.self
    ) throws(UsageError) -> Choice where Choice.RawValue == String {
        if let choice = Choice(rawValue: text) { return choice }
        let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("--\(name): “\(text)” is not possible; choose one of \(choices).")
    }

    /// Returns a number of seconds; nil for 0, which means that there is no limit, or the default.
    static func seconds(_ text: String, of name: String) throws(UsageError) -> Double? {
        guard let seconds = Double(text), seconds >= 0, seconds.isFinite else {
            throw UsageError("--\(name): “\(text)” is no number of seconds.")
        }
        return seconds > 0 ? seconds : nil
    }

    /// Returns a whole number that is not below a minimum.
    static func number(_ text: String, of name: String, from minimum: Int) throws(UsageError) -> Int {
        guard let number = Int(text), number >= minimum else {
            throw UsageError("--\(name): “\(text)” is no whole number from \(minimum) on.")
        }
        return number
    }
}
