import CryptorTestSupport
import Foundation
import Testing

/// A message that is given another key in its place, while others do something with it. `rekey.txt` has what is refused
/// at once.
@Suite struct RekeyInPlaceTests {
    private let place: Workplace
    private static let rekey = "$RNCRYPTOR rekey --key-file key --new-key-file new-key message"

    init() throws {
        place = try Workplace(plaintext: "plaintext")
        try place.succeed("cp message before")
    }

    private func interposed(_ variables: String) throws -> String {
        "LD_PRELOAD=\(try Interposer.path("faults")) FAULT_NOTE=/dev/null \(variables)"
    }

    /// Of two at the same time, one succeeds and the other changes nothing, or both change nothing.
    @Test func twoAtTheSameTime() throws {
        let outcomes = try place.text(
            """
            $RNCRYPTOR keygen -o key1; $RNCRYPTOR keygen -o key2
            for number in $(seq 80); do
                rm -f message done1 done2 && $RNCRYPTOR encrypt --key-file key -o message plaintext
                for key in 1 2; do
                    { $RNCRYPTOR rekey --key-file key --new-key-file key$key message 2> /dev/null && echo $key > done$key; } &
                done
                wait
                opens=
                for key in key key1 key2; do
                    $RNCRYPTOR verify -q --key-file $key message 2> /dev/null && opens=$opens$key
                done
                echo $(cat done1 done2 2> /dev/null): $opens
            done
            """)
        let lines = outcomes.split(separator: "\n").map(String.init)
        let expected = ["1: key1", "2: key2", ": key"]
        #expect(lines.count == 80 && lines.allSatisfy(expected.contains), "\(Set(lines).subtracting(expected))")
        #expect(Set(lines).count > 1, "the two were never at work at the same time: \(Set(lines))")
    }

    /// What was saved under the name meanwhile stays, and a message that was moved away is not left behind with its old
    /// key while another has its name.
    @Test(
        .enabled(if: Interposer.isAvailable),
        arguments: [
            ("newer:message", "grep -q newer message"), ("message:moved", "cmp moved before && test ! -e message"),
            ("message=other", "cmp other before && cmp message before"),
            ("message:moved;newer:message", "cmp moved before && grep -q newer message"),
        ], ["", "--force"])
    func changedMeanwhile(change: (names: String, proof: String), option: String) throws {
        try place.succeed("echo newer > newer")
        try place.fail(
            "\(try interposed("BEFORE_FSYNC_1='\(change.names)'")) \(Self.rekey) \(option)", 74,
            saying: "changed, moved or replaced")
        try place.succeed(change.proof)
        #expect(try place.names().filter { $0.hasPrefix(".rncryptor") }.isEmpty)
    }

    /// If the message is moved away and a link to it gets its name, at whatever step, it is refused and stays as it was.
    /// The twentieth call comes after the new message has its name.
    @Test(.enabled(if: Interposer.isAvailable)) func becomesALinkMeanwhile() throws {
        try place.succeed("cp message before && ln -s moved link")
        var struck = 0
        for number in 1..<20 {
            try place.succeed("rm -f message moved; cp before message; ln -sf moved link")
            let outcome = try place.shell(
                "\(try interposed("BEFORE_OPEN_\(number)='message:moved;link:message'")) \(Self.rekey)")
            guard place.exists("moved") else { continue }
            struck += 1
            #expect(outcome.status != 0, "call \(number)")
            try place.succeed("cmp moved before")
        }
        #expect(struck > 2)
    }

    /// Network file systems may have no locks, and the work goes on without. Any other failure is one.
    @Test(.enabled(if: Interposer.isAvailable), arguments: ["EBADF", "ENOLCK", "EOPNOTSUPP", "EIO"])
    func withoutLocks(error: String) throws {
        let command = "\(try interposed("FAULT=flock:1:\(error)")) \(Self.rekey)"
        guard error == "EIO" else {
            try place.succeed("\(command) && $RNCRYPTOR verify -q --key-file new-key message")
            return
        }
        try place.fail(command, 66, saying: "Input/output error")
        try place.succeed("cmp message before")
    }
}
