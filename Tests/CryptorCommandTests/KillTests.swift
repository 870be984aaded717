import Foundation
import CryptorTestSupport
import Testing

/// Killed at any moment, the command loses no source and leaves no wrong destination.
@Suite(.serialized) struct KillTests {
    private static let byteCount = 32 * 1024 * 1024

    private let place: Workplace
    private let seed = SeededGenerator.processSeed

    init() throws {
        place = try Workplace()
        try place.write(String(repeating: "fedcba9876543210", count: 8), to: "new-key")
        try place.succeed("head -c \(Self.byteCount) /dev/urandom > plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext")
    }

    /// The commands that are interrupted.
    enum Work: String, CaseIterable {
        case encrypt = "encrypt --key-file key -o out plaintext"
        case decrypt = "decrypt --key-file key -o out message"
        case replace = "decrypt --key-file key --force -o old message"
        case rekey = "rekey --key-file key --new-key-file new-key copy"
    }

    @Test(arguments: [("KILL", 200), ("TERM", 50)])
    func killedAtRandomMoments(signal: String, count: Int) throws {
        let count = repetitions(count)
        var generator = SeededGenerator(seed: seed)
        try place.succeed("sha256sum plaintext message > sums && cp --reflink=auto message copy")
        var finished = 0
        for round in 0..<count {
            let work = Work.allCases[round % Work.allCases.count]
            // The work takes about a tenth of a second: some rounds end before the signal, most do not.
            let milliseconds = Int.random(in: 0..<100, using: &generator)
            let end = try interrupt(work, by: signal, after: milliseconds, "seed \(seed), round \(round)")
            if end.isFinished { finished += 1 }
            if signal == "TERM" { #expect(end.strays.isEmpty, "\(end.what): \(end.strays)") }
        }
        try place.succeed("sha256sum --quiet -c sums")
        #expect(finished < count, "seed \(seed): no signal came while the work went on")
    }

    /// Where files cannot be without a name, the temporary name is removed after every signal that can be caught. After
    /// SIGKILL, the name that stays says what the file is.
    @Test(
        .enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer"),
        arguments: [("KILL", 24), ("TERM", 24)])
    func withoutNamelessFiles(signal: String, count: Int) throws {
        let interposer = try Interposer.build("faults", in: place)
        let count = repetitions(count)
        var generator = SeededGenerator(seed: seed)
        try place.succeed("cp message copy")
        var strays = 0
        for round in 0..<count {
            let work = Work.allCases[round % Work.allCases.count]
            let milliseconds = Int.random(in: 10..<60, using: &generator)
            try place.succeed("rm -f .rncryptor-unfinished-*")
            let end = try interrupt(
                work, by: signal, after: milliseconds, "seed \(seed), round \(round)",
                variables: "LD_PRELOAD=\(interposer) NAMELESS=refused")
            strays += end.strays.count
            if signal == "TERM" { #expect(end.strays.isEmpty, "\(end.what): \(end.strays)") }
        }
        if signal == "KILL" { #expect(strays > 0, "no temporary name was ever used: nothing was tested") }
    }

    /// How a command ended, and the hidden files that it left.
    private struct End {
        let what: String
        let isFinished: Bool
        let strays: [String]
    }

    /// Starts a command, sends it a signal, and checks the files that there are then.
    private func interrupt(
        _ work: Work, by signal: String, after milliseconds: Int, _ round: String, variables: String = ""
    ) throws -> End {
        try place.succeed("printf old > old; rm -f out")
        // The process that runs the tests may ignore these signals. Children inherit that, and the command respects it.
        let status = try place.shell(
            """
            env --default-signal \(variables) $RNCRYPTOR \(work.rawValue) 2>complaint & process=$!
            sleep \(Double(milliseconds) / 1000)
            kill -\(signal) $process 2>/dev/null
            wait $process
            """
        ).status
        let end = End(
            what: "\(round): \(work) after \(milliseconds) ms, status \(status)", isFinished: status == 0,
            strays: try place.names().filter { $0.hasPrefix(".") })
        #expect([0, signal == "KILL" ? 137 : 143].contains(status), "\(end.what)")
        #expect(end.strays.allSatisfy { $0.hasPrefix(".rncryptor-unfinished-") }, "\(end.what): \(end.strays)")
        try check(work, end.what, isFinished: end.isFinished)
        return end
    }

    /// Expects that the destination is right or, if the command did not finish, as it was.
    private func check(_ work: Work, _ what: String, isFinished: Bool) throws {
        switch work {
        case .encrypt:
            guard isFinished || place.exists("out") else { return }
            try place.succeed("$RNCRYPTOR decrypt --key-file key out | cmp - plaintext")
        case .decrypt:
            guard isFinished || place.exists("out") else { return }
            try place.succeed("cmp out plaintext")
        case .replace:
            let isOld = try place.shell("printf old | cmp -s - old").status == 0
            #expect(!(isFinished && isOld), "\(what)")
            if !isOld { try place.succeed("cmp old plaintext") }
        case .rekey:
            let isOld = try place.shell("cmp -s copy message").status == 0
            #expect(!(isFinished && isOld), "\(what)")
            if !isOld { try place.succeed("$RNCRYPTOR decrypt --key-file new-key copy | cmp - plaintext") }
            try place.succeed("cp --reflink=auto message copy")
        }
    }
}
