/// The arguments of the program.
struct Options {
    static let usage = """
        Measures CryptorFormat against the plain calls of OpenSSL, and the command \
        against openssl and age.

        Usage: swift run -c release --package-path Development/Benchmarks \
        cryptor-benchmarks [OPTIONS]

        Options:
              --quick           Small sizes and few rounds: whether everything works.
              --filter TEXT     Only rows whose name or section contains TEXT.
              --list            Show the names of the rows and measure nothing.
              --headlines FILE.svg
                                Draw the speeds of a few rows.
              --tmpfs DIRECTORY    Where files in memory go: /dev/shm.
          -h, --help            Show this help.

        Exit status: 0, however slow the machine is; 1 if a result was wrong or
        something failed; 64 if the arguments make no sense; 130 after Ctrl-C.

        """

    var isQuick = false
    var filter: String?
    var listsOnly = false
    var showsHelp = false
    var headlines: String?
    var tmpfs = "/dev/shm"

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst(), !value.isEmpty else {
                throw BenchmarkError.usage("\(option) needs a value.")
            }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--list": listsOnly = true
            case "-h", "--help": showsHelp = true
            case "--filter": filter = try value(of: argument)
            case "--headlines": headlines = try value(of: argument)
            case "--tmpfs": tmpfs = try value(of: argument)
            default: throw BenchmarkError.usage("There is no option '\(argument)'. See --help.")
            }
        }
    }

    func includes(_ benchmark: Benchmark) -> Bool {
        guard let filter = filter?.lowercased() else { return true }
        return [benchmark.name, benchmark.section.rawValue].contains {
            $0.lowercased().contains(filter)
        }
    }
}
