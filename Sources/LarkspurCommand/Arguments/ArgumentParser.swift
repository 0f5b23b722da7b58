import HTTPSyntax

/// A parser of the program's arguments.
///
/// Options and other arguments may be mixed. After `--` there are no options. Options of one letter may share a dash,
/// and the last of them may be followed by its argument: `-fvo file`, `-fvofile`.
///
/// The parser is written by hand, because Larkspur depends on no package, and HTTPie's arguments follow no common
/// grammar.
struct ArgumentParser {
    private var invocation = Invocation()
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
    static func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
        var parser = ArgumentParser(arguments)
        try parser.readArguments()
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
            throw Self.unknown("--\(name)")
        }
        switch option.action {
        case .flag(let set):
            guard value == nil else { throw UsageError("--\(name) has no argument.") }
            set(&invocation)
        case .value(_, _, let set):
            let argument = if let value { value } else { try argument(of: "--\(name)") }
            noteSecret(of: option, argument)
            try set(&invocation, argument)
        }
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
            case .flag(let set): set(&invocation)
            case .value(_, _, let set):
                let value = letters.isEmpty ? try argument(of: "-\(letter)") : String(letters)
                letters = Substring().unicodeScalars
                noteSecret(of: option, value)
                try set(&invocation, value)
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

extension Invocation {
    /// Checks that the options can be combined.
    fileprivate func validate() throws(UsageError) {
        guard mode == .request || mode == .webSocket else { return }
        if download.continues, !download.isRequested { throw UsageError("--continue goes only with --download.") }
        if download.continues, output.file == nil { throw UsageError("--continue needs --output.") }
        if request.compression != nil, request.isChunked {
            throw UsageError("--compress and --chunked do not go together.")
        }
        if request.compression != nil, request.contentKind == .multipart {
            throw UsageError("--compress and --multipart do not go together.")
        }
        if request.raw != nil, request.hasDataItems { throw Self.mixedBody }
        if network.keyFile != nil, network.certificateFile == nil { throw UsageError("--cert-key needs --cert.") }
        if credentials.scheme != nil, credentials.text == nil { throw UsageError("--auth-type needs --auth.") }
        if streams.repetitions != nil, download.isRequested || streams.receivesEvents {
            throw UsageError("--repeat goes neither with --download nor with --events.")
        }
        if streams.repetitions == nil, streams.parallelism > 1 { throw UsageError("--parallel needs --repeat.") }
        if mode == .webSocket, request.hasDataItems || request.raw != nil {
            throw UsageError("A WebSocket has no request body; its messages are the lines of standard input.")
        }
        let files = request.items.filter { $0.kind == .file }
        if request.contentKind != .form, request.contentKind != .multipart, !files.isEmpty {
            guard files.allSatisfy({ $0.name.isEmpty }) else {
                throw UsageError("A file as a field goes only with --form or --multipart.")
            }
            guard files.count == 1, request.items.count(where: { $0.kind.isData }) == 1 else { throw Self.mixedBody }
        }
    }

    /// The error for more than one source of the body.
    static let mixedBody = UsageError(
        "The body is either data items, or --raw, or a file, or standard input; --ignore-stdin leaves the last one out."
    )
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
