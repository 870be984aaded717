/// The completions for bash. Names of files are left to the shell (`-o default`), which quotes
/// them.
enum BashCompletion {
    static var script: String {
        let words = Subcommand.all.map(\.name) + Command.options.map { "--\($0.name)" }
        return """
            # Completion of rncryptor for bash, as 'rncryptor --generate bash' prints it.
            _rncryptor() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
                local options=''
                COMPREPLY=()
                if [ "$COMP_CWORD" -eq 1 ]; then
                    COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- "$current"))
                    return
                fi
                case ${COMP_WORDS[1]} in
            \(Subcommand.all.map(branch).joined(separator: "\n"))
                    --\(Generator.option.name)) \
            \(Generator.option.value.map(completion) ?? "")return ;;
                esac
                case $current in
                    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
                    *) compopt -o default ;;
                esac
            }
            complete -F _rncryptor rncryptor

            """
    }

    /// What follows the options that take a value, and the list of all options.
    private static func branch(for subcommand: Subcommand) -> String {
        let spellings = subcommand.options.flatMap(\.spellings)
        let values = subcommand.options.compactMap { option in
            option.value.map { value in
                let pattern = option.spellings.joined(separator: "|")
                return "                \(pattern)) \(completion(of: value))return ;;\n"
            }
        }
        return """
                    \(subcommand.name))
                        case $previous in
            \(values.joined())\
                        esac
                        options='\(spellings.joined(separator: " "))'
                        ;;
            """
    }

    private static func completion(of value: Option.Value) -> String {
        switch value {
        case .file:
            "compopt -o default; "
        case .environmentVariable:
            "COMPREPLY=($(compgen -e -- \"$current\")); "
        case .word(let words, _):
            "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$current\")); "
        case .number, .text:
            ""
        }
    }
}
