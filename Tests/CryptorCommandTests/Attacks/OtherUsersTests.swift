import Foundation
import CryptorTestSupport
import Testing

/// Other users of the same machine put links to their terminals where root writes.
/// `other-users.txt` and `shared-directories.txt` have what else they do.
@Suite(.onItsOwnThread, .enabled(if: geteuid() == 0, "only root can act for others"))
struct OtherUsersTests {
    private let place: Workplace

    init() throws { place = try Workplace(plaintext: "plaintext") }

    /// Plaintext does not go to another user's terminal through a link that this user has put
    /// there.
    @Test(arguments: ["777", "1777"]) func linksToTheirTerminals(mode: String) throws {
        let terminal = try PseudoTerminal("tty > name; echo ready; read line", in: place.directory)
        try terminal.wait(for: "ready")
        try place.succeed(
            "mkdir directory && chmod \(mode) directory && ln -s $(cat name) directory/link")
        let outcome = try place.shell(
            "chown -h nobody directory/link; "
                + "$RNCRYPTOR decrypt --key-file key -o directory/link message"
        )
        #expect(outcome.status == 73 && outcome.complaint.contains("another user"), "\(outcome)")
        terminal.type("\n")
        #expect(
            terminal.finish() == 0 && !terminal.everything.contains("plaintext"),
            "\(terminal.everything)")
        // The user's own link is followed.
        let own = try PseudoTerminal(
            "ln -s $(tty) own; $RNCRYPTOR decrypt --key-file key -o own message; read line",
            in: place.directory)
        try own.wait(for: "plaintext")
        own.type("\n")
        #expect(own.finish() == 0)
    }
}
