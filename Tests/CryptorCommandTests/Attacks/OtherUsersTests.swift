import Foundation
import CryptorTestSupport
import Testing

/// Other users of the same machine own files that are overwritten, put links where the command writes, and exchange
/// folders. The command runs as root, who has most to lose.
@Suite(.enabled(if: geteuid() == 0, "only root can act for others")) struct OtherUsersTests {
    private let place: Workplace

    init() throws { place = try Workplace(plaintext: "plaintext") }

    /// Plaintext does not go to another user's terminal through a link that this user has put there.
    @Test(arguments: ["777", "1777"]) func linksToTheirTerminals(mode: String) throws {
        let terminal = try PseudoTerminal("tty > name; echo ready; read line", in: place.folder)
        try terminal.wait(for: "ready")
        try place.succeed("mkdir folder && chmod \(mode) folder && ln -s $(cat name) folder/link")
        try place.fail(
            "chown -h nobody folder/link; $RNCRYPTOR decrypt --key-file key -o folder/link message", 73,
            saying: "another user")
        terminal.type("\n")
        #expect(terminal.finish() == 0 && !terminal.everything.contains("plaintext"), "\(terminal.everything)")
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
            guard self == .decryptBeside, let bits = Int(mode, radix: 8) else { return "nobody daemon \(mode)\n" }
            let both = bits & bits >> 3 & bits >> 6 & 7
            return "root root \(String(bits & 0o700 | both << 3 | both, radix: 8))\n"
        }

        /// The file that the output replaces, or takes its permissions from.
        var pattern: String { self == .decryptBeside ? "target.rnc" : "target" }
    }

    /// Owner, group and permissions of `target`.
    private func look() throws -> String { try place.text("stat -c '%U %G %a' target") }

    /// Owner, group and rights stay, and special bits are never passed on.
    @Test(
        arguments: Work.allCases,
        ["640", "600", "664", "444", "604", "4755", "2755", "6755", "1755", "4000", "7777"])
    func ownerAndRightsStay(work: Work, mode: String) throws {
        try place.succeed(
            "cp message \(work.pattern) && chown nobody:daemon \(work.pattern) && chmod \(mode) \(work.pattern)")
        try place.succeed("$RNCRYPTOR \(work.rawValue)")
        let permissions = String(Int(mode, radix: 8).map { $0 & 0o777 } ?? 0, radix: 8)
        #expect(try look() == work.look(permissions), "\(work), \(mode)")
    }

    /// The mode before, the one after, and what makes access lists.
    private static let narrowings: [(modes: String, lists: String)] = [
        ("664 644", ""), ("640 600", ""), ("646 644", ""), ("604 600", ""), ("660 600", ""), ("666 666", ""),
        ("664 600", list), ("664 600", "chgrp nogroup folder/target; \(list)"),
        ("664 600", "setfacl -d -m u:daemon:rwx,g::rwx folder; \(list)"),
    ]
    private static let list = "setfacl -m u:daemon:rw,g::- folder/target"

    /// A user who may replace a file but not give it away becomes its owner, and nobody else gets a right. An access list
    /// goes, since its entries would apply to others, and the folder's own takes no effect.
    @Test(arguments: narrowings) func rightsOnlyNarrow(modes: String, lists: String) throws {
        let (mode, expected) = (modes.prefix(3), modes.suffix(3))
        try place.succeed(
            """
            cp $RNCRYPTOR command && mkdir folder && cp message key folder && touch folder/target
            chown nobody:nogroup folder folder/key && chown root:daemon folder/target && chmod \(mode) folder/target
            \(lists)
            cd folder && setpriv --reuid=nobody --regid=nogroup --clear-groups \
                ../command decrypt --key-file key --force -o target message
            mv target ..
            """)
        #expect(try look() == "nobody nogroup \(expected)\n", "\(modes), \(lists)")
        #expect(try !place.text("getfacl -cp target").contains("daemon"), "\(modes), \(lists)")
        #expect(try place.read("target") == Data("plaintext".utf8))
    }

    /// Access lists are kept, and the list that a folder gives to new files adds none. With `group::---` and a mask of
    /// `rw-`, the group has no rights, although the mode looks as if it had.
    @Test(arguments: [Work.decrypt, .encrypt, .rekey, .rekeyOver], ["", "setfacl -m g::---,u:daemon:rw target"])
    func accessListsStay(work: Work, list: String) throws {
        try place.succeed("cp message target && chmod 660 target; \(list)")
        let before = try place.succeed("getfacl -cp target; setfacl -d -m u:daemon:rwx .")
        try place.succeed("$RNCRYPTOR \(work.rawValue)")
        #expect(try place.succeed("getfacl -cp target") == before, "\(work)")
    }

    /// If the source or the folder has an access list, an output beside the source is its owner's only.
    @Test(
        arguments: [Work.encryptBeside, .decryptBeside],
        ["setfacl -m u:daemon:rw target*", "setfacl -d -m u:daemon:rw,g::rw ."])
    func besideAnAccessList(work: Work, list: String) throws {
        for nameless in Interposer.isAvailable ? ["", "refused"] : [""] {
            let library = nameless.isEmpty ? "" : try Interposer.path("faults")
            try place.succeed(
                "rm -f target*; cp message \(work.pattern) && setfacl -b target* && chmod 664 target*; \(list)")
            try place.succeed(
                "$RNCRYPTOR \(work.rawValue)", environment: ["LD_PRELOAD": library, "NAMELESS": nameless])
            let found = try place.text("getfacl -cpE target")
            #expect(found == "user::rw-\ngroup::---\nother::---\n\n", "\(work), \(list), \(nameless)")
        }
    }

    /// In a folder such as /tmp, root does not write through a link that another user has put under the output's name.
    /// Those of the folder's owner are followed, and all where nobody else may put any.
    @Test(
        arguments: ["decrypt --key-file key --force", "rekey --key-file key --new-key-file new-key --force"],
        [
            ("1777", "nobody", false), ("777", "nobody", false), ("1777", "root", true), ("1777", "daemon", true),
            ("1755", "nobody", true),
        ])
    func linksOfOthers(work: String, link: (mode: String, owner: String, isFollowed: Bool)) throws {
        try place.succeed(
            """
            mkdir shared && chown daemon shared && chmod \(link.mode) shared && echo untouched > victim
            ln -s ../victim shared/link && chown -h \(link.owner) shared/link
            """)
        let command = "$RNCRYPTOR \(work) -o shared/link message"
        if link.isFollowed { try place.succeed(command) } else { try place.fail(command, 73, saying: "link: ") }
        #expect(try (place.read("victim") == Data("untouched\n".utf8)) != link.isFollowed, "\(link)")
        #expect(try place.text("readlink shared/link; ls shared") == "../victim\nlink\n")
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

    /// A plaintext that replaces another user's file does not become readable for that user. It gets the message's
    /// times. The group of the caller's own message keeps its rights, because the caller gave them.
    @Test func aPlaintextStaysItsReaders() throws {
        try place.succeed(
            """
            cp message own.rnc && chgrp daemon own.rnc && chmod 664 own.rnc
            chmod 600 message && touch -d @1000000000 message && touch -ad @900000000 message && mv message x.rnc
            echo > x && chown nobody x && chmod 600 x
            $RNCRYPTOR decrypt --force --key-file key --suffix .rnc x.rnc own.rnc && mv x target
            """)
        #expect(try place.text("stat -c '%U %G %a %X %Y' target") == "root root 600 900000000 1000000000\n")
        #expect(try place.text("stat -c '%U %G %a' own") == "root daemon 664\n")
        #expect(try place.read("target") == Data("plaintext".utf8))
    }

    /// Rights that the owner takes away while the file is replaced do not come back, whether the file stays the same or not.
    @Test(arguments: ["chmod 600 target", "echo other > other && chmod 600 other && mv other target"])
    func rightsThatWereTakenAwayMeanwhile(change: String) throws {
        try place.succeed(
            """
            mkfifo slow && echo old > target && chmod 644 target
            head -c 100000 /dev/zero | $RNCRYPTOR encrypt --key-file key -o long
            $RNCRYPTOR decrypt --key-file key --force -o target slow & command=$!
            exec 3>slow && head -c 50000 long >&3
            for wait in $(seq 6000); do ls -l /proc/$command/fd 2> /dev/null | grep -q '(deleted)$' && break; sleep 0.01; done
            \(change) && tail -c +50001 long >&3 && exec 3>&- && wait $command
            """)
        #expect(try look() == "root root 600\n")
    }

    /// The list that a folder gives to new files counts, also where an unfinished file has a name.
    @Test(.enabled(if: Interposer.isAvailable), arguments: ["", "refused"])
    func newFilesAreAsTheFolderSays(nameless: String) throws {
        try place.succeed("mkdir folder && setfacl -d -m u::rwx,g::-,o::- folder && echo > folder/other")
        try place.succeed(
            "LD_PRELOAD=\(try Interposer.path("faults")) $RNCRYPTOR decrypt --key-file key -o folder/new message",
            environment: ["NAMELESS": nameless])
        #expect(
            try place.succeed("getfacl -c folder/new") == place.succeed("getfacl -c folder/other"), "\(nameless)")
        #expect(try place.succeed("ls -A folder") == Data("new\nother\n".utf8))
    }
}
