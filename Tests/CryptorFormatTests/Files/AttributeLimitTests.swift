import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorFormat

/// What an output does not get: rights that somebody has only since it was begun, or that are another's.
@Suite struct AttributeLimitTests {
    private static let (owner, group, named): (uid_t, gid_t, UInt32) = (1234, 4321, 5678)

    /// Calls `change` the first time.
    private func once(_ change: @escaping () throws -> Void) -> FileProgress.Handler {
        var isDone = false
        return { _ in
            guard !isDone else { return }
            isDone = true
            try change()
        }
    }

    /// Rights that were taken from it meanwhile go, and those that were given are not for what takes its place.
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

    /// The file that was looked at is the one whose rights count, and not one that came to have its name.
    @Test(arguments: FileTask.allCases, Naming.allCases)
    func aFileThatCameInItsPlace(task: FileTask, naming: Naming) throws {
        for (before, other): (mode_t, mode_t) in [(0o600, 0o666), (0o644, 0o600)] {
            let job = try FileJob(task, byteCount: 300_000)
            try job.folder.write([1, 2, 3], to: "destination")
            try job.folder.setMode(before, of: "destination")
            // Kept, so that the other file cannot get its number.
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
                at: job.source, to: job.destination, with: job.credential, overwriting: overwriting,
                takingAttributes: true)
        } else {
            try Cryptor.decryptFile(
                at: job.source, to: job.destination, with: job.credential, overwriting: overwriting,
                takingAttributes: true)
        }
    }

    private static let list = AccessList(owner: 6, namedUser: (named, 4), group: 0, mask: 4, others: 0)
    private static let hasAccessLists = FileSystems.withAccessLists.contains(FileSystems.temporary)

    /// Who is named in the list of what is replaced may have had no right to the source.
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

    /// Owner, group, permissions and times are all that is taken: notes may say what the plaintext is.
    @Test(.enabled(if: hasNotes), arguments: [FileTask.encrypt, .decrypt], Naming.allCases)
    func noNotesOfTheSource(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task)
        try job.folder.setAttribute("user.note", [7, 0, 8], of: "source")
        try naming.use { try runBeside(job) }
        #expect(try job.folder.attribute("user.note", of: "destination") == nil)
        #expect(try job.folder.attribute("user.note", of: "source") == [7, 0, 8])
    }

    /// Whoever owns a message is not to have its plaintext: neither he nor his group gets a right by that.
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

    /// Of a message of one's own, those who may read it are those whom one has let.
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
