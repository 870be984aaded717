/// The completions for zsh. The script is loaded from a directory in `fpath`, or sourced.
enum ZshCompletion {
    static var script: String {
        let first =
            Subcommand.all.map { ($0.name, $0.summary) }
            + Command.options.map { ("--\($0.name)", $0.summary) }
        let descriptions = first.map { "        '\($0):\(escaped($1))'\n" }
        return """
            #compdef rncryptor
            # Completion of rncryptor for zsh, as 'rncryptor --generate zsh' prints it.
            _rncryptor() {
                local -a first
                first=(
            \(descriptions.joined())\
                )
                if (( CURRENT == 2 )); then
                    _describe subcommand first
                    return
                fi
                local subcommand=$words[2]
                shift words
                (( CURRENT-- ))
                case $subcommand in
            \(Subcommand.all.map(branch).joined(separator: "\n"))
                    --\(Generator.option.name))
                        compadd \(Generator.allCases.map(\.rawValue).joined(separator: " "))
                        ;;
                esac
            }
            if [ "$funcstack[1]" = _rncryptor ]; then
                _rncryptor "$@"
            else
                compdef _rncryptor rncryptor
            fi

            """
    }

    private static func branch(for subcommand: Subcommand) -> String {
        var specifications = subcommand.options.map(specification)
        if !subcommand.operands.isEmpty { specifications.append("'*:file:_files'") }
        let separator = " \\\n                "
        return """
                    \(subcommand.name))
                        _arguments -S\(separator)\(specifications.joined(separator: separator))
                        ;;
            """
    }

    /// What `_arguments` gets for an option.
    private static func specification(for option: Option) -> String {
        let description = "[\(escaped(option.summary))]\(option.value.map(completion) ?? "")"
        let equals = option.value == nil ? "" : "="
        let long = "--\(option.name)\(equals)"
        guard let letter = option.letter else {
            let start = option.isRepeatable ? "*" : ""
            return "'\(start)\(long)\(description)'"
        }
        let start = option.isRepeatable ? "*" : "(-\(letter) --\(option.name))"
        return "'\(start)'{-\(letter),\(long)}'\(description)'"
    }

    private static func completion(of value: Option.Value) -> String {
        let action =
            switch value {
            case .file: "_files"
            case .environmentVariable: "_parameters -g \"*export*\""
            case .word(let words, _): "(\(words.joined(separator: " ")))"
            case .number, .text: " "
            }
        return ":\(value.placeholder):\(action)"
    }

    /// Text within single quotes, where a colon or a bracket would end the description.
    private static func escaped(_ text: String) -> String {
        var escaped = text.replacing("\\", with: "\\\\").replacing("'", with: "'\\''")
        for character in [":", "[", "]"] {
            escaped = escaped.replacing(character, with: "\\\(character)")
        }
        return escaped
    }
}
