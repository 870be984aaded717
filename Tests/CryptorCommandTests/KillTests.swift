import Foundation
import CryptorTestSupport
import Testing

/// Killed at any moment, the command loses no source and leaves no wrong destination. `SystemFaultTests` kills it at each
/// of its calls; here the signal comes at any other moment.
@Suite(.serialized) struct KillTests {
    private let place: Workplace
    private let seed = SeededGenerator.processSeed

    init() throws {
        place = try Workplace(plaintext: "")
        try place.succeed("head -c 32M /dev/urandom > plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -f -o message plaintext && cp message copy")
    }

    /// The commands that are interrupted, and what proves that the output is right.
    private static let works = [
        ("encrypt --key-file key -o out plaintext", "$RNCRYPTOR decrypt --key-file key out | cmp - plaintext"),
        ("decrypt --key-file key -o out message", "cmp out plaintext"),
        ("decrypt --key-file key --force -o out message", "cmp out plaintext"),
        (
            "rekey --key-file key --new-key-file new-key copy",
            "$RNCRYPTOR decrypt --key-file new-key copy | cmp - plaintext"
        ),
    ]

    /// The destination is right or, if the command did not finish, as it was. After every signal that can be caught, no
    /// temporary name is left; after SIGKILL, it says what the file is.
    @Test(arguments: [("KILL", 60), ("TERM", 30)], ["", "refused"])
    func killedAtRandomMoments(signal: (name: String, count: Int), nameless: String) throws {
        guard nameless.isEmpty || Interposer.isAvailable else { return }
        let count = repetitions(signal.count)
        let library = nameless.isEmpty ? "" : try Interposer.path("faults")
        var generator = SeededGenerator(seed: seed)
        try place.succeed("sha256sum plaintext message > sums")
        var (finished, strays) = (0, 0)
        for round in 0..<count {
            let (words, proof) = Self.works[round % Self.works.count]
            // The work takes about a tenth of a second: some rounds end before the signal, most do not.
            let milliseconds = Int.random(in: 0..<100, using: &generator)
            try place.succeed("rm -f out .rncryptor-unfinished-* && cp --reflink=auto message copy")
            if words.contains("--force") { try place.succeed("printf old > out") }
            // The process that runs the tests may ignore these signals. Children inherit that, and the command respects
            // it.
            let status = try place.shell(
                """
                env --default-signal LD_PRELOAD='\(library)' NAMELESS=\(nameless) $RNCRYPTOR \(words) 2>complaint & process=$!
                sleep \(Double(milliseconds) / 1000)
                kill -\(signal.name) $process 2>/dev/null
                wait $process
                """
            ).status
            let what = "seed \(seed), round \(round): \(words) after \(milliseconds) ms, status \(status)"
            #expect([0, signal.name == "KILL" ? 137 : 143].contains(status), "\(what)")
            let left = try place.names().filter { $0.hasPrefix(".") }
            #expect(left.allSatisfy { $0.hasPrefix(".rncryptor-unfinished-") }, "\(what): \(left)")
            #expect(signal.name == "KILL" || left.isEmpty, "\(what): \(left)")
            strays += left.count
            if status == 0 { finished += 1 }
            let isAsBefore =
                try place.shell(
                    words.hasPrefix("rekey")
                        ? "cmp -s copy message"
                        : words.contains("--force") ? "printf old | cmp -s - out" : "! test -e out"
                ).status == 0
            #expect(!(status == 0 && isAsBefore), "\(what)")
            if !isAsBefore { try place.succeed(proof) }
        }
        try place.succeed("sha256sum --quiet -c sums")
        #expect(finished < count, "seed \(seed): no signal came while the work went on")
        let isTested = signal.name != "KILL" || nameless.isEmpty || strays > 0
        #expect(isTested, "no temporary name was ever used: nothing was tested")
    }
}
