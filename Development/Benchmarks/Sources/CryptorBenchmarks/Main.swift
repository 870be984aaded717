#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@main
struct Main {
    static func main() {
        Interruption.watch()
        do throws(BenchmarkError) {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            switch error {
            case .usage(let words): fail("\(words) See --help.", status: 64)
            case .skipped(let words), .failed(let words): fail(words, status: 1)
            case .wrong(let words): fail("wrong result: \(words)", status: 1)
            case .interrupted: exit(130)
            }
        }
    }

    private static func fail(_ words: String, status: CInt) -> Never {
        let line = Array("cryptor-benchmarks: error: \(words)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(status)
    }

    private static func run(_ arguments: [String]) throws(BenchmarkError) {
        if arguments.first == LineRows.plainProgram, arguments.count > 1 {
            return try Primitives().lines(decrypts: arguments[1] == "decrypt")
        }
        let options = try Options(arguments)
        if options.showsHelp { return print(Options.usage, terminator: "") }
        let setting = Setting(options)
        let benchmarks = Benchmarks.all(setting).filter(options.includes)
        guard !benchmarks.isEmpty else { throw .usage("No row contains '\(options.filter ?? "")': --list shows them.") }
        if options.listsOnly { return benchmarks.forEach { print($0.name) } }
        if options.command != nil { _ = try Tool.command(options) }
        for path in [options.headlines, options.table].compactMap(\.self) {
            try TextFile.checkWritable(path)
        }
        let report = try measure(benchmarks, setting)
        if let path = options.headlines { try TextFile.write(Headlines.text(report.headlines), to: path) }
        if let path = options.table { try TextFile.write(MarkdownTable.text(report), to: path) }
    }

    private static func measure(_ benchmarks: [Benchmark], _ setting: Setting) throws(BenchmarkError) -> Report {
        var report = Report(machine: Machine(), isQuick: setting.options.isQuick)
        print(report.machine.description)
        print(([Report.explanation, ""] + MarkdownTable.head).joined(separator: "\n"))
        let runner = Runner(setting: setting)
        for benchmark in benchmarks {
            let finding = try runner.finding(for: benchmark)
            report.findings.append(finding)
            print(MarkdownTable.row(finding))
            // Each row is shown as soon as it is done.
            fflush(nil)
        }
        if let times = MarkdownTable.processorTimes(report) { print(times.joined(separator: "\n")) }
        return report
    }
}
