import Foundation

@main
struct Main {
    static func main() {
        Interruption.watch()
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch BenchmarkError.interrupted {
            exit(130)
        } catch {
            FileHandle.standardError.write(Data("cryptor-benchmarks: error: \(error)\n".utf8))
            if case BenchmarkError.usage = error { exit(64) }
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        if arguments.first == LineRows.plainProgram, arguments.count > 1 {
            return try Primitives().lines(
                decrypts: arguments[1] == "decrypt",
                plaintext: arguments.count > 2 ? arguments[2] : nil)
        }
        let options = try Options(arguments)
        if options.showsHelp { return print(Options.usage, terminator: "") }
        let benchmarks = Benchmarks.all(Setting(options)).filter(options.includes)
        guard !benchmarks.isEmpty else {
            throw BenchmarkError.usage(
                "No row contains '\(options.filter ?? "")': --list shows them.")
        }
        if options.listsOnly { return benchmarks.forEach { print($0.name) } }
        let report = try measure(benchmarks, isQuick: options.isQuick)
        if let path = options.headlines {
            try Headlines.text(report).write(toFile: path, atomically: true, encoding: .utf8)
        }
    }

    private static func measure(_ benchmarks: [Benchmark], isQuick: Bool) throws -> Report {
        var report = Report(machine: Machine(), isQuick: isQuick)
        print(report.machine.description)
        print(([Report.explanation, ""] + MarkdownTable.head).joined(separator: "\n"))
        for benchmark in benchmarks {
            let finding = try Runner.finding(for: benchmark)
            report.findings.append(finding)
            print(MarkdownTable.row(finding))
            // Each row is shown as soon as it is done.
            fflush(nil)
        }
        print(MarkdownTable.processorTimes(report).joined(separator: "\n"))
        return report
    }
}
