/// What tests need a process of its own for: a fork.
@main
enum Probe {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "fork": try Fork.run(hasMark: !words.contains("--without-mark"))
        default: preconditionFailure("CryptorProbe: unknown words \(words)")
        }
    }

    struct Failure: Error { let description: String }
}
