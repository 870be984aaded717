import Foundation
import CryptorTestSupport
import Testing

/// Others who may write to a directory change it between the command's search of it and the work on
/// its files.
@Suite(.onItsOwnThread) struct ExchangedDirectoryTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.succeed(
            """
            mkdir -p d/e/f d/empty elsewhere; mkfifo fifo
            printf 0 > elsewhere/x; printf 1 > d/a; printf 2 > d/e/b; printf 3 > 'd/e/c d'
            printf 4 > "d/e/f/$(printf 'n\\377\\n')"
            """)
    }

    /// The regular files below a directory.
    private func files(_ directory: String) throws -> Set<String> {
        let names = try place.succeed("cd \(directory) && find . -type f -print0")
        return Set(String(decoding: names, as: UTF8.self).split(separator: "\0").map(String.init))
    }

    /// Runs the command on the directory, and makes a change when it asks for the keys: it has
    /// searched the directory then.
    private func run(_ words: String, while change: String) throws -> Workplace.Outcome {
        try place.shell(
            """
            timeout 300 $RNCRYPTOR \(words) -r --key-file fifo d & process=$!
            exec 3> fifo; \(change); cat key >&3; exec 3>&-
            wait $process
            """)
    }

    /// Somebody who may write to the directory puts a link in the place of a directory in it.
    /// Nothing behind the link is touched.
    @Test(arguments: [
        "encrypt --suffix .rnc --remove-source", "encrypt --suffix .rnc --force", "verify",
        "decrypt --suffix .rnc --remove-source", "decrypt --suffix .rnc --force",
        "rekey --new-key-file other", "encrypt --output-dir out", "decrypt --output-dir out",
    ])
    func aLinkInThePlaceOfADirectory(words: String) throws {
        try place.succeed("$RNCRYPTOR keygen -o other")
        if !words.hasPrefix("encrypt") {
            try place.succeed(
                "$RNCRYPTOR encrypt -r --key-file key --suffix .rnc --remove-source d")
        }
        try place.succeed("cp -a d/e elsewhere/e; cp -a elsewhere before-elsewhere")
        let outcome = try run(words, while: "mv d/e moved; ln -s ../elsewhere/e d/e")
        #expect(outcome.status != 0)
        #expect(
            outcome.complaint.contains("It is a symbolic link, or its path leads through one"),
            "\(outcome.complaint)")
        try place.succeed("diff -r before-elsewhere elsewhere")
        // Files that were in their place were worked on.
        #expect(outcome.complaint.contains("d/a") == false, "\(outcome.complaint)")
    }

    /// Nor is anything written behind a link in the place of a directory of outputs.
    @Test(arguments: ["encrypt --output-dir out", "encrypt --force --output-dir out"])
    func aLinkInThePlaceOfADirectoryOfOutputs(words: String) throws {
        try place.succeed("mkdir -p out/e; cp -a elsewhere before-elsewhere")
        let outcome = try run(words, while: "mv out/e moved; ln -s ../elsewhere out/e")
        #expect(outcome.status == 73, "\(outcome.status) \(outcome.complaint)")
        #expect(
            outcome.complaint.contains("out/e: It is not a directory, but an output would be in"),
            "\(outcome.complaint)")
        try place.succeed("diff -r before-elsewhere elsewhere; test -e out/a")
    }

    /// If somebody exchanges the named directory itself, the command works on the one that it has
    /// opened.
    @Test func anotherInThePlaceOfTheDirectory() throws {
        try place.succeed("cp -a d elsewhere/d; cp -a elsewhere before-elsewhere")
        let outcome = try run(
            "encrypt --suffix .rnc --remove-source", while: "mv d moved; ln -s elsewhere/d d")
        #expect(outcome.status == 0, "\(outcome.complaint)")
        try place.succeed("diff -r before-elsewhere elsewhere")
        #expect(try files("moved").allSatisfy { $0.hasSuffix(".rnc") } && files("moved").count == 4)
    }

    /// The command does not wait for a FIFO that has taken the place of a file.
    @Test func aPipeInThePlaceOfAFile() throws {
        let outcome = try run("encrypt --suffix .rnc", while: "rm d/a; mkfifo d/a")
        #expect(outcome.complaint.contains("d/a: It is not a regular file"), "\(outcome.complaint)")
        #expect(try files("d").filter { $0.hasSuffix(".rnc") }.count == 3)
    }

    private static let isALink = "d/e/b.rnc: It is a symbolic link, or its path leads through one"

    /// What one user puts into a directory makes that user's files fail, and not those of others.
    /// Only regular files are opened, so nothing waits.
    @Test(arguments: [
        ("ln -s ../a d/e/b.rnc", isALink), ("ln -s nothing d/e/b.rnc", isALink),
        ("ln -s \"$PWD/key\" d/e/b.rnc", isALink), ("ln -s /dev/ptmx d/e/b.rnc", isALink),
        ("ln -s ../../elsewhere d/e/b.rnc", isALink),
        ("mkfifo d/e/b.rnc", "d/e/b.rnc: It is not a regular file"),
        ("mkdir d/e/b.rnc", "d/e/b.rnc: It is a directory"),
        ("ln d/e/b d/e/b.rnc", "d/e/b.rnc: It is both the source"),
        (
            "ln 'd/e/c d' d/e/b.rnc",
            "d/e/b.rnc: It would be the output for d/e/b, but is also the input d/e/c d."
        ),
    ])
    func oneUsersLinks(script: String, complaint: String) throws {
        try place.succeed("printf 4 > d/z; printf 5 > d/e/f/z; \(script)")
        for words in script.contains("c d' d/e") ? ["--force"] : ["", "--force"] {
            let outcome = try place.shell(
                "timeout 300 $RNCRYPTOR encrypt --suffix .rnc -r --key-file key \(words) d")
            #expect(
                outcome.status == 73 || outcome.status == 74,
                "\(outcome.status) \(outcome.complaint)")
            #expect(outcome.complaint.contains(complaint), "\(outcome.complaint)")
            #expect(place.exists("d/a.rnc") && place.exists("d/e/f/z.rnc"), "\(outcome.complaint)")
            #expect(!outcome.complaint.contains("Usage"), "\(outcome.complaint)")
        }
        #expect(try files("elsewhere") == ["./x"])
    }

    /// A signal during the search of directories ends the work, and does not look as if there were
    /// nothing to do.
    @Test(arguments: [
        "encrypt -r --suffix .rnc --key-file key d", "decrypt -r --suffix .rnc --key-file key d",
        "verify -r --key-file key d", "inspect -r d",
        "rekey -r --key-file key --new-key-file key d",
    ])
    func aSignalOnTheWay(words: String) throws {
        // The signal is pending when the command starts.
        let start =
            "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, [15]); "
            + "os.kill(os.getpid(), 15); "
            + "os.execv(sys.argv[1], sys.argv[1:])"
        let outcome = try place.shell("python3 -c '\(start)' $RNCRYPTOR \(words)")
        #expect(outcome.status == 143 && outcome.complaint.contains("interrupted"), "\(outcome)")
    }
}
