import Foundation
import CryptorTestSupport
import Testing

/// Killed at any moment, the command loses no source and leaves no wrong destination.
/// `SystemFaultTests` kills it at each of its calls; here the signal comes at any other moment.
@Suite(.onItsOwnThread, .serialized) struct KillTests {
    private let place: Workplace
    private let seed = SeededGenerator.processSeed

    init() throws {
        place = try Workplace(plaintext: "")
        try place.succeed("head -c 32M /dev/urandom > plaintext")
        try place.succeed(
            "$RNCRYPTOR encrypt --key-file key -f -o message plaintext && cp message copy")
    }

    /// The commands that are interrupted, and what proves that the output is right.
    private static let works = [
        (
            "encrypt --key-file key -o out plaintext",
            "$RNCRYPTOR decrypt --key-file key out | cmp - plaintext"
        ),
        ("decrypt --key-file key -o out message", "cmp out plaintext"),
        ("decrypt --key-file key --force -o out message", "cmp out plaintext"),
        (
            "rekey --key-file key --new-key-file new-key copy",
            "$RNCRYPTOR decrypt --key-file new-key copy | cmp - plaintext"
        ),
    ]

    /// The destination is right or, if the command did not finish, as it was. After every signal
    /// that can be caught, no temporary name is left; after SIGKILL, it says what the file is.
    @Test(arguments: ["KILL", "TERM"], ["", "refused"])
    func killedAtRandomMoments(signal: String, nameless: String) throws {
        guard nameless.isEmpty || Interposer.isAvailable else { return }
        let count = rounds(12, thorough: 60)
        let library = nameless.isEmpty ? "" : try Interposer.path("faults")
        var generator = SeededGenerator(seed: seed)
        try place.succeed("sha256sum plaintext message > sums")
        var (finished, strays, done) = (0, 0, 0)
        // Whether a signal came while the work went on, and a temporary name was used.
        var isTested: Bool {
            finished < done && (signal != "KILL" || nameless.isEmpty || strays > 0)
        }
        for round in 0..<500 where round < count || !isTested {
            done += 1
            let (words, proof) = Self.works[round % Self.works.count]
            // The work takes about a tenth of a second: some rounds end before the signal, most do
            // not.
            let milliseconds = Int.random(in: 0..<100, using: &generator)
            try place.succeed("rm -f out .rncryptor-unfinished-* && cp --reflink=auto message copy")
            if words.contains("--force") { try place.succeed("printf old > out") }
            // The process that runs the tests may ignore these signals. Children inherit that, and
            // the command respects it.
            let status = try place.shell(
                """
                env --default-signal LD_PRELOAD='\(library)' NAMELESS=\(nameless) \
                    $RNCRYPTOR \(words) 2>complaint & process=$!
                sleep \(Double(milliseconds) / 1000)
                kill -\(signal) $process 2>/dev/null
                wait $process
                """
            ).status
            let what =
                "seed \(seed), round \(round): \(words) after \(milliseconds) ms, status \(status)"
            #expect([0, signal == "KILL" ? 137 : 143].contains(status), "\(what)")
            let left = try place.names().filter { $0.hasPrefix(".") }
            #expect(left.allSatisfy { $0.hasPrefix(".rncryptor-unfinished-") }, "\(what): \(left)")
            #expect(signal == "KILL" || left.isEmpty, "\(what): \(left)")
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
        #expect(isTested, "seed \(seed): \(finished) of \(done) finished, \(strays) names")
    }

    /// Two runs that take each the other's output for their source: however far the first is, one
    /// file is left.
    @Test(
        .enabled(if: Interposer.isAvailable), arguments: ["encrypt", "decrypt"],
        [
            ("--skip-existing", "--skip-existing"), ("--skip-existing", "--force"),
            ("--force", "--skip-existing"), ("--force", "--force"),
        ])
    func towardsEachOther(first: String, ways: (String, String)) throws {
        let library = try Interposer.path("faults")
        let options = "--key-file key --suffix .rnc --remove-source -q"
        let works = [("encrypt", "a"), ("decrypt", "a.rnc")]
        let (one, other) = first == "encrypt" ? (works[0], works[1]) : (works[1], works[0])
        try place.succeed(
            """
            printf 'attack at dawn' > a && cp a original
            $RNCRYPTOR encrypt --key-file key --suffix .rnc a
            """)
        let statuses = try place.succeed(
            """
            LD_PRELOAD='\(library)' FAULT=remove:1:STOP FAULT_NOTE=note \
                $RNCRYPTOR \(one.0) \(options) \(ways.0) \(one.1) & process=$!
            until [ -e note ]; do kill -0 $process || exit; sleep 0.01; done
            $RNCRYPTOR \(other.0) \(options) \(ways.1) \(other.1) 2>complaint
            printf '%s ' $?
            kill -CONT $process
            wait $process
            printf '%s' $?
            """)
        let complaint = try String(decoding: place.read("complaint"), as: UTF8.self)
        #expect(String(decoding: statuses, as: UTF8.self) == "74 0", "\(complaint)")
        #expect(complaint.contains("nother program is"), "\(complaint)")
        try place.succeed(
            """
            [ -e a ] || [ -e a.rnc ]
            [ ! -e a ] || cmp a original
            [ ! -e a.rnc ] || $RNCRYPTOR decrypt --key-file key a.rnc | cmp - original
            """)
    }

    /// A run that removes sources is killed, at a random moment or right before it removes the
    /// first, second or third, and run again: in the end every source is gone, every output whole,
    /// and the status 0.
    @Test(.enabled(if: Interposer.isAvailable), arguments: ["encrypt", "decrypt"])
    func removalIsRunAgain(work: String) throws {
        let library = try Interposer.path("faults")
        let names = ["a", "b", "c", "d"]
        let isEncryption = work == "encrypt"
        for name in names { try place.succeed("head -c 3M /dev/urandom > original-\(name)") }
        let encrypted = names.map { "original-\($0)" }.joined(separator: " ")
        try place.succeed("$RNCRYPTOR encrypt --key-file key --suffix .rnc \(encrypted)")
        let sources = names.map { isEncryption ? $0 : "\($0).rnc" }
        let options = "\(work) --key-file key --suffix .rnc --remove-source --skip-existing -q"
        let words = "\(options) \(sources.joined(separator: " "))"
        var generator = SeededGenerator(seed: seed)
        let count = rounds(10, thorough: 50)
        var (killed, compared) = (0, 0)
        for round in 0..<count {
            try place.succeed("rm -f a b c d *.rnc.rnc [abcd].rnc .rncryptor-unfinished-* note")
            for (name, source) in zip(names, sources) {
                try place.succeed("cp original-\(source) \(source) && ! test -e \(name).rnc.rnc")
            }
            // With KILL instead of a removal, there is an output beside its source.
            let number = round % 5 + 1
            let milliseconds = Int.random(in: 1..<60, using: &generator)
            let isFault = number <= 3
            let killer =
                isFault
                ? "LD_PRELOAD='\(library)' FAULT=remove:\(number):KILL FAULT_NOTE=note"
                : "timeout -s KILL \(Double(milliseconds) / 1000)"
            try place.shell("\(killer) $RNCRYPTOR \(words)")
            let what = "seed \(seed), round \(round): \(killer) \(words)"
            let left = sources.filter(place.exists)
            if !left.isEmpty { killed += 1 }
            let outputs = zip(names, sources).filter { name, source in
                place.exists(source) && place.exists(isEncryption ? "\(name).rnc" : name)
            }
            if !outputs.isEmpty { compared += 1 }
            // Those that were removed are no inputs any more.
            if !left.isEmpty {
                let outcome = try place.shell(
                    "$RNCRYPTOR \(options) \(left.joined(separator: " "))")
                #expect(outcome.status == 0, "\(what): \(outcome.complaint)")
            }
            for (name, source) in zip(names, sources) {
                #expect(!place.exists(source), "\(what): \(source) is left")
                try place.succeed(
                    isEncryption
                        ? "$RNCRYPTOR decrypt --key-file key \(name).rnc | cmp - original-\(name)"
                        : "cmp \(name) original-\(name)")
            }
        }
        #expect(
            killed > 0 && compared >= count / 2, "\(killed) killed, \(compared) with both files")
    }
}
