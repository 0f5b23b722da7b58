import HTTPSyntax

/// The scripts that complete command lines in a shell. They are created from the table of options.
enum CompletionScript {
    static func text(for shell: Invocation.Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    /// The beginning of a line that each script has. It tells whether a file is such a script.
    static let mark = "# Completion of larkspur for "

    private static var choiceOptions: [Option] { OptionTable.all.filter { !$0.choices.isEmpty } }
    private static var fileOptions: [Option] { OptionTable.all.filter { $0.argument == "FILE" } }

    private static var bash: String {
        let names = OptionTable.all.map { "--\($0.name)" }.joined(separator: " ")
        let choices = choiceOptions.map { option in
            let words = option.choices.joined(separator: " ")
            return
                "        \(pattern(option)) COMPREPLY=($(compgen -P \"$option\" -W \"\(words)\" -- \"$word\")); return ;;\n"
        }
        let files = fileOptions.map {
            "        \(pattern($0)) COMPREPLY=($(compgen -P \"$option\" -f -- \"$word\")); return ;;\n"
        }
        return """
            \(mark)bash: source <(larkspur --completion bash)
            _larkspur() {
                local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} option=
                # bash makes a word of the equals sign, unless COMP_WORDBREAKS lacks it.
                if [[ $word == = ]]; then
                    word=
                elif [[ $previous == = ]]; then
                    previous=${COMP_WORDS[COMP_CWORD-2]}
                elif [[ $word == --*=* ]]; then
                    option=${word%%=*}= previous=${word%%=*} word=${word#*=}
                fi
                case $previous in
            \((choices + files).joined())    esac
                if [[ $word == -* ]]; then
                    COMPREPLY=($(compgen -W "\(names)" -- "$word"))
                else
                    COMPREPLY=($(compgen -W "GET HEAD POST PUT PATCH DELETE OPTIONS ws" -- "$word") $(compgen -f -- "$word"))
                fi
            }
            complete -o default -F _larkspur larkspur

            """
    }

    private static func pattern(_ option: Option) -> String {
        "--\(option.name)\(option.letter.map { "|-\($0)" } ?? ""))"
    }

    private static var zsh: String {
        let options = OptionTable.all.map { option in
            let help = option.help.replacing("'", with: "'\\''").replacing("[", with: "\\[").replacing("]", with: "\\]")
                .replacing(":", with: "\\:")
            let argument = option.argument.map { ":\($0.lowercased()):\(values(of: option))" } ?? ""
            let names =
                option.letter.map { "{--\(option.name),-\($0)}'[\(help)]\(argument)'" }
                ?? "'--\(option.name)[\(help)]\(argument)'"
            return "    \(["verbose", "proxy", "resolve"].contains(option.name) ? "'*'" : "")\(names) \\\n"
        }
        return """
            #compdef larkspur
            \(mark)zsh: larkspur --completion zsh > a folder of $fpath/_larkspur
            _arguments -s \\
            \(options.joined())    '1:method or URL:(GET HEAD POST PUT PATCH DELETE OPTIONS ws)' \\
                '*:item:_files'

            """
    }

    private static func values(of option: Option) -> String {
        if !option.choices.isEmpty { return "(\(option.choices.joined(separator: " ")))" }
        return option.argument == "FILE" ? "_files" : ""
    }

    private static var fish: String {
        let options = OptionTable.all.map { option in
            let help = option.help.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
            let letter = option.letter.map { " -s \($0)" } ?? ""
            // -r: an argument follows. -x: also, it is not the name of a file.
            let argument =
                !option.choices.isEmpty
                ? " -x -a '\(option.choices.joined(separator: " "))'"
                : option.argument.map { $0 == "FILE" ? " -r" : " -x" } ?? ""
            return "complete -c larkspur -l \(option.name)\(letter)\(argument) -d '\(help)'\n"
        }
        return """
            \(mark)fish: larkspur --completion fish | source
            complete -c larkspur -n __fish_is_first_arg -a 'GET HEAD POST PUT PATCH DELETE OPTIONS ws doctor'
            \(options.joined())
            """
    }
}
