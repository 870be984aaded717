import CryptorPrimitives
import CryptorSystem
import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Who owns an output, and who may do what with it. What other users try is in `OtherUsersTests`.
@Suite struct AttributeTests {
    private static let (owner, group): (uid_t, gid_t) = (1234, 4321)
    private static let canGiveAway = Privileges.areRoots
    private static let hasAccessLists = FileSystems.withAccessLists.contains(FileSystems.temporary)
    private static let list = AccessList(owner: 6, namedUser: (5678, 4), group: 0, mask: 4, others: 0)

    private func makeSpecial(_ job: FileJob, _ name: String, mode: mode_t, isGivenAway: Bool = true) throws {
        if Self.canGiveAway && isGivenAway {
            try job.folder.setOwner(Self.owner, group: Self.group, of: name)
        }
        try job.folder.setMode(mode, of: name)
    }

    private func check(
        _ job: FileJob, isKept: Bool, mode: mode_t, _ before: mode_t, at location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try job.folder.status(of: "destination")
        let what: Comment = "\(String(before, radix: 8)) became \(String(found.st_mode, radix: 8)), \(found.st_uid)"
        #expect(found.st_mode & 0o7777 == mode, what, sourceLocation: location)
        #expect(found.st_uid == (isKept ? Self.owner : geteuid()), what, sourceLocation: location)
        #expect(found.st_gid == (isKept ? Self.group : getegid()), what, sourceLocation: location)
        #expect(try job.destinationFlaw() == nil, what, sourceLocation: location)
    }

    @Test(arguments: Way.all, [0o640, 0o400, 0o4755, 0o7777] as [mode_t])
    func whatIsReplacedKeepsItsOwnerAndNoSpecialBit(way: Way, mode: mode_t) throws {
        let job = try FileJob(way)
        try job.folder.write([1, 2, 3], to: "destination")
        try makeSpecial(job, "destination", mode: mode)
        try job.run(overwriting: true)
        try check(job, isKept: Self.canGiveAway, mode: mode & 0o777, mode)
    }

    /// A file beside its source has its mode and times and, if it is a message, its owner: a plaintext belongs to the
    /// user who decrypts it. It is private before.
    @Test(arguments: Way.beside, [0o600, 0o640, 0o444, 0o6755] as [mode_t])
    func besideItsSource(way: Way, mode: mode_t) throws {
        let job = try FileJob(way, byteCount: 100_000)
        try makeSpecial(job, "source", mode: mode, isGivenAway: way.task == .encrypt)
        try job.folder.setTimes(1_000_000_001, 1_234_567_890, of: "source")
        try job.run(takingAttributes: true) { _ in
            let unfinished = try job.folder.names().filter { $0 != "source" }
            #expect(unfinished.count == (way.naming == .named ? 1 : 0))
            for name in unfinished { #expect(try job.folder.mode(of: name) == 0o600) }
        }
        let status = try job.folder.status(of: "destination")
        #expect(status.st_mtim.tv_sec == 1_234_567_890 && status.st_atim.tv_sec == 1_000_000_001)
        try check(job, isKept: way.task == .encrypt && Self.canGiveAway, mode: mode & 0o777, mode)
    }

    /// If the source or the folder has an access list, a new file beside its source is its owner's only.
    @Test(.enabled(if: hasAccessLists), arguments: Way.beside, [AccessList.name, AccessList.nameOfDefault])
    func besideAnAccessList(way: Way, list: String) throws {
        let job = try FileJob(way)
        try makeSpecial(job, "source", mode: 0o664, isGivenAway: way.task == .encrypt)
        try job.folder.setAttribute(list, Self.list.bytes, of: list == AccessList.name ? "source" : ".")
        try job.run(takingAttributes: true)
        #expect(try job.folder.accessList(of: "destination") == nil)
        try check(job, isKept: way.task == .encrypt && Self.canGiveAway, mode: 0o600, 0o664)
    }

    /// The group of the caller's own message keeps its rights to the plaintext, because the caller gave them.
    @Test(.enabled(if: canGiveAway), arguments: Naming.allCases, [0o640, 0o664] as [mode_t])
    func besideOnesOwnMessage(naming: Naming, mode: mode_t) throws {
        let job = try FileJob(Way(task: .decrypt, naming: naming))
        try job.folder.setOwner(geteuid(), group: Self.group, of: "source")
        try job.folder.setMode(mode, of: "source")
        try job.run(takingAttributes: true)
        #expect(try job.folder.group(of: "destination") == Self.group)
        #expect(try job.folder.mode(of: "destination") == mode)
    }

    /// The output gets no rights from a pipe.
    @Test(arguments: Way.beside) func besideAPipe(way: Way) throws {
        let job = try FileJob(way)
        let writer = try PipeWriter(job.sourceBytes)
        try job.run(from: writer.source, takingAttributes: true)
        try check(job, isKept: false, mode: job.folder.modeOfNewFiles(), 0)
    }
}
