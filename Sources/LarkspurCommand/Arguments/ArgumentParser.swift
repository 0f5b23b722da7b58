import HTTPSyntax

/// A parser of the program's arguments.
///
/// Options and other arguments may be mixed. After `--` there are no options. Options of one letter may share a dash,
/// and the last of them may be followed by its argument: `-fvo file`, `-fvofile`. `--no-NAME` undoes the option with
/// that name.
///
/// The parser is written by hand, because Larkspur depends on no package, and HTTPie's arguments follow no common
/// grammar.
struct ArgumentParser {
    private var invocation = Invocation()
    /// The options, in the order of the arguments.
    private var changes: [OptionChange] = []
    private var words: [String] = []
    /// The positions of the words among the arguments.
    private var positions: [Int] = []
    private var rest: ArraySlice<String>
    private var secrets: [SecretArgument] = []

    private let arguments: [String]

    private init(_ arguments: [String]) {
        self.arguments = arguments
        rest = arguments[...]
    }

    /// Parses arguments, without the name of the program.
    /// - Parameters:
    ///   - arguments: The arguments of the command line.
    ///   - configuration: Returns the file with default options; nil if there is none. Only called for requests.
    static func parse(
        _ arguments: [String],
        configuration: () throws(UsageError) -> ConfigurationFile? = { () throws(UsageError) -> ConfigurationFile? in
            nil
        }
    ) throws(UsageError) -> Invocation {
        var parser = ArgumentParser(arguments)
        try parser.readArguments()
        // An error of the command line is reported before an error of the file.
        parser.invocation = try OptionChange.invocation(after: parser.changes)
        if parser.invocation.mode == .request, !parser.invocation.ignoresConfiguration, parser.words != ["doctor"],
            let file = try configuration()
        {
            parser.invocation = try OptionChange.invocation(after: try defaults(of: file) + parser.changes)
        }
        try parser.readWords()
        try parser.invocation.validate()
        return parser.invocation
    }

    /// Returns the parts of arguments that the list of processes must not show: credentials, the user information of
    /// URLs, and the values of items that are named like secrets. If the arguments are invalid, these are the parts
    /// before the error.
    static func secrets(in arguments: [String]) -> [SecretArgument] {
        var parser = ArgumentParser(arguments)
        try? parser.readArguments()
        parser.noteSecretWords()
        return parser.secrets
    }

    /// Returns the options of a configuration file.
    private static func defaults(of file: ConfigurationFile) throws(UsageError) -> [OptionChange] {
        var parser = ArgumentParser(file.arguments)
        do throws(UsageError) {
            try parser.readArguments()
        } catch {
            throw file.failure(error.message, ofArgument: parser.rest.startIndex - 1)
        }
        if let word = parser.words.first, let position = parser.positions.first {
            throw file.failure("“\(word)” is no option.", ofArgument: position)
        }
        for index in parser.changes.indices {
            let change = parser.changes[index]
            guard change.option.group != .program else {
                throw file.failure(
                    "--\(change.option.name) goes only on the command line.",
                    ofArgument: change.position
                )
            }
            parser.changes[index].file = file
        }
        return parser.changes
    }

    private mutating func readArguments() throws(UsageError) {
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                positions += rest.indices
                rest = rest[rest.endIndex...]
            } else if argument.begins(with: "--") {
                try readLongOption(Substring(argument.utf8.dropFirst(2)))
            } else if argument.begins(with: "-"), argument.utf8.count > 1 {
                try readLetters(argument.unicodeScalars.dropFirst())
            } else {
                words.append(argument)
                positions.append(rest.startIndex - 1)
            }
        }
    }

    /// Records the secret of an option's argument, which is at the end of the last argument that was read.
    private mutating func noteSecret(of option: Option, _ value: String) {
        let index = rest.startIndex - 1
        let offset = arguments[index].utf8.count - value.utf8.count
        switch option.secret {
        case .none: break
        case .all: secrets.append(SecretArgument(index: index, bytes: offset..<offset + value.utf8.count))
        case .userInformation:
            guard let range = TargetURL.userInformation(in: value) else { break }
            secrets.append(SecretArgument(index: index, bytes: offset + range.lowerBound..<offset + range.upperBound))
        }
    }

    private mutating func readLongOption(_ text: Substring) throws(UsageError) {
        let name = String(text.before("="))
        let value = (text.cut(at: "=")?.after).map(String.init)
        guard let option = OptionTable.all.first(where: { $0.name == name }) else {
            guard name.begins(with: "no-"), let undone = OptionTable.all.first(where: { "no-" + $0.name == name })
            else {
                throw Self.unknown("--\(name)")
            }
            guard value == nil else { throw UsageError("--\(name) has no argument.") }
            return note(undone, .undone)
        }
        switch option.action {
        case .flag:
            guard value == nil else { throw UsageError("--\(name) has no argument.") }
            note(option, .flag)
        case .value:
            let argument = if let value { value } else { try argument(of: "--\(name)") }
            noteSecret(of: option, argument)
            note(option, .value(argument))
        }
    }

    private mutating func note(_ option: Option, _ use: OptionChange.Use) {
        changes.append(OptionChange(option: option, use: use, position: rest.startIndex - 1))
    }

    /// Reads options of one letter. They are scalars and not characters, because an accent at the start of a value
    /// would make one character with the letter.
    private mutating func readLetters(_ text: Substring.UnicodeScalarView) throws(UsageError) {
        var letters = text
        while let letter = letters.popFirst() {
            guard let option = OptionTable.all.first(where: { $0.letter == Character(letter) }) else {
                throw Self.unknown("-\(letter)")
            }
            switch option.action {
            case .flag: note(option, .flag)
            case .value:
                let value = letters.isEmpty ? try argument(of: "-\(letter)") : String(letters)
                letters = Substring().unicodeScalars
                noteSecret(of: option, value)
                note(option, .value(value))
            }
        }
    }

    private mutating func noteSecretWords() {
        let hasMethod = words.count > 1 && (words.first == "ws" || words.first.map(Self.isMethod) == true)
        let items = (hasMethod ? 1 : 0) + 1
        for (number, (word, index)) in zip(words, positions).enumerated() {
            let bytes = number < items ? TargetURL.userInformation(in: word) : RequestItem.secret(in: word)
            if let bytes { secrets.append(SecretArgument(index: index, bytes: bytes)) }
        }
    }

    private static func unknown(_ option: String) -> UsageError {
        guard let hint = CurlOptions.hints[option] else {
            return UsageError("There is no option \(option); see larkspur --help.")
        }
        return UsageError("There is no option \(option); instead of curl's, write \(hint).")
    }

    private mutating func argument(of option: String) throws(UsageError) -> String {
        guard let argument = rest.popFirst() else { throw UsageError("\(option) needs an argument.") }
        return argument
    }

    /// Reads the arguments that are not options: `[METHOD] URL [ITEM…]`, `ws URL [ITEM…]`, or `doctor`.
    private mutating func readWords() throws(UsageError) {
        guard case .request = invocation.mode else { return }
        if words == ["doctor"] { return invocation.mode = .doctor }
        var words = words[...]
        if words.first == "ws", words.count > 1 {
            words.removeFirst()
            invocation.mode = .webSocket
        } else if words.count > 1, let first = words.first, Self.isMethod(first) {
            words.removeFirst()
            invocation.request.method = first.uppercased()
        }
        guard let url = words.popFirst() else { throw UsageError("A URL is needed; see larkspur --help.") }
        invocation.request.url = url
        for word in words { invocation.request.items.append(try RequestItem(parsing: word)) }
    }

    /// Whether a word before other words is a method and not a URL. `localhost` is excluded, because it has only
    /// letters, as a method does.
    private static func isMethod(_ word: String) -> Bool {
        word.lowercased() != "localhost" && word.allSatisfy { $0.isASCII && $0.isLetter }
    }
}

/// A part of an argument that the list of processes must not show.
struct SecretArgument: Equatable {
    /// The position of the argument. The name of the program does not count.
    let index: Int
    /// The positions of the bytes in the argument.
    let bytes: Range<Int>
}

/// An error in the command line's arguments, or in a file that they name.
struct UsageError: Error, Equatable {
    /// One sentence without a final line break.
    let message: String

    init(_ message: String) { self.message = message }
}
