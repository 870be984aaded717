import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Rights that an output does not get: those that were given while it was written, and those of other users.
@Suite struct AttributeLimitTests {
    private static let (owner, group, named): (uid_t, gid_t, UInt32) = (1234, 4321, 5678)

    /// Calls `change` the first time only.
    private func once(_ change: @escaping () throws -> Void) -> FileProgress.Handler {
        var isDone = false
        return { _ in
            guard !isDone else { return }
            isDone = true
            try change()
        }
    }

    /// The output loses rights that the old file lost meanwhile, and does not get those that it was given.
    @Test(arguments: FileTask.allCases, Naming.allCases)
    func aModeThatIsChangedMeanwhile(task: FileTask, naming: Naming) throws {
        for (before, meanwhile, expected): (mode_t, mode_t, mode_t) in [
            (0o644, 0o600, 0o600), (0o600, 0o666, 0o600), (0o640, 0o604, 0o600), (0o444, 0o666, 0o444),
        ] {
            let job = try FileJob(task, byteCount: 300_000)
            try job.folder.write([1, 2, 3], to: "destination")
            try job.folder.setMode(before, of: "destination")
            try naming.use {
                try job.run(
                    overwriting: true, progress: once { try job.folder.setMode(meanwhile, of: "destination") })
            }
            let found = try job.folder.mode(of: "destination")
            let change = "\(String(before, radix: 8)), then \(String(meanwhile, radix: 8))"
            #expect(found == expected, "\(change): \(String(found, radix: 8)), not \(String(expected, radix: 8))")
            #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        }
    }

    /// The rights of the file that was there at the start count, and not those of a file that took its name.
    @Test(arguments: FileTask.allCases, Naming.allCases)
    func aFileThatCameInItsPlace(task: FileTask, naming: Naming) throws {
        for (before, other): (mode_t, mode_t) in [(0o600, 0o666), (0o644, 0o600)] {
            let job = try FileJob(task, byteCount: 300_000)
            try job.folder.write([1, 2, 3], to: "destination")
            try job.folder.setMode(before, of: "destination")
            // This link keeps the file, so that the other one cannot get its inode number.
            try job.folder.link("destination", to: "kept")
            try naming.use {
                try job.run(
                    overwriting: true,
                    progress: once {
                        try job.folder.write([4, 5, 6], to: "other")
                        try job.folder.setMode(other, of: "other")
                        try job.folder.rename("other", to: "destination")
                    })
            }
            let found = try job.folder.mode(of: "destination")
            #expect(found == before, "\(String(found, radix: 8)), not \(String(before, radix: 8))")
            #expect(try job.folder.read("kept") == [1, 2, 3])
        }
    }

    // MARK: Beside a source

    private func runBeside(_ job: FileJob, overwriting: Bool = false) throws {
        if job.task == .encrypt {
            try Cryptor.encryptFile(
                at: job.source, to: job.destination, with: job.credential,
                options: FileOptions(overwriting: overwriting, takingAttributes: true))
        } else {
            try Cryptor.decryptFile(
                at: job.source, to: job.destination, with: job.credential,
                options: FileOptions(overwriting: overwriting, takingAttributes: true))
        }
    }

    private static let list = AccessList(owner: 6, namedUser: (named, 4), group: 0, mask: 4, others: 0)
    private static let hasAccessLists = FileSystems.withAccessLists.contains(FileSystems.temporary)

    /// The access list of a replaced file is not kept: a user in it might have no right to the source.
    @Test(.enabled(if: hasAccessLists), arguments: [FileTask.encrypt, .decrypt], Naming.allCases)
    func noListBesideASourceWithoutOne(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task)
        try job.folder.setMode(0o644, of: "source")
        try job.folder.write([1, 2, 3], to: "destination")
        try job.folder.setMode(0o640, of: "destination")
        try job.folder.setAttribute(AccessList.name, Self.list.bytes, of: "destination")
        try naming.use { try runBeside(job, overwriting: true) }
        #expect(try job.folder.accessList(of: "destination") == nil)
        let found = try job.folder.mode(of: "destination")
        #expect(found == 0o600, "\(String(found, radix: 8)), not 600")
    }

    private static let hasNotes = FileSystems.withUserAttributes.contains(FileSystems.temporary)

    /// Only owner, group, permissions and times are taken over: notes might say what the plaintext is.
    @Test(.enabled(if: hasNotes), arguments: [FileTask.encrypt, .decrypt], Naming.allCases)
    func noNotesOfTheSource(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task)
        try job.folder.setAttribute("user.note", [7, 0, 8], of: "source")
        try naming.use { try runBeside(job) }
        #expect(try job.folder.attribute("user.note", of: "destination") == nil)
        #expect(try job.folder.attribute("user.note", of: "source") == [7, 0, 8])
    }

    /// Another user who owns a message gets no right to its plaintext by that, and neither does the message's group.
    @Test(
        .enabled(if: Privileges.areRoots), arguments: [(0o600, 0o600), (0o660, 0o600), (0o664, 0o644), (0o646, 0o644)],
        Naming.allCases)
    func aPlaintextOfSomebodyElsesMessage(modes: (mode_t, mode_t), naming: Naming) throws {
        let (mode, expected) = modes
        let job = try FileJob(.decrypt)
        try job.folder.setOwner(Self.owner, group: Self.group, of: "source")
        try job.folder.setMode(mode, of: "source")
        try naming.use { try runBeside(job) }
        #expect(try job.folder.owner(of: "destination") == geteuid())
        #expect(try job.folder.group(of: "destination") == getegid())
        let found = try job.folder.mode(of: "destination")
        #expect(found == expected, "\(String(mode, radix: 8)): \(String(found, radix: 8))")
    }

    /// The group of the caller's own message keeps its rights, because the caller gave them.
    @Test(.enabled(if: Privileges.areRoots), arguments: Naming.allCases)
    func thePlaintextOfOnesOwnMessage(naming: Naming) throws {
        for mode: mode_t in [0o640, 0o664] {
            let job = try FileJob(.decrypt)
            try job.folder.setOwner(geteuid(), group: Self.group, of: "source")
            try job.folder.setMode(mode, of: "source")
            try naming.use { try runBeside(job) }
            #expect(try job.folder.group(of: "destination") == Self.group)
            let found = try job.folder.mode(of: "destination")
            #expect(found == mode, "\(String(found, radix: 8)), not \(String(mode, radix: 8))")
        }
    }
}
