import CryptorFormat

/// The inputs and outputs of `encrypt` and `decrypt`.
struct FileArguments {
    enum Direction: Sendable { case encrypt, decrypt }

    static let output = Option(
        "output", letter: "o", value: "FILE",
        "Write to FILE and not to standard output; '-' is standard output, even if that is a terminal.")
    static let suffix = Option(
        "suffix", value: "SUFFIX",
        "Write beside each INPUT: encrypt adds SUFFIX, such as .rnc, to the name, decrypt takes it away.")
    static let force = Option("force", letter: "f", "Overwrite an output that exists.")
    static let removeSource = Option(
        "remove-source", "Remove each INPUT once its output is safely on the disk.")

    let inputs: [FileEndpoint]
    private let output: FileEndpoint?
    private let suffix: String?
    private let direction: Direction
    let removesSource: Bool
    let overwrites: Bool

    init(_ arguments: Arguments, _ direction: Direction) throws(CommandError) {
        let words: [Word] = arguments.operands.isEmpty ? ["-"] : arguments.operands
        inputs = try words.map { (word) throws(CommandError) in try word.file(dash: .standardInput) }
        output = try arguments["output"]?.file(dash: .standardOutput)
        suffix = try arguments["suffix"]?.text
        removesSource = arguments.contains("remove-source")
        overwrites = arguments.contains("force")
        self.direction = direction
        guard suffix == nil || output == nil else { throw .usage("--output and --suffix exclude each other: give one") }
        guard suffix.map({ !$0.isEmpty && !$0.contains("/") }) ?? true else {
            throw .usage("--suffix takes the end of a name, such as .rnc")
        }
        if suffix != nil {
            guard !inputs.contains(.standardInput) else {
                throw .usage("--suffix needs the name of an INPUT, and standard input has none")
            }
        } else {
            guard inputs.count == 1 else {
                throw .usage(
                    "there are \(inputs.count) inputs and one output", hint: "--suffix writes beside each INPUT.")
            }
        }
        if removesSource {
            guard case .path? = output ?? suffix.map({ .path($0) }), !inputs.contains(.standardInput) else {
                throw .usage("--remove-source needs files: an INPUT, and --output or --suffix")
            }
        }
    }

    /// No output was named, and standard output is a terminal.
    var outputIsTerminal: Bool { output == nil && suffix == nil && isatty(STDOUT_FILENO) == 1 }

    /// Where the result of an input goes.
    func destination(of input: FileEndpoint) throws(CommandError) -> FileEndpoint {
        guard let suffix, case .path(let path) = input else { return output ?? .standardOutput }
        switch direction {
        case .encrypt:
            return .path(path + suffix)
        case .decrypt:
            guard path.hasSuffix(suffix), !path.dropLast(suffix.count).isEmpty,
                !path.dropLast(suffix.count).hasSuffix("/")
            else {
                throw CommandError(
                    .usage, "\(path): Its name does not end in '\(suffix)', so nothing was done with it.")
            }
            return .path(String(path.dropLast(suffix.count)))
        }
    }

    /// Whether it is certain already that an input will have no output, so that nothing needs to be prepared for it.
    func isRefused(_ input: FileEndpoint) -> Bool {
        guard let destination = try? destination(of: input) else { return true }
        guard !overwrites, case .path(let path) = destination else { return false }
        return unsafe access(path, F_OK) == 0
    }

    /// Removes an input whose output is on the disk.
    func removeSource(_ input: FileEndpoint) throws(CommandError) {
        guard removesSource, case .path(let path) = input else { return }
        guard unsafe unlink(path) == 0 else {
            throw CommandError(
                .inputOutput, "\(path): Its output is complete, but it cannot be removed: \(systemMessage(errno)).")
        }
    }
}
