/// The arguments of the program.
struct Options {
    static let usage = """
        Measures CryptorFormat against the plain calls of OpenSSL, and the command against openssl and age.

        Usage: swift run -c release --package-path Development/Benchmarks cryptor-benchmarks [OPTIONS]

        Options:
              --quick           Small sizes and few rounds: whether everything works.
              --filter TEXT     Only rows whose name or section contains TEXT.
              --list            Show the names of the rows and measure nothing.
              --headlines FILE.svg
                                Draw the speeds of a few rows.
              --table FILE.md   Write the results as Markdown tables.
              --command PATH    The built rncryptor; otherwise .build/release/rncryptor,
                                here or in the folder above.
              --tmpfs FOLDER    Where files in memory go: /dev/shm.
          -h, --help            Show this help.

        Exit status: 0, however slow the machine is; 1 if a result was wrong or
        something failed; 64 if the arguments make no sense; 130 after Ctrl-C.

        """

    var isQuick = false
    var filter: String?
    var listsOnly = false
    var showsHelp = false
    var headlines: String?
    var table: String?
    var command: String?
    var tmpfs = "/dev/shm"

    init(_ arguments: [String]) throws(BenchmarkError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--list": listsOnly = true
            case "-h", "--help": showsHelp = true
            case "--filter": filter = try Self.value(of: argument, &rest)
            case "--headlines": headlines = try Self.value(of: argument, &rest)
            case "--table": table = try Self.value(of: argument, &rest)
            case "--command": command = try Self.value(of: argument, &rest)
            case "--tmpfs": tmpfs = try Self.value(of: argument, &rest)
            default: throw .usage("There is no option '\(argument)'.")
            }
        }
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(BenchmarkError) -> String {
        guard let value = rest.popFirst(), !value.isEmpty else { throw .usage("\(option) needs a value.") }
        return value
    }

    func includes(_ benchmark: Benchmark) -> Bool {
        guard let filter = filter?.lowercased() else { return true }
        return [benchmark.name, benchmark.section.rawValue].contains { $0.lowercased().contains(filter) }
    }
}
