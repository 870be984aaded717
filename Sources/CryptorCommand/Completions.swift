import CryptorFormat

/// Scripts that complete the command's words in a shell, made from the tables of options that the parser uses.
extension Subcommand {
    static let completions = Subcommand(
        name: "completions", summary: "Write a script that completes this command's words in a shell.",
        operands: "bash|zsh|fish",
        discussion: """
            To try it: 'source <(rncryptor completions bash)', the same for zsh, or
            'rncryptor completions fish | source'. To keep it, write it to where the
            shell looks for completions.
            """,
        options: [],
        run: { arguments throws(CommandError) in
            switch arguments.operands {
            case ["bash"]: try Report.tell(bash)
            case ["zsh"]: try Report.tell(zsh)
            case ["fish"]: try Report.tell(fish)
            default: throw .usage("name one shell: bash, zsh or fish")
            }
        })

    private static var names: String { all.map(\.name).joined(separator: " ") }

    private static var bash: String {
        let cases = all.filter { $0.name != completions.name }.map { subcommand in
            let words = subcommand.allOptions.flatMap(\.spellings).joined(separator: " ")
            return "        \(subcommand.name)) options='\(words)' ;;"
        }
        let allOptions = all.flatMap(\.allOptions)
        func spellings(_ kind: Option.ValueKind) -> String {
            Set(allOptions.filter { $0.valueKind == kind }.flatMap(\.spellings)).sorted().joined(separator: "|")
        }
        return """
            # Completion of rncryptor for bash. Names of files are left to the shell (-o default), which quotes them.
            _rncryptor() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} options=''
                COMPREPLY=()
                if [ "$COMP_CWORD" -eq 1 ]; then
                    COMPREPLY=($(compgen -W '\(names) --help --version' -- "$current"))
                    return
                fi
                case $previous in
                    \(spellings(.file))) compopt -o default; return ;;
                    \(spellings(.variable))) COMPREPLY=($(compgen -e -- "$current")); return ;;
                    \(spellings(.versions))) COMPREPLY=($(compgen -W '\(Acceptance.words)' -- "$current")); return ;;
                    \(spellings(.other))) return ;;
                esac
                case ${COMP_WORDS[1]} in
            \(cases.joined(separator: "\n"))
                    completions) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$current")); return ;;
                esac
                case $current in
                    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
                    *) compopt -o default ;;
                esac
            }
            complete -F _rncryptor rncryptor

            """
    }

    private static var zsh: String {
        func quoted(_ text: String) -> String {
            text.replacing("'", with: "'\\''").replacing("[", with: "\\[").replacing("]", with: "\\]")
                .replacing(":", with: "\\:")
        }
        let cases = all.map { subcommand in
            var specifications = subcommand.allOptions.flatMap { option in
                option.spellings.map { spelling in
                    let value = option.valueName.map { ":\($0):\(option.valueKind.zshAction)" } ?? ""
                    let equals = option.valueName != nil && spelling.hasPrefix("--") ? "=" : ""
                    return "'\(spelling)\(equals)[\(quoted(option.help))]\(value)'"
                }
            }
            specifications.append(subcommand.name == "completions" ? "'1:shell:(bash zsh fish)'" : "'*:file:_files'")
            return
                "        \(subcommand.name)) _arguments -S \(specifications.joined(separator: " \\\n            ")) ;;"
        }
        return """
            #compdef rncryptor
            # Completion of rncryptor for zsh.
            _rncryptor() {
                local -a subcommands
                subcommands=(\(all.map { "'\($0.name):\(quoted($0.summary))'" }.joined(separator: " ")))
                if (( CURRENT == 2 )); then
                    _describe subcommand subcommands
                    return
                fi
                local subcommand=$words[2]
                shift words
                (( CURRENT-- ))
                case $subcommand in
            \(cases.joined(separator: "\n"))
                esac
            }
            compdef _rncryptor rncryptor

            """
    }

    private static var fish: String {
        func quoted(_ text: String) -> String { "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'" }
        var lines = ["# Completion of rncryptor for fish."]
        for subcommand in all {
            lines.append(
                "complete -c rncryptor -n __fish_use_subcommand -f -a \(subcommand.name) -d \(quoted(subcommand.summary))"
            )
            let condition = "-n '__fish_seen_subcommand_from \(subcommand.name)'"
            for option in subcommand.allOptions {
                let letter = option.letter.map { " -s \($0)" } ?? ""
                let value =
                    switch option.valueKind {
                    case .none: ""
                    case .file: " -r -F"
                    case .variable: " -x -a '(set -nx)'"
                    case .versions: " -x -a '\(Acceptance.words)'"
                    case .other: " -x"
                    }
                lines.append(
                    "complete -c rncryptor \(condition) -l \(option.name)\(letter)\(value) -d \(quoted(option.help))"
                )
            }
        }
        lines.append("complete -c rncryptor -n '__fish_seen_subcommand_from completions' -f -a 'bash zsh fish'")
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Acceptance {
    fileprivate static let words = "v1 v0 v1,v0"
}

extension Option {
    /// What a shell offers for the value.
    enum ValueKind {
        case none, file, variable, versions, other

        var zshAction: String {
            switch self {
            case .file: "_files"
            case .variable: "_parameters -g \"*export*\""
            case .versions: "(\(Acceptance.words))"
            case .none, .other: " "
            }
        }
    }

    var valueKind: ValueKind {
        switch valueName {
        case nil: .none
        case "FILE"?: .file
        case "NAME"?: .variable
        case "VERSIONS"?: .versions
        default: .other
        }
    }

    var spellings: [String] { (letter.map { ["-\($0)"] } ?? []) + ["--\(name)"] }
}
