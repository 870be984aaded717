import CryptorFiles
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

/// Each system call that the command makes, of those in `faults.c`, fails once. The command then
/// ends with the right status and a sentence, or with a right result. Files are complete or absent,
/// as the sentence says; no descriptor is left open; rights only ever narrow.
@Suite(
    .onItsOwnThread, .enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer"))
struct SystemFaultTests {
    private let place: Workplace
    /// The directory for the private copy of a message that can be read only once.
    private let temporary: URL
    private let interposer: String
    private let plaintext: Data
    private let message: Data

    init() throws {
        // These are a segment of a verified output, and a part of one.
        place = try Workplace(plaintext: String(repeating: "attack at dawn\n", count: 20_000))
        temporary = place.directory.appendingPathComponent("temporary")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        interposer = try Interposer.path("faults")
        (plaintext, message) = (try place.read("plaintext"), try place.read("message"))
    }

    enum Work: String, CaseIterable {
        case encrypt = "encrypt --key-file key -o out plaintext"
        case decrypt = "decrypt --key-file key -o out message"
        case replace = "decrypt --key-file key --force -o old message"
        case stream = "decrypt --key-file key message"
        case spool = "decrypt --key-file key < pipe"
        case verify = "verify --key-file key message"
        case rekey = "rekey --key-file key --new-key-file new-key old"
        case beside = "encrypt --key-file key --suffix .rnc --remove-source moved"
        case keygen = "keygen -o out"

        /// The file that the command makes or replaces.
        var output: String? {
            switch self {
            case .encrypt, .decrypt, .keygen: "out"
            case .beside: "moved.rnc"
            case .replace, .rekey: "old"
            case .stream, .spool, .verify: nil
            }
        }

        /// The file whose attributes the output takes over.
        var pattern: String? {
            switch self {
            case .replace, .rekey: "old"
            case .beside: "moved"
            default: nil
            }
        }

        var isStream: Bool { [.stream, .spool].contains(self) }

        func script(_ environment: String) -> String {
            let command = "\(environment) exec $RNCRYPTOR \(rawValue)"
            return self == .spool
                ? "cat message | " + command.replacing(" < pipe", with: "") : command
        }
    }

    private struct Fault {
        let group: String
        let kinds: [String]
        /// The exit statuses that the command may end with.
        let statuses: Set<Int32>
    }

    private static let faults = [
        // The quotas of control groups are read, too, and work goes on without.
        Fault(group: "read", kinds: ["EIO"], statuses: [0, 66, 74]),
        Fault(group: "read", kinds: ["EINTR", "short"], statuses: [0]),
        Fault(group: "write", kinds: ["EIO", "ENOSPC"], statuses: [74]),
        Fault(group: "write", kinds: ["EINTR", "short"], statuses: [0]),
        // The command may find another way: a file with a name, a rename instead of a link.
        Fault(group: "open", kinds: ["EIO", "ENOSPC"], statuses: [0, 66, 73, 74]),
        Fault(group: "open", kinds: ["EINTR"], statuses: [0]),
        Fault(group: "fsync", kinds: ["EIO", "ENOSPC"], statuses: [74]),
        // If a disk has failed and is read-only since, nothing is on it. Work without an output
        // file may succeed.
        Fault(group: "fsync", kinds: ["EROFS"], statuses: [0, 74]),
        Fault(group: "fsync", kinds: ["EINTR"], statuses: [0]),
        Fault(group: "name", kinds: ["EIO", "ENOSPC"], statuses: [0, 74]),
        // A temporary name that cannot be removed stays, and says what it is.
        Fault(group: "remove", kinds: ["EIO"], statuses: [0, 73, 74]),
        Fault(group: "chmod", kinds: ["EIO"], statuses: [74]),
        // Rights that cannot be kept are narrowed.
        Fault(group: "owner", kinds: ["EIO"], statuses: [0]),
        Fault(group: "xattr", kinds: ["EIO"], statuses: [0]),
        Fault(group: "times", kinds: ["EIO"], statuses: [74]),
        Fault(group: "stat", kinds: ["EIO"], statuses: [0, 66, 73, 74]),
        Fault(group: "close", kinds: ["EIO"], statuses: [0, 74]),
        Fault(group: "close", kinds: ["EINTR"], statuses: [0]),
        Fault(group: "affinity", kinds: ["EIO"], statuses: [0]),
        Fault(group: "rand", kinds: ["failure"], statuses: [70]),
    ]

    /// Most calls are of these groups, and nearly the same in all kinds of work, so a run that a
    /// change waits for tries them in some.
    private static let frequent = ["open", "stat", "close"]
    private static let samples = sample(3, of: Work.allCases)

    /// How many calls of a group failed, how many of them after the output was in its place, and
    /// how many made the command fail without an output in its place.
    private typealias Count = (failed: Int, published: Int, unpublished: Int)

    @Test(arguments: Work.allCases)
    func eachCall(work: Work) throws {
        let isSample = Self.samples.contains(work)
        let counts = try failEach(
            of: work, Self.faults.filter { isSample || !Self.frequent.contains($0.group) })
        func failed(_ group: String) -> Bool { counts[group].map { $0.failed > 0 } ?? false }
        for group in Self.frequent {
            #expect(failed(group) == isSample, "\(work), \(group): \(counts)")
        }
        #expect(failed("read") || work == .keygen, "\(work): \(counts)")
        let writes = work.output != nil
        #expect((failed("fsync") && failed("name")) == writes, "\(work): \(counts)")
        // fsync(2) is called for the output, before it is published, and for its directory,
        // afterwards. Each call fails in three ways.
        let fsync = counts["fsync"] ?? (0, 0, 0)
        #expect(fsync.published == (writes ? 3 : 0), "\(work): \(counts)")
        #expect(fsync.unpublished == (work == .verify ? 0 : 3), "\(work): \(counts)")
        // What is removed afterwards is the source.
        #expect((counts["remove"]?.published == 1) == (work == .beside), "\(work): \(counts)")
        #expect(failed("times") == (work == .beside), "\(work): \(counts)")
        #expect(failed("chmod") == (work.pattern != nil), "\(work): \(counts)")
        #expect(failed("xattr") == (work.pattern != nil), "\(work): \(counts)")
        #expect(failed("owner") == (work.pattern != nil && isRoot), "\(work): \(counts)")
        // A second pass compares digests under a random key.
        let isRandom = work.isStream || [.encrypt, .beside, .rekey, .keygen].contains(work)
        #expect(failed("rand") == isRandom, "\(work): \(counts)")
    }

    /// Where the unpublished file has a name, that name is removed, also where it can only become
    /// the output's by a link.
    @Test(
        arguments: [Work.encrypt, .rekey, .beside, .spool, .keygen],
        [[:], ["RENAME_FLAGS": "unknown"]])
    func withoutNamelessFiles(work: Work, lack: [String: String]) throws {
        let groups =
            lack.isEmpty
            ? ["write", "open", "fsync", "name", "remove", "chmod", "close"] : ["name", "remove"]
        let isSample = Self.samples.contains(work)
        let faults = Self.faults.filter {
            groups.contains($0.group) && (isSample || !Self.frequent.contains($0.group))
        }
        let counts = try failEach(
            of: work, faults, environment: lack.merging(["NAMELESS": "refused"]) { $1 })
        for group in work == .spool ? ["remove"] : ["name"] {
            #expect(counts[group].map { $0.failed > 0 } ?? false, "\(work), \(group): \(counts)")
        }
    }

    /// If the command is killed instead of any call that may change something, the file with the
    /// output's name is complete, and a source that is gone has its output. Opening and closing
    /// change little.
    @Test(arguments: Work.allCases.filter { $0.output != nil }, ["taken", "refused"])
    func killedAtEachCall(work: Work, namelessFiles: String) throws {
        let groups = [
            "write", "fsync", "name", "remove", "chmod", "owner", "xattr", "times", "open", "close",
        ]
        for group in groups.prefix(rounds(8, thorough: 10)) {
            var number = 1
            while true {
                try prepare()
                let outcome = try run(work, "\(group):\(number):KILL", ["NAMELESS": namelessFiles])
                guard try note().contains("struck") else { break }
                let what = "\(work), \(group) \(number): status \(outcome.status)"
                #expect(outcome.status == -SIGKILL, "\(what)")
                let isDone = try isPublished(work)
                #expect(work != .beside || isDone || place.exists("moved"), "\(what)")
                for name in try place.names() where name.hasPrefix(".rncryptor-unfinished-") {
                    try place.remove(name)
                }
                number += 1
                try #require(number < 200, "\(what): no end")
            }
            #expect(
                number > 1 || !["open", "write", "fsync", "name"].contains(group),
                "\(work): no \(group)")
        }
    }

    /// If a run over a tree is killed instead of any call that may change something, every source
    /// that is gone has its output, and a second run does the rest.
    @Test(arguments: ["mkdir", "chmod", "times", "fsync", "name", "remove"])
    func killedInATree(group: String) throws {
        var number = 1
        while true {
            try place.succeed(
                """
                rm -rf tree out; mkdir -p tree/sub/empty
                for name in a sub/b sub/c; do cp plaintext tree/$name; done
                """)
            if place.exists("note") { try place.remove("note") }
            let run = "-r --key-file key --remove-source --skip-existing --output-dir out tree"
            let outcome = try place.shell(
                "exec env LD_PRELOAD=\(interposer) FAULT=\(group):\(number):KILL FAULT_NOTE=note "
                    + "$RNCRYPTOR encrypt \(run)")
            guard try note().contains("struck") else { break }
            let what = "\(group) \(number)"
            #expect(outcome.status == -SIGKILL, "\(what): \(outcome.status)")
            let check = """
                for name in a sub/b sub/c; do
                    if [ -e tree/$name ]; then cmp tree/$name plaintext; continue; fi
                    $RNCRYPTOR decrypt --key-file key out/$name | cmp - plaintext || exit 1
                done
                """
            try place.succeed(check)
            try place.succeed(
                """
                $RNCRYPTOR encrypt -q \(run)
                [ -z "$(find tree -type f)" ] && [ -d out/sub/empty ]
                \(check)
                """)
            number += 1
            try #require(number < 200, "\(what): no end")
        }
        #expect(number > 3, "\(group)")
    }

    /// A directory of which only a part could be listed is named: what was not found is not left
    /// out in silence.
    @Test func anEntryCannotBeRead() throws {
        try place.succeed(
            "mkdir -p tree/sub; cp plaintext tree/a; cp plaintext tree/sub/b")
        var number = 1
        while true {
            if place.exists("note") { try place.remove("note") }
            let outcome = try place.shell(
                "exec env LD_PRELOAD=\(interposer) FAULT=list:\(number):EIO FAULT_NOTE=note "
                    + "$RNCRYPTOR encrypt -r --key-file key --suffix .rnc tree")
            let note = try note()
            let what = "call \(number): status \(outcome.status), \(outcome.complaint)"
            #expect(!note.contains("left open"), "\(what): \(note)")
            guard note.contains("struck") else { break }
            #expect([66, 74].contains(outcome.status), "\(what)")
            let directory = number <= 6 ? "tree" : "tree/sub"
            let sentence = "\(directory): It cannot be opened: Input/output error."
            #expect(outcome.complaint.contains(sentence), "\(what)")
            try place.succeed("find tree -name '*.rnc' -delete")
            number += 1
            try #require(number < 50, "\(what): no end")
        }
        // Of each directory: that it is opened, itself and its parent, what is in it, and the end.
        #expect(number == 1 + 6 + 5)
        try place.succeed("[ $(find tree -name '*.rnc' | wc -l) = 2 ]")
    }

    /// All kinds of work of the library are right if every call reads less than it was asked to.
    @Test func fewerBytes() throws {
        let probe = try ProbeProcess(
            ["operations"],
            environment: [
                "LD_PRELOAD": interposer, "FAULT": "read:0:short", "FAULT_NOTE": "/dev/null",
                // After a failure, Swift's helper would read with this interposer, too, and never
                // end.
                "SWIFT_BACKTRACE": "enable=no",
            ])
        #expect(try probe.finish().isEmpty)
    }

    /// `Directory.remove` returns when the removal is on disk, and says so if it may not be.
    @Test(arguments: ["", "fsync:1:EIO", "remove:1:EIO"]) func removal(fault: String) throws {
        let directory = place.directory.path
        try place.succeed("mkdir -p root/inner; echo > root/inner/file")
        let probe = try ProbeProcess(
            ["remove", "\(directory)/root", "inner/file"],
            environment: [
                "LD_PRELOAD": interposer, "TRACE": "\(directory)/trace",
                "FAULT": fault.isEmpty ? "none:1:EIO" : fault, "FAULT_NOTE": "/dev/null",
                "SWIFT_BACKTRACE": "enable=no",
            ])
        let output = try? probe.finish()
        #expect((output == []) == fault.isEmpty, "\(fault): \(output ?? [])")
        let calls = try String(decoding: place.read("trace"), as: UTF8.self)
            .split(separator: "\n").map { String($0.replacing("\(directory)/", with: "")) }
        let expected = ["remove root/inner/file", "synchronize root/inner"]
        #expect(calls == (fault.hasPrefix("remove") ? [expected[0]] : expected), "\(fault)")
        #expect(place.exists("root/inner/file") == fault.hasPrefix("remove"), "\(fault)")
    }

    private func failEach(
        of work: Work, _ faults: [Fault], environment: [String: String] = [:]
    ) throws -> [String: Count] {
        var counts: [String: Count] = [:]
        for fault in faults {
            for kind in fault.kinds {
                var number = 1
                while let end = try fail(work, fault, kind, number, environment) {
                    counts[fault.group, default: (0, 0, 0)].failed += 1
                    if end == .published { counts[fault.group]?.published += 1 }
                    if end == .unpublished { counts[fault.group]?.unpublished += 1 }
                    number += 1
                    try #require(number < 200, "\(work), \(fault.group), \(kind): no end")
                }
            }
        }
        return counts
    }

    /// How the command takes a failed call: it goes on, or it ends before or after its output is in
    /// its place.
    private enum End { case success, unpublished, published }

    /// Returns nil if there was no such call.
    private func fail(
        _ work: Work, _ fault: Fault, _ kind: String, _ number: Int, _ environment: [String: String]
    ) throws -> End? {
        try prepare()
        let before = try place.names()
        let outcome = try run(work, "\(fault.group):\(number):\(kind)", environment)
        let what = """
            \(work), \(fault.group) \(number), \(kind): status \(outcome.status), \
            \(outcome.complaint)
            """
        let note = try note()
        #expect(!note.contains("left open"), "\(what): \(note)")
        guard note.contains("struck") else {
            #expect(outcome.status == 0, "\(what)")
            return nil
        }
        #expect(fault.statuses.contains(outcome.status), "\(what)")
        #expect(
            fault.group != "fsync" || kind == "EINTR" || work.output == nil || outcome.status == 74,
            "\(what)")
        // A rename that fails is not made in another way.
        if fault.group == "name", kind == "EIO", environment == ["NAMELESS": "refused"] {
            #expect(outcome.status == 74, "\(what)")
        }
        let saysPublished = ["is complete", "Its output is written"].contains {
            outcome.complaint.contains($0)
        }
        if outcome.status == 0 {
            #expect(!work.isStream || outcome.output == plaintext, "\(what)")
            #expect(outcome.complaint.isEmpty, "\(what)")
        } else {
            #expect(outcome.complaint.hasPrefix("rncryptor: error: "), "\(what)")
            if work.isStream {
                #expect(outcome.output == plaintext.prefix(outcome.output.count), "\(what)")
            }
        }
        #expect(
            fault.group != "rand" || outcome.complaint.contains(/RAND_\w+ failed\./), "\(what)")
        if saysPublished {
            #expect(outcome.status == 74, "\(what)")
            for claim in ["touched", "left behind", "Nothing"] {
                #expect(!outcome.complaint.contains(claim), "\(what)")
            }
        }
        if work.output != nil {
            #expect(try isPublished(work) == (outcome.status == 0 || saysPublished), "\(what)")
        }
        if work == .beside { #expect(place.exists("moved") == (outcome.status != 0), "\(what)") }
        try checkRights(work, what)
        try checkLeftovers(before, fault, what)
        return outcome.status == 0 ? .success : saysPublished ? .published : .unpublished
    }

    /// A message that is under the new keys already is made durable, and so is its name; and keys
    /// in a redirected file.
    @Test(arguments: [
        ("rekey --key-file new-key --new-key-file key message", 2), ("keygen > printed", 1),
    ])
    func isDurable(words: String, count: Int) throws {
        for number in 1...count + 1 {
            let faults = "LD_PRELOAD=\(interposer) FAULT=fsync:\(number):EIO FAULT_NOTE=note"
            let outcome = try place.shell("\(faults) $RNCRYPTOR \(words)")
            #expect(
                outcome.status == (number > count ? 0 : 74),
                "\(words), \(number): \(outcome.complaint)")
        }
    }

    /// Creates the files anew.
    private func prepare() throws {
        for name in ["out", "note", "old", "moved.rnc"] where place.exists(name) {
            try place.remove(name)
        }
        try place.write(message, to: "old")
        try place.write(plaintext, to: "moved")
        for name in ["old", "moved"] { try makeSpecial(name) }
    }

    private func run(_ work: Work, _ fault: String, _ environment: [String: String]) throws
        -> Workplace.Outcome
    {
        try place.shell(
            work.script("LD_PRELOAD=\(interposer)"),
            environment: environment.merging([
                "FAULT": fault, "FAULT_NOTE": "\(place.directory.path)/note",
                "TMPDIR": temporary.path,
            ]) { $1 })
    }

    /// The note that the interposer has written.
    private func note() throws -> String {
        place.exists("note") ? String(decoding: try place.read("note"), as: UTF8.self) : ""
    }

    /// Expects that nothing is left but what could not be removed. Removes it, for the next fault.
    private func checkLeftovers(_ before: [String], _ fault: Fault, _ what: String) throws {
        let added = Set(try place.names()).subtracting(before).subtracting([
            "note", "out", "moved.rnc",
        ])
        #expect(added.count <= (fault.group == "remove" ? 1 : 0), "\(what): \(added)")
        for name in added {
            #expect(name.hasPrefix(".rncryptor-unfinished-"), "\(what): \(name)")
            try place.remove(name)
        }
        let kept = try FileManager.default.contentsOfDirectory(atPath: temporary.path)
        #expect(kept.count <= (fault.group == "remove" ? 1 : 0), "\(what): \(kept)")
        for name in kept {
            #expect(try place.read("temporary/\(name)").isEmpty, "\(what): \(name)")
            try place.remove("temporary/\(name)")
        }
    }

    private var isRoot: Bool { geteuid() == 0 }

    /// Gives a file another owner, where that is possible, and a list by which the group has fewer
    /// rights than others.
    private func makeSpecial(_ name: String) throws {
        let path = place.directory.appendingPathComponent(name).path
        if isRoot { try #require(chown(path, 1234, 4321) == 0) }
        try #require(chmod(path, 0o640) == 0)
        if AccessList.isSupported { try AccessList.set(onFileAt: path) }
    }

    /// Expects that nobody has more rights to the output than to the file whose attributes it takes
    /// over.
    private func checkRights(_ work: Work, _ what: String) throws {
        guard let name = work.output, work.pattern != nil, place.exists(name) else { return }
        let path = place.directory.appendingPathComponent(name).path
        var status = stat()
        try #require(stat(path, &status) == 0)
        #expect(
            status.st_mode & 0o7777 & ~0o640 == 0, "\(what): \(String(status.st_mode, radix: 8))")
        guard AccessList.isSupported, status.st_mode & 0o077 != 0 else { return }
        // To whom the entries of a list apply depends on the owner and the group of the file.
        #expect(
            !isRoot || (status.st_uid, status.st_gid) == (1234, 4321), "\(what): of another owner")
        #expect(try AccessList.isOnFile(at: path), "\(what): the group can read it")
    }

    /// Whether the output is in its place and complete. If it is not in its place, the file from
    /// before must be.
    private func isPublished(_ work: Work) throws -> Bool {
        let name = try #require(work.output)
        guard place.exists(name) else {
            #expect(name != "old", "it is gone")
            return false
        }
        let bytes = try place.read(name)
        if name == "old" && bytes == message { return false }
        func keys(_ digits: String) throws -> Credential {
            let key = try [UInt8](hex: String(repeating: digits, count: 4))
            return .keys(try MessageKeys(encryptionKey: key, hmacKey: key))
        }
        let found =
            switch work {
            case .encrypt, .beside: try Cryptor.decrypt(bytes, with: keys("0123456789abcdef"))
            case .rekey: try Cryptor.decrypt(bytes, with: keys("fedcba9876543210"))
            case .keygen: bytes.count == 129 ? plaintext : bytes
            default: bytes
            }
        #expect(found == plaintext, "\(work): it is not whole")
        return true
    }
}
