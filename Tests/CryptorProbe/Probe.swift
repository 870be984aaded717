/// What tests need a process of its own for: a fork, a look at all memory.
@main
enum Probe {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "fork": try Fork.run(hasMark: !words.contains("--without-mark"))
        case "secrets": try SecretSearch.run(words[1])
        case "allocations": try Allocations.run(words[1])
        case "constant-time": try ConstantTime.run(words[1])
        case "timing": try Timing.run(words[1])
        default: preconditionFailure("CryptorProbe: unknown words \(words)")
        }
    }

    struct Failure: Error { let description: String }
}
