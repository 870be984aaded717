import CryptorTestSupport
import Foundation
import Testing

/// A message that is given another key in its place, while others do something with it.
@Suite struct RekeyInPlaceTests {
    private let place: Workplace
    private static let rekey = "$RNCRYPTOR rekey --key-file key --new-key-file new-key message"

    init() throws {
        place = try Workplace()
        try place.write("plaintext", to: "plaintext")
        for name in ["new-key", "key1", "key2"] { try place.succeed("$RNCRYPTOR keygen -o \(name)") }
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext")
    }

    private func interposed(_ variables: String) throws -> String {
        "LD_PRELOAD=\(try Interposer.build("faults", in: place)) FAULT_NOTE=/dev/null \(variables)"
    }

    /// Of two at the same time, one succeeds and the other changes nothing, or both change nothing.
    @Test func twoAtTheSameTime() throws {
        let outcomes = try place.succeed(
            """
            for number in $(seq 200); do
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
        let lines = String(decoding: outcomes, as: UTF8.self).split(separator: "\n").map(String.init)
        let expected = ["1: key1", "2: key2", ": key"]
        #expect(lines.count == 200 && lines.allSatisfy(expected.contains), "\(Set(lines).subtracting(expected))")
        #expect(Set(lines).count > 1, "the two were never at work at the same time: \(Set(lines))")
    }

    /// What was saved under the name meanwhile stays, and a message that was moved away is not left behind with its old
    /// key while another has its name.
    @Test(
        .enabled(if: Interposer.isAvailable),
        arguments: ["newer:message", "message:moved", "message=other", "message:moved;newer:message"], ["", "--force"])
    func changedMeanwhile(change: String, option: String) throws {
        try place.succeed("echo newer > newer; cp message before")
        try place.fail(
            "\(try interposed("BEFORE_FSYNC_1='\(change)'")) \(Self.rekey) \(option)", 74,
            saying: "changed, moved or exch")
        switch change {
        case "newer:message": #expect(try place.read("message") == Data("newer\n".utf8))
        case "message:moved": try place.succeed("cmp moved before && test ! -e message")
        case "message=other": try place.succeed("cmp other before && cmp message before")
        default: try place.succeed("cmp moved before && grep -q newer message")
        }
        #expect(try place.names().filter { $0.hasPrefix(".rncryptor") }.isEmpty)
    }

    /// A link may lead to another file at any time, and under another name the old message would stay.
    @Test(arguments: [
        ("ln -s message link", "link", 66, "It is a symbolic link, and was not touched"),
        ("ln message link", "link", 73, "It has 2 names (hard links), and was not touched"),
        ("ln message link", "--force message", 73, "It has 2 names (hard links), and was not touched"),
    ])
    func notThisOneFile(preparation: String, name: String, status: Int32, sentence: String) throws {
        try place.succeed("cp message before; \(preparation)")
        try place.fail("$RNCRYPTOR rekey --key-file key --new-key-file new-key \(name)", status, saying: sentence)
        try place.succeed("cmp message before && cmp link before")
    }

    /// Whoever holds the lock is not disturbed.
    @Test func lockedByAnother() throws {
        try place.succeed("cp message before")
        let refused = try place.shell("flock message \(Self.rekey)")
        #expect(refused.status == 66 && refused.complaint.contains("being replaced by another program"), "\(refused)")
        try place.succeed("cmp message before && \(Self.rekey) && $RNCRYPTOR verify -q --key-file new-key message")
    }

    /// Network file systems may have no locks, and the work goes on without. Any other failure is one.
    @Test(.enabled(if: Interposer.isAvailable), arguments: ["EBADF", "ENOLCK", "EOPNOTSUPP", "EIO"])
    func withoutLocks(error: String) throws {
        let command = "\(try interposed("FAULT=flock:1:\(error)")) \(Self.rekey)"
        guard error == "EIO" else {
            try place.succeed("\(command) && $RNCRYPTOR verify -q --key-file new-key message")
            return
        }
        try place.succeed("cp message before")
        try place.fail(command, 66, saying: "Input/output error")
        try place.succeed("cmp message before")
    }

    /// The new message has the rights of the old one, also if that was another user's.
    @Test(.enabled(if: geteuid() == 0, "only root can act for others"), arguments: ["600", "640", "444"])
    func rightsStay(mode: String) throws {
        try place.succeed("chown nobody:daemon message && chmod \(mode) message && \(Self.rekey)")
        #expect(try place.succeed("stat -c '%U %G %a' message") == Data("nobody daemon \(mode)\n".utf8))
    }
}
