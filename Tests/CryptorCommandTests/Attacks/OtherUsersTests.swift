import Foundation
import CryptorTestSupport
import Testing

/// Other users of the same machine own files that are overwritten, put links where the command writes, and exchange
/// folders. The command runs as root, who has most to lose.
@Suite(.enabled(if: geteuid() == 0, "only root can act for others")) struct OtherUsersTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("plaintext", to: "plaintext")
        try place.write(String(repeating: "fedcba9876543210", count: 8), to: "new-key")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext")
    }

    /// Plaintext does not go to another user's terminal through a link that this user has put there.
    @Test(arguments: ["777", "1777"]) func linksToTheirTerminals(mode: String) throws {
        let terminal = try PseudoTerminal("tty > name; echo ready; read line", in: place.folder)
        try terminal.wait(for: "ready")
        let outcome = try place.shell(
            """
            mkdir folder && chmod \(mode) folder && ln -s $(cat name) folder/link && chown -h nobody folder/link
            $RNCRYPTOR decrypt --key-file key -o folder/link message
            """)
        #expect(outcome.status == 73, "\(outcome.complaint)")
        #expect(outcome.complaint.contains("another user"), "\(outcome.complaint)")
        terminal.forget()
        while terminal.showsMore(within: 300) { terminal.forget() }
        #expect(!terminal.everything.contains("plaintext"), "\(terminal.everything)")
        terminal.type("\n")
        #expect(terminal.finish() == 0)
        // The user's own link is followed.
        let own = try PseudoTerminal(
            "ln -s $(tty) own; $RNCRYPTOR decrypt --key-file key -o own message; read line", in: place.folder)
        try own.wait(for: "plaintext")
        own.type("\n")
        #expect(own.finish() == 0)
    }

    /// Commands that overwrite a file of another owner, or write beside one.
    enum Work: String, CaseIterable {
        case decrypt = "decrypt --key-file key --force -o target message"
        case encrypt = "encrypt --key-file key --force -o target plaintext"
        case rekey = "rekey --key-file key --new-key-file new-key target"
        case rekeyOver = "rekey --key-file key --new-key-file new-key --force -o target message"
        case encryptBeside = "encrypt --key-file key --suffix .out target && mv target.out target"
        case decryptBeside =
            "decrypt --key-file key --suffix .rnc target.rnc && mv target target.x && mv target.x target"

        /// The expected owner, group and permissions of the output. Neither the owner of a message nor its group gets
        /// the plaintext.
        func look(_ mode: String) -> String {
            guard self == .decryptBeside, let bits = Int(mode, radix: 8) else { return "nobody daemon \(mode)" }
            let both = bits & bits >> 3 & bits >> 6 & 7
            return "root root \(String(bits & 0o700 | both << 3 | both, radix: 8))"
        }

        /// Creates the file that the output replaces, or takes its permissions from.
        var preparation: String {
            self == .decryptBeside
                ? "cp message target.rnc && ln -s target.rnc look" : "cp message target && ln -s target look"
        }
    }

    /// Owner, group and permissions of `target`.
    private func look() throws -> String {
        String(decoding: try place.succeed("stat -c '%U %G %a' target"), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test(arguments: Work.allCases, ["4755", "2755", "6755", "1755", "4000", "7777"])
    func specialBitsAreNeverPassedOn(work: Work, mode: String) throws {
        try place.succeed(
            "\(work.preparation) && chown nobody:daemon $(readlink look) && chmod \(mode) $(readlink look)")
        try place.succeed("$RNCRYPTOR \(work.rawValue)")
        let permissions = String(Int(mode, radix: 8).map { $0 & 0o777 } ?? 0, radix: 8)
        #expect(try look() == work.look(permissions), "\(work), \(mode)")
    }

    @Test(arguments: Work.allCases, ["640", "600", "664", "444", "604"])
    func ownerAndRightsStay(work: Work, mode: String) throws {
        try place.succeed(
            "\(work.preparation) && chown nobody:daemon $(readlink look) && chmod \(mode) $(readlink look)")
        try place.succeed("$RNCRYPTOR \(work.rawValue)")
        #expect(try look() == work.look(mode), "\(work), \(mode)")
    }

    /// A user who may replace a file but not give it away becomes its owner, and nobody else gets a right.
    @Test(arguments: [("664", "644"), ("640", "600"), ("646", "644"), ("604", "600"), ("660", "600"), ("666", "666")])
    func rightsOnlyNarrow(mode: String, expected: String) throws {
        try place.succeed(
            """
            cp $RNCRYPTOR command && mkdir folder && cp message key folder && touch folder/target
            chown nobody:nogroup folder folder/key && chown root:daemon folder/target && chmod \(mode) folder/target
            cd folder && setpriv --reuid=nobody --regid=nogroup --clear-groups \
                ../command decrypt --key-file key --force -o target message
            mv target ..
            """)
        #expect(try look() == "nobody nogroup \(expected)", "\(mode)")
        #expect(try place.read("target") == Data("plaintext".utf8))
    }

    /// Access lists are kept. With `group::---` and a mask of `rw-`, the group has no rights, although the mode looks
    /// as if it had.
    @Test(arguments: [Work.decrypt, .encrypt, .rekey, .rekeyOver])
    func accessListsStay(work: Work) throws {
        try place.succeed("\(work.preparation) && setfacl -m g::---,u:daemon:rw $(readlink look)")
        let before = try place.succeed("getfacl -cp $(readlink look)")
        try place.succeed("$RNCRYPTOR \(work.rawValue)")
        #expect(try place.succeed("getfacl -cp target") == before, "\(work)")
    }

    /// The list that a folder gives to new files does not widen the rights of a file that replaces another.
    @Test(arguments: [Work.decrypt, .encrypt, .rekey])
    func theFolderWidensNothing(work: Work) throws {
        try place.succeed("\(work.preparation) && chmod 660 target && setfacl -d -m u:daemon:rwx .")
        try place.succeed("$RNCRYPTOR \(work.rawValue)")
        let list = String(decoding: try place.succeed("getfacl -cp target"), as: UTF8.self)
        #expect(list == "user::rw-\ngroup::rw-\nother::---\n\n", "\(work)")
    }

    /// As with gzip(1), an output beside its source keeps the source's permissions, owner and time.
    @Test func besideItsSource() throws {
        try place.succeed("chmod 600 plaintext && touch -d '2001-02-03 04:05:06' plaintext && chown nobody plaintext")
        let before = try place.succeed("stat -c '%a %U %y' plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key --suffix .rnc --remove-source plaintext")
        #expect(try place.succeed("stat -c '%a %U %y' plaintext.rnc") == before)
        try place.succeed("chown 0 plaintext.rnc && $RNCRYPTOR decrypt --key-file key --suffix .rnc plaintext.rnc")
        #expect(try place.succeed("chown nobody plaintext && stat -c '%a %U %y' plaintext") == before)
    }

    /// In a folder such as /tmp, root does not write through a link that another user has put under the output's name.
    @Test(arguments: ["decrypt --key-file key --force", "rekey --key-file key --new-key-file new-key --force"])
    func linksOfOthers(work: String) throws {
        try place.succeed(
            """
            mkdir shared && chmod 1777 shared && echo untouched > victim
            ln -s ../victim shared/theirs && chown -h nobody shared/theirs && ln -s ../victim shared/own
            """)
        try place.fail("$RNCRYPTOR \(work) -o shared/theirs message", 73, saying: "another user put into a folder")
        #expect(try place.read("victim") == Data("untouched\n".utf8))
        try place.succeed("$RNCRYPTOR \(work) -o shared/own message")
        #expect(try place.read("victim") != Data("untouched\n".utf8))
    }

    /// The owner of a folder exchanges it for a link to root's folder while the output is written. The output stays in
    /// the folder that was opened.
    @Test func foldersExchangedMeanwhile() throws {
        try place.succeed(
            """
            mkdir theirs roots && mkfifo slow && echo secret > roots/message
            $RNCRYPTOR encrypt --key-file key --force -o theirs/message slow & command=$!
            exec 3>slow && head -c 4 plaintext >&3
            for wait in $(seq 6000); do ls -l /proc/$command/fd 2> /dev/null | grep -q 'theirs$' && break; sleep 0.01; done
            mv theirs moved && ln -s roots theirs && tail -c +5 plaintext >&3 && exec 3>&- && wait $command
            """)
        #expect(try place.read("roots/message") == Data("secret\n".utf8))
        try place.succeed("$RNCRYPTOR decrypt --key-file key -o decrypted moved/message && cmp decrypted plaintext")
    }

    /// A plaintext that replaces another user's file does not become readable for that user.
    @Test func aPlaintextStaysItsReaders() throws {
        try place.succeed("chmod 600 message && ln -s message x.rnc && echo > x && chown nobody x && chmod 600 x")
        try place.succeed("$RNCRYPTOR decrypt --force --key-file key --suffix .rnc x.rnc && mv x target")
        #expect(try look() == "root root 600")
        #expect(try place.read("target") == Data("plaintext".utf8))
    }

    /// Rights that the owner takes away while the file is replaced do not come back.
    @Test func rightsThatWereTakenAwayMeanwhile() throws {
        try place.succeed(
            """
            mkfifo slow && echo old > target && chmod 644 target
            head -c 100000 /dev/zero | $RNCRYPTOR encrypt --key-file key -o long
            $RNCRYPTOR decrypt --key-file key --force -o target slow & command=$!
            exec 3>slow && head -c 50000 long >&3
            for wait in $(seq 6000); do ls -l /proc/$command/fd 2> /dev/null | grep -q '(deleted)$' && break; sleep 0.01; done
            chmod 600 target && tail -c +50001 long >&3 && exec 3>&- && wait $command
            """)
        #expect(try look() == "root root 600")
    }

    /// The list that a folder gives to new files counts, also where an unfinished file has a name.
    @Test(.enabled(if: Interposer.isAvailable), arguments: ["", "refused"])
    func newFilesAreAsTheFolderSays(nameless: String) throws {
        let interposer = try Interposer.build("faults", in: place)
        try place.succeed("mkdir folder && setfacl -d -m u::rwx,g::-,o::- folder && echo > folder/other")
        try place.succeed(
            "LD_PRELOAD=\(interposer) $RNCRYPTOR decrypt --key-file key -o folder/new message",
            environment: ["NAMELESS": nameless])
        #expect(
            try place.succeed("getfacl -c folder/new") == place.succeed("getfacl -c folder/other"), "\(nameless)")
        #expect(try place.succeed("ls -A folder") == Data("new\nother\n".utf8))
    }
}
