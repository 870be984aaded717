import CryptorTestSupport
import Foundation
import Testing

/// If files cannot be read, written or trusted to stay as they are, the command ends with an exit status and a
/// sentence, and leaves nothing half-written.
@Suite struct FileFaultTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write(Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 >> 4) }), to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o key-message plaintext")
    }

    @Test func permissions() throws {
        // The superuser may read and write everything, so the command runs as another user.
        let asNobody = getuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups" : ""
        try place.succeed("\(asNobody) true")
        try place.succeed("chmod 755 . && chmod 0 plaintext && chmod 644 key key-message && mkdir -m 555 closed")
        try place.fail(
            "\(asNobody) $RNCRYPTOR encrypt --key-file key plaintext", 66,
            saying: "plaintext: It cannot be opened: Perm")
        try place.fail(
            "\(asNobody) $RNCRYPTOR decrypt --key-file key -o closed/out key-message", 73,
            saying: "closed/out: It cannot be created: Permission denied")
    }

    @Test(.enabled(if: canMount, "mounting is not permitted here"))
    func aFullFileSystem() throws {
        try place.succeed("mkdir small")
        let mounted = "mount -t tmpfs -o size=1m none small && cp /dev/null small/there"
        for command in ["encrypt --key-file key plaintext", "decrypt --key-file key key-message"] {
            let outcome = try place.shell(
                "unshare -m sh -c '\(mounted) && $RNCRYPTOR \(command) -o small/out; echo $? > status; ls -A small'")
            #expect(try place.read("status") == Data("74\n".utf8))
            #expect(outcome.complaint.contains("small/out: It cannot be written: No space left on device"))
            #expect(String(decoding: outcome.output, as: UTF8.self) == "there\n", "nothing half-written")
        }
    }

    private static let canMount: Bool = {
        guard let place = try? Workplace() else { return false }
        return (try? place.shell("unshare -m sh -c 'mkdir m && mount -t tmpfs none m'").status) == 0
    }()

    // MARK: Changed between the two passes

    /// The reader of the plaintext is slow, so the second pass has hardly begun when the message is changed.
    private func decrypt(while change: String) throws -> (outcome: Workplace.Outcome, status: String) {
        let outcome = try place.shell(
            """
            { $RNCRYPTOR decrypt --key-file key key-message; echo $? > status; } | { head -c 1; \(change); cat; }
            """)
        return (outcome, String(decoding: try place.read("status"), as: UTF8.self))
    }

    @Test func aSourceThatIsTruncatedInTheSecondPass() throws {
        let (outcome, status) = try decrypt(while: "truncate -s 2500000 key-message")
        #expect(status == "74\n")
        let sentence = "key-message: It says that it has 3000066 bytes and ended after"
        #expect(outcome.complaint.contains(sentence), "\(outcome.complaint)")
        try expectWholeSegments(outcome.output)
    }

    @Test func aSourceThatIsAlteredInTheSecondPass() throws {
        let (outcome, status) = try decrypt(while: place.alteration(of: "key-message", at: 2_500_000))
        #expect(status == "77\n")
        #expect(outcome.complaint.contains("key-message: It was changed while it was being"), "\(outcome.complaint)")
        try expectWholeSegments(outcome.output)
    }

    @Test func aSourceThatIsReplacedInTheSecondPass() throws {
        let (outcome, status) = try decrypt(while: "cp plaintext other && mv other key-message")
        #expect(status == "0\n", "the open file is read on: \(outcome.complaint)")
        #expect(try outcome.output == place.read("plaintext"))
    }

    private func expectWholeSegments(_ output: Data) throws {
        let plaintext = try place.read("plaintext")
        #expect(output.count < plaintext.count)
        #expect(output.count.isMultiple(of: 256 * 1024))
        #expect(output == plaintext.prefix(output.count), "what came out is authentic")
    }

    // MARK: Altered

    /// If one bit of a message of 10 MiB is altered, in any of 1,000 places, not a byte comes out.
    @Test func tamperedMessagesReleaseNothing() throws {
        try place.succeed("head -c 10485760 /dev/urandom | $RNCRYPTOR encrypt --key-file key > long")
        let message = try place.read("long")
        var generator = SeededGenerator()
        let edges = [0, 1, 2, 17, 18, message.count - 49, message.count - 33, message.count - 32, message.count - 1]
        let offsets = edges + (edges.count..<1000).map { _ in Int.random(in: 0..<message.count, using: &generator) }
        let script = """
            import os, subprocess, sys
            command, offsets = os.environ["RNCRYPTOR"], map(int, sys.argv[1].split(","))
            for round, offset in enumerate(offsets):
                with open("long", "r+b") as file:
                    file.seek(offset); byte = file.read(1)[0]
                    file.seek(offset); file.write(bytes([byte ^ 1 << round % 8]))
                words = [command, "decrypt", "--key-file", "key", "long"] + (["-o", "out"] if round % 2 else [])
                run = subprocess.run(words, capture_output=True)
                if run.returncode not in (65, 77) or run.stdout or os.path.exists("out"):
                    sys.exit(f"bit {round % 8} of byte {offset}: exit {run.returncode}, {len(run.stdout)} bytes came out")
                with open("long", "r+b") as file:
                    file.seek(offset); file.write(bytes([byte]))
            """
        try place.write(script, to: "tamper.py")
        let list = offsets.map(String.init).joined(separator: ",")
        let outcome = try place.shell("python3 tamper.py \(list)")
        #expect(outcome.status == 0, "\(generator): \(outcome.complaint)")
        #expect(try place.read("long") == message, "the test put every bit back")
        try place.succeed("$RNCRYPTOR verify --quiet --key-file key long")
    }
}
