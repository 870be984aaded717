import CryptorPrimitives
import CryptorSystem
import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Who owns an output, and who may do what with it.
@Suite struct AttributeTests {
    private static let (owner, group, named): (uid_t, gid_t, UInt32) = (1234, 4321, 5678)
    private static let canGiveAway = Privileges.areRoots

    private func makeSpecial(_ job: FileJob, _ name: String, mode: mode_t) throws {
        if Self.canGiveAway { try job.folder.setOwner(Self.owner, group: Self.group, of: name) }
        try job.folder.setMode(mode, of: name)
    }

    private func checkOwner(_ job: FileJob, _ name: String, isKept: Bool = canGiveAway) throws {
        #expect(try job.folder.owner(of: name) == (isKept ? Self.owner : geteuid()))
        #expect(try job.folder.group(of: name) == (isKept ? Self.group : getegid()))
    }

    // MARK: A file that takes the place of another

    @Test(arguments: FileTask.allCases, Naming.allCases)
    func whatIsOverwrittenKeepsItsOwnerAndNoSpecialBit(task: FileTask, naming: Naming) throws {
        for mode: mode_t in [0o640, 0o4755, 0o2775, 0o6711, 0o1666, 0o7777] {
            let job = try FileJob(task)
            try job.folder.write([1, 2, 3], to: "destination")
            try makeSpecial(job, "destination", mode: mode)
            try naming.use { try job.run(overwriting: true) }
            try checkOwner(job, "destination")
            let found = try job.folder.mode(of: "destination")
            #expect(found == mode & 0o777, "\(String(mode, radix: 8)): \(String(found, radix: 8))")
            #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        }
    }

    @Test(arguments: Naming.allCases)
    func whatIsRekeyedInPlaceKeepsItsOwner(naming: Naming) throws {
        for mode: mode_t in [0o640, 0o6755] {
            let job = try FileJob(.rekey)
            try makeSpecial(job, "source", mode: mode)
            try naming.use { try job.run(to: job.source) }
            try checkOwner(job, "source")
            #expect(try job.folder.mode(of: "source") == mode & 0o777)
            #expect(try job.flaw(in: job.folder.read("source")) == nil, "\(SeededGenerator())")
        }
    }

    /// If the caller cannot give the output to the old owner and group, the output gets fewer rights.
    @Test(.enabled(if: canGiveAway && Privileges.canBeDropped), arguments: FileTask.allCases, Naming.allCases)
    func whoMayNotGiveItAwayNarrows(task: FileTask, naming: Naming) throws {
        for (mode, expected): (mode_t, mode_t) in [(0o664, 0o644), (0o646, 0o644), (0o640, 0o600), (0o4755, 0o755)] {
            let job = try FileJob(task)
            try job.folder.setMode(0o777, of: ".")
            try job.folder.write([1, 2, 3], to: "destination")
            try makeSpecial(job, "destination", mode: mode)
            try naming.use { try Privileges.withoutRoot { try job.run(overwriting: true) } }
            #expect(try job.folder.owner(of: "destination") == Privileges.nobody)
            let found = try job.folder.mode(of: "destination")
            #expect(found == expected, "\(String(mode, radix: 8)): \(String(found, radix: 8))")
        }
    }

    private static let list = AccessList(owner: 6, namedUser: (named, 4), group: 0, mask: 4, others: 0)
    private static let hasAccessLists = FileSystems.withAccessLists.contains(FileSystems.temporary)

    @Test(.enabled(if: hasAccessLists), arguments: FileTask.allCases, Naming.allCases)
    func theAccessListStays(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task)
        try job.folder.write([1, 2, 3], to: "destination")
        try makeSpecial(job, "destination", mode: 0o640)
        try job.folder.setAttribute(AccessList.name, Self.list.bytes, of: "destination")
        let mode = try job.folder.mode(of: "destination")
        try naming.use { try job.run(overwriting: true) }
        #expect(try job.folder.accessList(of: "destination") == Self.list.bytes)
        #expect(try job.folder.mode(of: "destination") == mode)
        try checkOwner(job, "destination")
    }

    /// The folder's default access list is for new files, and a file that is overwritten gets nothing from it.
    @Test(.enabled(if: hasAccessLists), arguments: FileTask.allCases, Naming.allCases)
    func theFolderWidensNothing(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task)
        let list = AccessList(owner: 7, namedUser: (Self.named, 7), group: 7, mask: 7, others: 7)
        try job.folder.write([1, 2, 3], to: "destination")
        try job.folder.setMode(0o600, of: "destination")
        try job.folder.setAttribute(AccessList.nameOfDefault, list.bytes, of: ".")
        try naming.use { try job.run(overwriting: true) }
        #expect(try job.folder.accessList(of: "destination") == nil)
        #expect(try job.folder.mode(of: "destination") == 0o600)
    }

    /// An overwritten file keeps its access list, whatever the folder's default access list is.
    @Test(.enabled(if: hasAccessLists), arguments: FileTask.allCases, Naming.allCases)
    func theAccessListStaysWhateverTheFolderSays(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task)
        let other = AccessList(owner: 7, namedUser: (Self.named, 7), group: 7, mask: 7, others: 7)
        try job.folder.write([1, 2, 3], to: "destination")
        try job.folder.setAttribute(AccessList.name, Self.list.bytes, of: "destination")
        let mode = try job.folder.mode(of: "destination")
        try job.folder.setAttribute(AccessList.nameOfDefault, other.bytes, of: ".")
        try naming.use { try job.run(overwriting: true) }
        #expect(try job.folder.accessList(of: "destination") == Self.list.bytes)
        #expect(try job.folder.mode(of: "destination") == mode)
    }

    private static let hasNotes = FileSystems.withUserAttributes.contains(FileSystems.temporary)

    @Test(.enabled(if: hasNotes), arguments: FileTask.allCases, Naming.allCases)
    func attributesOfUsersStay(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task)
        try job.folder.write([1, 2, 3], to: "destination")
        try job.folder.setAttribute("user.note", [7, 0, 8], of: "destination")
        // A note on the source is not for the output.
        try job.folder.setAttribute("user.source", [9], of: "source")
        try naming.use { try job.run(overwriting: true) }
        #expect(try job.folder.attribute("user.note", of: "destination") == [7, 0, 8])
        #expect(try job.folder.attribute("user.source", of: "destination") == nil)
    }

    // MARK: A file that takes its source's attributes

    private static let tasks = [FileTask.encrypt, .decrypt]

    /// Only the source of an encryption gets another owner: a plaintext belongs to the user who decrypts the message.
    private func makeSpecialSource(_ job: FileJob, mode: mode_t) throws {
        if job.task == .encrypt { try makeSpecial(job, "source", mode: mode) }
        try job.folder.setMode(mode, of: "source")
    }

    private func runBeside(
        _ job: FileJob, from source: FileEndpoint? = nil, overwriting: Bool = false,
        progress: FileProgress.Handler? = nil
    ) throws {
        let source = source ?? job.source
        if job.task == .encrypt {
            try Cryptor.encryptFile(
                at: source, to: job.destination, with: job.credential,
                options: FileOptions(overwriting: overwriting, takingAttributes: true),
                progress: progress)
        } else {
            try Cryptor.decryptFile(
                at: source, to: job.destination, with: job.credential,
                options: FileOptions(overwriting: overwriting, takingAttributes: true),
                progress: progress)
        }
    }

    @Test(arguments: tasks, Naming.allCases)
    func aNewFile(task: FileTask, naming: Naming) throws {
        for mode: mode_t in [0o600, 0o640, 0o444, 0o666, 0o755, 0o6755] {
            let job = try FileJob(task)
            try makeSpecialSource(job, mode: mode)
            try job.folder.setTimes(1_000_000_001, 1_234_567_890, of: "source")
            try naming.use { try runBeside(job) }
            try checkOwner(job, "destination", isKept: task == .encrypt && Self.canGiveAway)
            let found = try job.folder.mode(of: "destination")
            #expect(found == mode & 0o777, "\(String(mode, radix: 8)): \(String(found, radix: 8))")
            let status = try job.folder.status(of: "destination")
            #expect(status.st_mtim.tv_sec == 1_234_567_890 && status.st_atim.tv_sec == 1_000_000_001)
            #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        }
    }

    @Test(.enabled(if: hasAccessLists), arguments: tasks, Naming.allCases)
    func aNewFileTakesTheAccessList(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task)
        try makeSpecialSource(job, mode: 0o640)
        try job.folder.setAttribute(AccessList.name, Self.list.bytes, of: "source")
        try naming.use { try runBeside(job) }
        #expect(try job.folder.accessList(of: "destination") == Self.list.bytes)
        try checkOwner(job, "destination", isKept: task == .encrypt && Self.canGiveAway)
    }

    /// An overwritten file keeps only the rights that both it and the source had.
    @Test(arguments: tasks, Naming.allCases)
    func anOverwrittenFileHasTheRightsThatBothHave(task: FileTask, naming: Naming) throws {
        for (source, destination): (mode_t, mode_t) in [
            (0o600, 0o644), (0o644, 0o600), (0o640, 0o604), (0o777, 0o4750), (0o400, 0o666),
        ] {
            let job = try FileJob(task)
            try job.folder.write([1, 2, 3], to: "destination")
            for (name, mode) in [("source", source), ("destination", destination)] {
                try makeSpecial(job, name, mode: mode)
            }
            try job.folder.setTimes(1, 1_234_567_890, of: "source")
            try naming.use { try runBeside(job, overwriting: true) }
            // A plaintext does not become another user's.
            let isKept = task == .encrypt && Self.canGiveAway
            try checkOwner(job, "destination", isKept: isKept)
            let isSame = isKept || !Self.canGiveAway
            let rights = FileAttributes.narrowed(destination & 0o777, keepsOwner: isSame, keepsGroup: isSame)
            let found = try job.folder.mode(of: "destination")
            #expect(found == source & rights, "\(String(source, radix: 8)): \(String(found, radix: 8))")
            #expect(try job.folder.status(of: "destination").st_mtim.tv_sec == 1_234_567_890)
        }
    }

    /// If the groups of source and destination differ, group and others keep only the rights that both of them had.
    @Test(.enabled(if: canGiveAway), arguments: tasks, Naming.allCases)
    func anOverwrittenFileOfAnotherGroup(task: FileTask, naming: Naming) throws {
        for (source, expected): (mode_t, mode_t) in [(0o660, 0o600), (0o664, 0o644), (0o646, 0o644)] {
            let job = try FileJob(task)
            try job.folder.write([1, 2, 3], to: "destination")
            try makeSpecial(job, "source", mode: source)
            try job.folder.setOwner(Self.owner, group: Self.group + 1, of: "destination")
            try job.folder.setMode(0o666, of: "destination")
            try naming.use { try runBeside(job, overwriting: true) }
            #expect(try job.folder.group(of: "destination") == (task == .encrypt ? Self.group + 1 : getegid()))
            let found = try job.folder.mode(of: "destination")
            #expect(found == expected, "\(String(source, radix: 8)): \(String(found, radix: 8))")
        }
    }

    /// If the source has an access list, only the owner keeps rights: the mode does not show whom the list gives fewer.
    @Test(.enabled(if: hasAccessLists), arguments: tasks, Naming.allCases)
    func anOverwrittenFileBesideAnAccessList(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task)
        try job.folder.write([1, 2, 3], to: "destination")
        for name in ["source", "destination"] { try makeSpecial(job, name, mode: 0o664) }
        try job.folder.setAttribute(AccessList.name, Self.list.bytes, of: "source")
        try naming.use { try runBeside(job, overwriting: true) }
        #expect(try job.folder.mode(of: "destination") == 0o600)
    }

    /// The output gets no rights from a pipe.
    @Test(arguments: tasks, Naming.allCases)
    func ofAPipe(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task)
        let writer = try PipeWriter(job.sourceBytes)
        try naming.use { try runBeside(job, from: .descriptor(try #require(writer.readEnd))) }
        #expect(try job.folder.mode(of: "destination") == job.folder.modeOfNewFiles())
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
    }

    /// Unless the caller asks for the source's attributes, a new file has the permissions that the umask leaves.
    @Test(arguments: FileTask.allCases, Naming.allCases)
    func elsewhere(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task)
        try makeSpecial(job, "source", mode: 0o600)
        try naming.use { try job.run() }
        try checkOwner(job, "destination", isKept: false)
        #expect(try job.folder.mode(of: "destination") == job.folder.modeOfNewFiles())
    }

    /// A file is private while it is written.
    @Test(arguments: tasks)
    func unfinishedFilesArePrivate(task: FileTask) throws {
        let job = try FileJob(task, byteCount: 600_000)
        try makeSpecial(job, "source", mode: 0o666)
        var calls = 0
        try Naming.named.use {
            try runBeside(job) { _ in
                calls += 1
                let unfinished = try job.folder.names().filter { $0 != "source" }
                try #require(unfinished.count == 1)
                #expect(try job.folder.mode(of: unfinished[0]) == 0o600)
            }
        }
        #expect(calls > 2)
        #expect(try job.folder.mode(of: "destination") == 0o666)
    }
}
