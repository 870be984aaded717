import Foundation
import CryptorTestSupport
import Testing

/// `--recursive`, and files that already have the suffix.
@Suite struct RecursionTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.succeed(
            """
            mkdir -p d/e/f d/empty elsewhere; ln -s ../elsewhere d/folder; ln -s ../elsewhere/x d/link; mkfifo d/pipe
            printf 0 > elsewhere/x; printf 1 > d/a; printf 2 > d/e/b; printf 3 > 'd/e/c d'; printf 4 > "d/e/f/$(printf 'n\\377\\n')"
            cp -a d before
            """)
    }

    private func files(_ folder: String) throws -> Set<String> {
        Set(
            String(decoding: try place.succeed("cd \(folder) && find . -type f -print0"), as: UTF8.self).split(
                separator: "\0"
            ).map(String.init))
    }

    /// An unfinished file that a killed run has left is not encrypted: its bytes may never have been verified, but the
    /// message would be authentic.
    @Test func unfinishedFiles() throws {
        let name = "d/e/.rncryptor-unfinished-0123456789abcdef"
        try place.write("unfinished", to: name)
        try place.fail(
            "$RNCRYPTOR encrypt -r --key-file key --suffix .rnc --remove-source d", 66,
            saying: "d/e/.rncryptor-unfinished-0123456789abcdef: It may be unfinished")
        #expect(try place.read(name) == Data("unfinished".utf8))
        #expect(try files("d").count { $0.hasSuffix(".rnc") } == 4)
        // The unfinished file is not one of the messages.
        try place.succeed("$RNCRYPTOR decrypt -r --key-file key --suffix .rnc d")
    }

    /// Files in a folder come back as they were, and what is not a file is untouched.
    @Test(arguments: ["d", "d/", "./d", "\"$PWD\"/d"]) func thereAndBack(name: String) throws {
        try place.succeed("$RNCRYPTOR encrypt -r --key-file key --suffix .rnc --remove-source \(name)")
        #expect(try files("d").allSatisfy { $0.hasSuffix(".rnc") } && files("d").count == 4)
        let verified = try place.succeed("$RNCRYPTOR verify --recursive --key-file key \(name)")
        #expect(verified.count { $0 == 10 } == 4)
        let inspected = try place.succeed("$RNCRYPTOR inspect -r --json \(name)")
        #expect(inspected.count { $0 == 10 } == 4)
        try place.succeed("$RNCRYPTOR keygen -o other; $RNCRYPTOR rekey -r --key-file key --new-key-file other \(name)")
        try place.succeed("$RNCRYPTOR decrypt -r --key-file other --suffix .rnc --remove-source \(name)")
        try place.succeed(
            "diff -r -x pipe --no-dereference before/e d/e && cmp before/a d/a && [ \"$(cat elsewhere/x)\" = 0 ]")
        #expect(try files("elsewhere") == ["./x"])
    }

    /// A second run, as after an interruption, has little or nothing to do.
    @Test func asOftenAsOneLikes() throws {
        let encrypt = "$RNCRYPTOR encrypt -r --key-file key --suffix .rnc --remove-source d"
        try place.succeed(encrypt)
        try place.succeed("printf 5 > d/new; cp -a d once")
        try place.succeed(encrypt)
        #expect(try files("d").count == 5)
        try place.succeed("rm d/new.rnc once/new; diff -r -x pipe --no-dereference once d")
        let outcome = try place.shell(encrypt)
        #expect(outcome.status == 0 && outcome.complaint.contains("note: There is no file"), "\(outcome.complaint)")
    }

    @Test func namedWithTheSuffix() throws {
        try place.succeed(
            "printf 1 > one; printf 2 > two; $RNCRYPTOR encrypt --key-file key --suffix .rnc one; cp one.rnc copy")
        let outcome = try place.shell(
            "$RNCRYPTOR encrypt --key-file key --suffix .rnc --remove-source one.rnc two .rnc")
        // This name is only the suffix.
        #expect(outcome.status != 0 && outcome.complaint.contains(".rnc: It cannot be opened"))
        #expect(outcome.complaint.contains("note: one.rnc: Its name has the suffix already"), "\(outcome.complaint)")
        try place.succeed("cmp one.rnc copy; ! test -e one.rnc.rnc && test -e two.rnc && ! test -e two")
        try place.fail("$RNCRYPTOR encrypt --key-file key --suffix .rnc missing.rnc", 66, saying: "cannot be opened")
        let quiet = try place.shell("$RNCRYPTOR encrypt -q --key-file nowhere --suffix .rnc one.rnc")
        #expect(quiet.status == 0 && quiet.complaint.isEmpty, "\(quiet.complaint)")
    }

    /// If a file has the name of an output, that output fails, and the other files are worked on.
    @Test func namedBesideWhatIsThere() throws {
        try place.succeed("printf 1 > one; printf 2 > two; printf 3 > one.rnc; cp one.rnc copy")
        let outcome = try place.shell("$RNCRYPTOR encrypt --key-file key --suffix .rnc --remove-source one* two")
        #expect(outcome.status == 73 && outcome.complaint.contains("one.rnc: It exists"), "\(outcome.complaint)")
        try place.succeed(
            "cmp one.rnc copy && test -e one && test -e two.rnc && ! test -e two && ! test -e one.rnc.rnc")
        try place.fail(
            "$RNCRYPTOR encrypt --key-file key --suffix .rnc --force one*", 64,
            saying: "would take the place of the input")
        try place.succeed("cmp one.rnc copy && test -e one")
    }

    @Test(arguments: [
        ("encrypt --key-file key d", 66, "--recursive works on the files in a folder"),
        ("verify --key-file key d", 66, "--recursive"), ("inspect d", 66, "--recursive"),
        ("rekey --key-file key --new-key-file key d", 66, "--recursive"),
        ("encrypt -r --key-file key d", 64, "--recursive needs --suffix"),
        ("encrypt -r --key-file key -o out d", 64, "--recursive needs --suffix"),
        ("rekey -r --key-file key --new-key-file key -o out d", 64, "--output takes one message"),
        ("rekey --key-file key --new-key-file key -o out d/a d/e/b", 64, "--output takes one message"),
        // A run that finds no file is not a success.
        ("verify -r --key-file key d/empty", 66, "There is no such file in it"),
        ("verify -r --suffix .rnc --key-file key d", 66, "There is no such file in it"),
        ("decrypt --key-file d key", 66, "d: It cannot be"),
    ])
    func refused(words: String, status: Int32, sentence: String) throws {
        let complaint = try place.fail("$RNCRYPTOR \(words)", status, saying: sentence).complaint
        // The hint would not help there.
        #expect(!words.hasPrefix("decrypt --key-file d") || !complaint.contains("--recursive"))
        try place.succeed("diff -r -x pipe --no-dereference before d")
    }

    /// A folder that cannot be read does not stop the others, nor does a file that is not a message.
    @Test func goesOnAfterAFailure() throws {
        try place.succeed(
            "$RNCRYPTOR encrypt -r --key-file key --suffix .rnc --remove-source d; echo no message > d/e/bad.rnc")
        let outcome = try place.shell("$RNCRYPTOR verify -r --key-file key d")
        #expect(outcome.status == 65 && outcome.output.count { $0 == 10 } == 4, "\(outcome.complaint)")
        #expect(outcome.complaint.contains("d/e/bad.rnc: ") && outcome.complaint.contains("1 of 5 files failed"))
        guard Privileges.areRoots else { return }
        try place.succeed("rm d/e/bad.rnc; chmod 755 .; chmod -R a+r key d; chmod 700 d/e/f; chmod 755 d d/e")
        let unreadable = try place.shell(
            "setpriv --reuid 65534 --clear-groups $RNCRYPTOR verify -r --key-file key d")
        #expect(unreadable.output.count { $0 == 10 } == 3, "\(unreadable.complaint)")
        #expect(
            unreadable.status == 66 && unreadable.complaint.contains("d/e/f: It cannot be opened: Permission denied"))
    }

    /// The key is not encrypted under itself.
    @Test func theKeyIsInTheFolder() throws {
        try place.succeed("cp key d/key; rm -r before; cp -a d before")
        try place.fail(
            "$RNCRYPTOR encrypt -r --key-file d/key --suffix .rnc --remove-source d", 64,
            saying: "It holds the password or the keys")
        try place.succeed("diff -r -x pipe --no-dereference before d")
    }

    /// Between search and work, somebody who may write to the folder puts a link in the place of a folder. Nothing
    /// behind the link is touched.
    @Test(arguments: [
        "encrypt --suffix .rnc --remove-source", "encrypt --suffix .rnc --force",
        "decrypt --suffix .rnc --remove-source",
        "decrypt --suffix .rnc --force", "verify", "rekey --new-key-file other",
    ])
    func aLinkInThePlaceOfAFolder(words: String) throws {
        try place.succeed("rm d/pipe d/link d/folder; $RNCRYPTOR keygen -o other")
        if !words.hasPrefix("encrypt") {
            try place.succeed("$RNCRYPTOR encrypt -r --key-file key --suffix .rnc --remove-source d")
        }
        try place.succeed("cp -a d/e elsewhere/e; cp -a elsewhere before-elsewhere; mkfifo fifo")
        // The command has searched the folder when it asks for the keys.
        let outcome = try place.shell(
            """
            timeout 300 $RNCRYPTOR \(words) -r --key-file fifo d & process=$!
            exec 3> fifo; mv d/e moved; ln -s ../elsewhere/e d/e; cat key >&3; exec 3>&-
            wait $process
            """)
        #expect(outcome.status != 0)
        #expect(outcome.complaint.contains("no link is followed below the folder"), "\(outcome.complaint)")
        try place.succeed(
            "diff -r before-elsewhere elsewhere && [ \"$(find elsewhere | wc -l)\" = \"$(find before-elsewhere | wc -l)\" ]"
        )
        // Files that were in their place were worked on.
        #expect(outcome.complaint.contains("d/a") == false, "\(outcome.complaint)")
    }

    /// If somebody exchanges the named folder itself, the command works on the one that it has opened.
    @Test func anotherInThePlaceOfTheFolder() throws {
        try place.succeed("cp -a d elsewhere/d; cp -a elsewhere before-elsewhere; mkfifo fifo")
        let outcome = try place.shell(
            """
            timeout 300 $RNCRYPTOR encrypt --suffix .rnc --remove-source -r --key-file fifo d & process=$!
            exec 3> fifo; mv d moved; ln -s elsewhere/d d; cat key >&3; exec 3>&-
            wait $process
            """)
        #expect(outcome.status == 0, "\(outcome.complaint)")
        try place.succeed("diff -r -x pipe --no-dereference before-elsewhere elsewhere")
        #expect(try files("moved").allSatisfy { $0.hasSuffix(".rnc") } && files("moved").count == 4)
    }

    /// What one user puts into a folder makes that user's files fail, and not those of others. Only regular files are
    /// opened, so nothing waits.
    @Test(arguments: [
        ("ln -s ../a d/e/b.rnc", "d/e/b.rnc: It is, or its path goes through, a symbolic link"),
        ("ln -s nothing d/e/b.rnc", "d/e/b.rnc: It is, or its path goes through, a symbolic link"),
        ("ln -s \"$PWD/key\" d/e/b.rnc", "d/e/b.rnc: It is, or its path goes through, a symbolic link"),
        ("ln -s /etc/hostname d/e/b.rnc; ln -s /etc/hostname 'd/e/c d.rnc'", "2 of 6 files failed"),
        ("ln -s /dev/ptmx d/e/b.rnc", "d/e/b.rnc: It is, or its path goes through, a symbolic link"),
        ("mkfifo d/e/b.rnc", "d/e/b.rnc: It is not a regular file"),
        ("mkdir d/e/b.rnc", "d/e/b.rnc: It cannot be created"),
        ("ln -s ../../elsewhere d/e/b.rnc", "d/e/b.rnc: It is, or its path goes through, a symbolic link"),
        ("ln 'd/e/c d' d/e/b.rnc", "d/e/b.rnc: The output for d/e/b would take the place of the input d/e/c d."),
        ("ln d/e/b d/e/b.rnc", "d/e/b.rnc: It is both the source"),
    ])
    func oneUsersLinks(script: String, complaint: String) throws {
        try place.succeed("printf 4 > d/z; printf 5 > d/e/f/z; \(script)")
        for words in script.contains("c d' d/e") ? [""] : ["", "--force"] {
            let outcome = try place.shell(
                "timeout 300 $RNCRYPTOR encrypt --suffix .rnc -r --key-file key \(words) d")
            #expect(outcome.status == 73 || outcome.status == 74, "\(outcome.status) \(outcome.complaint)")
            #expect(outcome.complaint.contains(complaint), "\(outcome.complaint)")
            #expect(place.exists("d/a.rnc") && place.exists("d/e/f/z.rnc"), "\(outcome.complaint)")
            #expect(!outcome.complaint.contains("Usage"), "\(outcome.complaint)")
        }
        #expect(try files("elsewhere") == ["./x"])
    }

    /// The command does not wait for a FIFO that has taken the place of a file.
    @Test func aPipeInThePlaceOfAFile() throws {
        try place.succeed("mkfifo fifo")
        let outcome = try place.shell(
            """
            timeout 300 $RNCRYPTOR encrypt --suffix .rnc -r -j 1 --key-file fifo d & process=$!
            exec 3> fifo; rm d/a; mkfifo d/a; cat key >&3; exec 3>&-
            wait $process
            """)
        #expect(outcome.complaint.contains("d/a: It is not a regular file"), "\(outcome.complaint)")
        #expect(try files("d").filter { $0.hasSuffix(".rnc") }.count == 3)
    }

    /// A name from which only "." or ".." would remain is refused, since no file can have it.
    @Test(arguments: ["...rnc", "..rnc"]) func namesThatNoFileHas(name: String) throws {
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o d/\(name) d/a")
        for words in ["-r d", "d/\(name)"] {
            let outcome = try place.shell("$RNCRYPTOR decrypt --suffix .rnc --key-file key \(words)")
            #expect(outcome.status == 73, "\(outcome.complaint)")
            #expect(
                outcome.complaint.contains("d/\(name): No file can be called '\(name.dropLast(4))'"),
                "\(outcome.complaint)")
        }
    }

    /// Each folder stays open, up to a number that leaves enough descriptors for the files.
    @Test(arguments: [("ulimit -Sn 64", 300), ("ulimit -n 128", 64)]) func manyFolders(limit: String, count: Int) throws
    {
        try place.succeed("mkdir m; for number in $(seq -w 300); do mkdir m/$number; echo $number > m/$number/x; done")
        let outcome = try place.shell("\(limit); $RNCRYPTOR encrypt -r --suffix .rnc --key-file key m/*")
        #expect(try files("m").filter { $0.hasSuffix(".rnc") }.count == count, "\(outcome.complaint)")
        #expect(outcome.status == (count == 300 ? 0 : 66), "\(outcome.complaint)")
        #expect(
            outcome.complaint.contains("m/065: There are too many folders to have open at a time.") == (count < 300),
            "\(outcome.complaint)")
    }

    /// With one user's hard links, decrypting and rekeying fail for that user's files, and the files of others are
    /// done.
    @Test func oneUsersHardLinks() throws {
        try place.succeed(
            "$RNCRYPTOR encrypt -r --key-file key --suffix .rnc --remove-source d; $RNCRYPTOR keygen -o other")
        try place.succeed("ln d/e/b.rnc d/e/again.rnc; cp -a d rekeyed; ln d/e/b.rnc d/e/b; cp d/a.rnc d/e/z.rnc.rnc")
        let rekeyed = try place.shell("$RNCRYPTOR rekey -r --key-file key --new-key-file other rekeyed")
        #expect(rekeyed.status == 73 && rekeyed.complaint.contains("2 of 5 files failed"), "\(rekeyed.complaint)")
        try place.succeed("$RNCRYPTOR verify --key-file other rekeyed/a.rnc 'rekeyed/e/c d.rnc'")
        try place.succeed("printf x | $RNCRYPTOR encrypt --key-file key -o d/e/z.rnc -")
        let decrypted = try place.shell("$RNCRYPTOR decrypt -r -f --suffix .rnc --key-file key d")
        #expect(decrypted.status == 73, "\(decrypted.complaint)")
        #expect(decrypted.complaint.contains("d/e/b: It is both the source and the destination"))
        #expect(
            decrypted.complaint.contains(
                "d/e/z.rnc: The output for d/e/z.rnc.rnc would take the place of the input d/e/z.rnc."))
        #expect(try place.read("d/a") == Data("1".utf8) && place.read("d/e/z") == Data("x".utf8))
    }

    /// A file that is named is worked on, even if the search of its folder leaves it out.
    @Test(arguments: ["d d/e/z", "d/e/z d", "d/e d/e/z d", "d d/e/link"]) func operandsThatAreNotWanted(
        operands: String
    ) throws {
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o d/e/z d/a; ln -s z d/e/link")
        let outcome = try place.shell("$RNCRYPTOR inspect -r --suffix .rnc --json \(operands)")
        #expect(outcome.status == 0 && outcome.output.count { $0 == 10 } == 1, "\(outcome.complaint)")
        let decrypted = try place.shell("$RNCRYPTOR decrypt -r --suffix .rnc --key-file key \(operands)")
        #expect(decrypted.complaint.contains("Its name does not end in"), "\(decrypted.complaint)")
    }

    /// Each file is worked on once, by however many folders it is found.
    @Test(arguments: ["d d", "d d/e", "d/e d", "d link", "link/e ./d d/e/.", "d/e/../e d"])
    func operandsThatHaveTheSameFiles(operands: String) throws {
        try place.succeed("ln -s d link")
        try place.succeed("$RNCRYPTOR encrypt -r --suffix .rnc --remove-source --key-file key \(operands)")
        #expect(try files("d").allSatisfy { $0.hasSuffix(".rnc") } && files("d").count == 4)
        #expect(try place.succeed("$RNCRYPTOR verify -r --key-file key d").count { $0 == 10 } == 4)
    }

    /// A file that is named and one that is found in a folder must not harm each other: the later one fails.
    @Test(arguments: [
        ("encrypt -f --suffix .rnc", "e/x d", "It would be the output for e/x and for d/y"),
        ("encrypt -f --suffix .rnc", "d e/x", "It would be the output for d/y and for e/x"),
        (
            "encrypt -f --suffix .rnc", "new/x d",
            "It is a symbolic link to a file that does not exist. Nothing was done with new/x."
        ),
        ("encrypt -f --suffix .rnc", "d/y d", "It would be the output for d/y and for d/y"),
        ("encrypt -f --suffix .rnc", "d/new ./d", "It would be the output for d/new and for ./d/new"),
        ("encrypt -f --suffix .rnc", "d/y.rnc d", "would take the place of the input d/y.rnc"),
        ("decrypt -f --suffix .rnc", "f/b f", "would take the place of the input f/b"),
        ("decrypt -f --suffix .rnc", "d/a.rnc d", "would take the place of the input d/a.rnc"),
        ("decrypt -f --suffix .rnc", "d d/a.rnc.rnc", "would take the place of the input d/a.rnc"),
        ("rekey -f --new-key-file other", "l d", "It would be the output for l and for d/y.rnc"),
    ])
    func namedAndFound(words: String, operands: String, complaint: String) throws {
        try place.succeed(
            """
            rm -r d; mkdir d e new; $RNCRYPTOR keygen -o other
            echo precious > e/x; echo y > d/y; echo new > d/new; echo other > new/x; mkdir f; echo left > f/b; ln -s ../d/new.rnc new/x.rnc
            $RNCRYPTOR encrypt --suffix .rnc --key-file key d/y; ln -s ../d/y.rnc e/x.rnc; ln -s d/y.rnc l
            cp d/y.rnc f/b.rnc; echo a | $RNCRYPTOR encrypt --key-file key -o d/a.rnc -; echo twice | $RNCRYPTOR encrypt --key-file key -o d/a.rnc.rnc -
            """)
        let isRemoving = words.hasPrefix("rekey") ? "" : "--remove-source"
        let outcome = try place.shell("$RNCRYPTOR \(words) \(isRemoving) -r -j 1 --key-file key \(operands)")
        #expect(outcome.status != 0 && outcome.complaint.contains(complaint), "\(outcome.status) \(outcome.complaint)")
        // Nothing is lost: each text is still somewhere, as it is or in a message.
        try place.succeed(
            """
            find d e f new -type f | while read -r file; do
                echo >> all; cat "$file" >> all; echo >> all
                for keys in key other; do $RNCRYPTOR decrypt -q --key-file $keys -o - "$file" >> all 2> /dev/null; done
            done
            for text in precious y other a twice left; do grep -aqx $text all || { echo $text is lost >&2; exit 1; }; done
            """)
    }

    /// A signal during the search of folders ends the work, and does not look as if there were nothing to do.
    @Test(arguments: [
        "encrypt -r --suffix .rnc --key-file key d", "decrypt -r --suffix .rnc --key-file key d",
        "verify -r --key-file key d",
        "inspect -r d", "rekey -r --key-file key --new-key-file key d",
        "encrypt -r --suffix .rnc --key-file key d/a.rnc d",
    ])
    func aSignalOnTheWay(words: String) throws {
        // The signal is pending when the command starts.
        try place.write(
            """
            import os, signal, sys
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
            os.kill(os.getpid(), signal.SIGTERM)
            os.execv(os.environ["RNCRYPTOR"], ["rncryptor"] + sys.argv[1:])
            """, to: "pending.py")
        let outcome = try place.shell("python3 pending.py \(words)")
        #expect(
            outcome.status == 143 && outcome.complaint.contains("interrupted"), "\(outcome.status) \(outcome.complaint)"
        )
    }

    /// A folder that cannot be listed has its JSON object, too.
    @Test(.enabled(if: Privileges.areRoots)) func objectsOfFailures() throws {
        try place.succeed(
            "$RNCRYPTOR encrypt -r --key-file key --suffix .rnc --remove-source d; chmod 755 .; chmod 700 d/e")
        let outcome = try place.shell(
            "chmod -R a+rX d/a.rnc d; chmod 700 d/e; setpriv --reuid 65534 --clear-groups $RNCRYPTOR inspect -r --json d"
        )
        let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
        #expect(
            lines.count == 2 && lines.contains { $0.contains("d/e\"") && $0.contains("\"error\":\"inputOutput\"") },
            "\(lines)")
    }

    /// Folders can be nested as deeply as the system allows for a path.
    @Test func deepFolders() throws {
        try place.succeed("p=deep; for i in $(seq 500); do p=$p/f; done; mkdir -p $p; printf x > $p/file")
        try place.succeed("$RNCRYPTOR encrypt -r --key-file key --suffix .rnc deep")
        let verified = try place.succeed("$RNCRYPTOR verify -r --suffix .rnc --key-file key deep")
        #expect(verified.count { $0 == 10 } == 1)
    }
}
