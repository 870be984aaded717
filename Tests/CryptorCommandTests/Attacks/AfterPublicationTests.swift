import Foundation
import CryptorTestSupport
import Testing

/// If something fails after the output has its name, the error says that the output is complete.
@Suite(.enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer")) struct AfterPublicationTests {
    private let place: Workplace
    private let interposer: String

    init() throws {
        place = try Workplace()
        interposer = try Interposer.build("faults", in: place)
        try place.write("plaintext", to: "plaintext")
        try place.write(String(repeating: "fedcba9876543210", count: 8), to: "new-key")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext")
    }

    /// The last fsync(2), which fails here, is that of the folder.
    @Test(arguments: [
        ("rekey --key-file key --new-key-file new-key message", "verify -q --key-file new-key message"),
        ("encrypt --key-file key -o out plaintext", "verify -q --key-file key out"),
        ("decrypt --key-file key -o out message", "--version > /dev/null && cmp out plaintext"),
        ("encrypt --key-file key --suffix .rnc --remove-source plaintext", "verify -q --key-file key plaintext.rnc"),
    ])
    func theFolderCannotBeSynchronised(words: String, proof: String) throws {
        let outcome = try place.shell(
            "LD_PRELOAD=\(interposer) $RNCRYPTOR \(words)",
            environment: ["FAULT": "fsync:2:EIO", "FAULT_NOTE": "/dev/null"])
        #expect(outcome.status == 74, "\(words): \(outcome.complaint)")
        #expect(outcome.complaint.contains("It is complete and has its name."), "\(words): \(outcome.complaint)")
        #expect(!outcome.complaint.contains("left behind"), "\(words): \(outcome.complaint)")
        try place.succeed("$RNCRYPTOR \(proof)")
        // It is not certain that the message is on the disk, so its source stays.
        #expect(place.exists("plaintext"), "\(words)")
    }

    /// Removing the source is the last step, so the output is complete when it fails.
    @Test func theSourceCannotBeRemoved() throws {
        let outcome = try place.shell(
            "LD_PRELOAD=\(interposer) $RNCRYPTOR encrypt --key-file key --suffix .rnc --remove-source plaintext",
            environment: ["FAULT": "remove:1:EIO", "FAULT_NOTE": "/dev/null"])
        #expect(outcome.status == 74, "\(outcome.complaint)")
        #expect(
            outcome.complaint.contains("plaintext: Its output is complete. It was not removed: Input/output error."),
            "\(outcome.complaint)")
        try place.succeed("$RNCRYPTOR verify -q --key-file key plaintext.rnc && cat plaintext")
    }
}
