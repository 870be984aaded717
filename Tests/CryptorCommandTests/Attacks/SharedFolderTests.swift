import Foundation
import CryptorTestSupport
import Testing

/// Folders that everybody may write to, and file systems that do less than they are told.
@Suite(.enabled(if: geteuid() == 0, "only root can act for others")) struct SharedFolderTests {
    private let place: Workplace

    init() throws {
        place = try Workplace(plaintext: "plaintext")
        try place.succeed("mkdir pub && chmod 1777 pub && chmod 755 . && chmod 600 message")
    }

    private func asNobody(_ command: String) -> String {
        "setpriv --reuid=65534 --regid=65534 --clear-groups \(command)"
    }

    /// Another user's FIFO is refused, since that user may read from its other end.
    @Test(arguments: ["decrypt -o pub/out message", "encrypt -o pub/out plaintext"])
    func aFIFO(work: String) throws {
        try place.succeed(asNobody("mkfifo pub/out"))
        let outcome = try place.shell(
            "cat pub/out > stolen & timeout -s KILL 5 $RNCRYPTOR \(work) --key-file key; s=$?; "
                + "kill -KILL $!; wait; exit $s")
        #expect(outcome.status == 73 && outcome.complaint.contains("another user put"), "\(outcome)")
    }

    /// A FIFO is written to if it belongs to the user, or to the owner of the folder.
    @Test(arguments: [("root", "pub"), ("daemon", "theirs")])
    func aFIFOOfOnesOwn(owner: String, folder: String) throws {
        try place.succeed("mkdir -p theirs && chown daemon theirs && chmod 777 theirs")
        try place.succeed("mkfifo \(folder)/out && chown \(owner) \(folder)/out")
        try place.succeed(
            "cat \(folder)/out > read & $RNCRYPTOR decrypt --key-file key -o \(folder)/out message; wait; cmp read plaintext"
        )
    }

    private func interposed(_ variables: String) throws -> String {
        "LD_PRELOAD=\(try Interposer.path("faults")) NAMELESS=refused \(variables)"
    }

    /// A folder may be one that a user can write to and not list.
    @Test(.enabled(if: Interposer.isAvailable), arguments: ["", "NAMELESS=refused"])
    func aDropFolder(nameless: String) throws {
        try place.succeed("mkdir drop && chmod 733 drop && install -m 600 -o nobody key theirs")
        let library = nameless.isEmpty ? "" : try Interposer.path("faults")
        try place.succeed(
            asNobody(
                "env LD_PRELOAD=\(library) \(nameless) $RNCRYPTOR encrypt --key-file theirs -o drop/message plaintext"))
        try place.succeed("ls -A drop && $RNCRYPTOR decrypt --key-file key drop/message | cmp - plaintext")
    }

    /// A folder's default list does not give others access to a key file before its permissions are set.
    @Test(.enabled(if: Interposer.isAvailable)) func keysUnderADefaultList() throws {
        try place.succeed("mkdir lists && setfacl -d -m u:nobody:rw lists")
        try place.succeed("\(try interposed("")) $RNCRYPTOR keygen -o lists/fresh && chmod 711 lists")
        #expect(try place.shell(asNobody("cat lists/fresh")).status != 0)
        #expect(try place.succeed("stat -c %a lists/fresh") == Data("600\n".utf8))
    }

    /// A secret behind another user's link is refused: the owner of the secret can read everything that is encrypted
    /// with it.
    @Test(arguments: ["--key-file", "--password-file", "--new-key-file", "--new-password-file"])
    func secretsBehindALink(option: String) throws {
        try place.succeed("cp key pub/secret; ln -s secret pub/own; chown -h nobody pub/secret; chmod 600 pub/secret")
        try place.succeed("mkdir free && chmod 777 free")
        for folder in ["pub", "free"] {
            try place.succeed("rm -f \(folder)/theirs; \(asNobody("ln -s ../key \(folder)/theirs"))")
            let words = option.hasPrefix("--new") ? "rekey --key-file key message" : "encrypt plaintext"
            try place.fail("$RNCRYPTOR \(words) -o out \(option) \(folder)/theirs", 66, saying: "another user")
        }
        try place.succeed("$RNCRYPTOR encrypt --key-file pub/own -o out plaintext")
    }

    /// Nor is a link followed that takes the name before a call that opens a file or folder, whichever it is.
    @Test(.enabled(if: Interposer.isAvailable)) func secretsThatBecomeALink() throws {
        var complaints = ""
        for number in 1...20 {
            try place.succeed("rm -f pub/* out; cp key pub/secret; \(asNobody("ln -s ../new-key pub/theirs"))")
            let exchange = try interposed("BEFORE_OPEN_\(number)=pub/theirs:pub/secret")
            let outcome = try place.shell("\(exchange) $RNCRYPTOR encrypt --key-file pub/secret -o out plaintext")
            complaints += outcome.complaint
            if outcome.status == 0 { try place.succeed("$RNCRYPTOR decrypt --key-file key out | cmp - plaintext") }
        }
        #expect(complaints.contains("Another file took its name"), "\(complaints)")
    }

    /// /dev/stdin leads to the file that is open, not to a file that has its name by now.
    @Test(arguments: ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/proc/$$/fd/0"])
    func whatIsOpen(path: String) throws {
        let encrypt = "$RNCRYPTOR encrypt --key-file key -o out \(path)"
        let compare = "$RNCRYPTOR decrypt --key-file key out | cmp - plaintext && rm out"
        // The file was removed, and another file has the name that /proc shows for it now.
        try place.succeed("cp plaintext x; { rm x; echo trap > 'x (deleted)'; \(encrypt); } < x && \(compare)")
        // Another file was mounted over it. A test may not do that everywhere.
        if try place.shell("unshare -m true").status == 0 {
            try place.succeed(
                "cp plaintext x; unshare -m sh -c '{ mount --bind key x; \(encrypt); } < x' && \(compare)")
        }
        // The file's path is out of reach.
        try place.succeed("mkdir closed && cp plaintext closed/x && chmod 700 closed && chmod 777 .")
        try place.succeed("\(asNobody("sh -c '\(encrypt)'")) < closed/x && \(compare)")
    }

    /// A user who may give files away and not change those of others, as in containers, keeps owner, group and times. The
    /// file stays its owner's only.
    @Test(arguments: ["+chown", "+chown,+dac_override"])
    func onlyGivingAway(capabilities: String) throws {
        try place.succeed("chmod 777 .; cp plaintext given; cp message old; touch -d @1000000000 given")
        try place.succeed(
            "chown nobody:daemon given old; chmod 644 given old; install -m 600 key key2; install -m 600 new-key key3")
        let drop = "setpriv --bounding-set=-all,\(capabilities) --inh-caps=-all --"
        try place.succeed("\(drop) $RNCRYPTOR encrypt --key-file key2 --suffix .rnc given")
        try place.succeed("\(drop) $RNCRYPTOR rekey --key-file key2 --new-key-file key3 old")
        for name in ["given.rnc", "old"] {
            #expect(try place.text("stat -c '%U %G %a' \(name)") == "nobody daemon 600\n", "\(name)")
        }
        #expect(try place.succeed("stat -c %Y given.rnc") == Data("1000000000\n".utf8))
    }
}
