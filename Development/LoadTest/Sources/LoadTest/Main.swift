import CryptorFormat
import Foundation

/// Runs rounds of the same work, with all loads of a round side by side. Between rounds nothing
/// must be left behind. Fails on a wrong output or on growth, never on how long anything took.
@main
struct Main {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count <= 2, let seconds = Int(arguments.first ?? "20"), seconds > 0,
            let seed = UInt64(arguments.dropFirst().first ?? "\(UInt64.random(in: 0...UInt64.max))")
        else {
            print("Usage: load-test [SECONDS [SEED]]")
            exit(64)
        }
        Usage.prepare()
        do {
            let setting = try Setting(seed: seed)
            defer { setting.directory.removeAll() }
            await run(setting, seconds: seconds)
            let wrong = setting.findings.all
            guard wrong.isEmpty else {
                for words in wrong { print("wrong: \(words)") }
                print("Repeat with: Development/load \(seconds) \(seed)")
                setting.directory.removeAll()
                exit(1)
            }
            print("All outputs right, nothing left behind.")
        } catch {
            print("load-test: error: \(error)")
            exit(1)
        }
    }

    private static func run(_ setting: Setting, seconds: Int) async {
        let coreCount = ProcessInfo.processInfo.activeProcessorCount
        print("load-test: \(seconds) s on \(coreCount) cores, seed \(setting.seed)")
        let start = ContinuousClock.now
        var judgement = Judgement()
        var round = 0
        while setting.findings.all.isEmpty,
            ContinuousClock.now - start < .seconds(seconds) || round < Judgement.minimumCount
        {
            await work(setting, round: round)
            judgement.add(.settled(threads: judgement.threadLimit))
            let left = Usage.names(in: setting.directory.path)
            if !left.isEmpty { setting.findings.note("round \(round) left files behind: \(left)") }
            round += 1
        }
        print("\(round) rounds in \((ContinuousClock.now - start).components.seconds) s:")
        for (what, number) in setting.findings.done { print("  \(number) \(what)") }
        if round >= Judgement.minimumCount { judgement.note(in: setting.findings) }
    }

    private static func work(_ setting: Setting, round: Int) async {
        let threads = Threads()
        Streams.start(on: threads, setting, round: round)
        KeyMessages.start(on: threads, setting, round: round)
        Files.start(on: threads, setting, round: round)
        await SwiftTasks.run(setting, round: round)
        await threads.join()
    }
}
