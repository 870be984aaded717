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
    private static let hasAccessLists = FileSystems.withAccessLists.contains(FileSystems.temporary)
    private static let list = AccessList(owner: 6, namedUser: (named, 4), group: 0, mask: 4, others: 0)

    private func makeSpecial(_ job: FileJob, _ name: String, mode: mode_t) throws {
        if Self.canGiveAway { try job.folder.setOwner(Self.owner, group: Self.group, of: name) }
        try job.folder.setMode(mode, of: name)
    }

    private func check(
        _ job: FileJob, _ name: String = "destination", isKept: Bool = canGiveAway, mode: mode_t,
        _ comment: String = "", at location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try job.folder.owner(of: name) == (isKept ? Self.owner : geteuid()), sourceLocation: location)
        #expect(try job.folder.group(of: name) == (isKept ? Self.group : getegid()), sourceLocation: location)
        let found = try job.folder.mode(of: name)
        #expect(found == mode, "\(comment) \(String(found, radix: 8))", sourceLocation: location)
    }

    // MARK: A file that takes the place of another

    @Test(arguments: Way.all) func whatIsReplacedKeepsItsOwnerAndNoSpecialBit(way: Way) throws {
        for mode: mode_t in [0o640, 0o400, 0o666, 0o4755, 0o2775, 0o6711, 0o7777] {
            let job = try FileJob(way)
            try job.folder.write([1, 2, 3], to: "destination")
            try makeSpecial(job, "destination", mode: mode)
            try job.run(overwriting: true)
            try check(job, mode: mode & 0o777, String(mode, radix: 8))
            #expect(try job.destinationFlaw() == nil)
            guard way.task == .rekey else { continue }
            try makeSpecial(job, "source", mode: mode)
            try job.run(to: job.source)
            try check(job, "source", mode: mode & 0o777, String(mode, radix: 8))
        }
    }

    /// If the caller cannot give the output to the old owner and group, the output gets fewer rights.
    @Test(.enabled(if: canGiveAway && Privileges.canBeDropped), arguments: Way.all)
    func whoMayNotGiveItAwayNarrows(way: Way) throws {
        for (mode, expected): (mode_t, mode_t) in [(0o664, 0o644), (0o646, 0o644), (0o640, 0o600), (0o4755, 0o755)] {
            let job = try FileJob(way)
            try job.folder.setMode(0o777, of: ".")
            try job.folder.write([1, 2, 3], to: "destination")
            try makeSpecial(job, "destination", mode: mode)
            try Privileges.withoutRoot { try job.run(overwriting: true) }
            #expect(try job.folder.owner(of: "destination") == Privileges.nobody)
            let found = try job.folder.mode(of: "destination")
            #expect(found == expected, "\(String(mode, radix: 8)): \(String(found, radix: 8))")
        }
    }

    /// What is replaced keeps its access list, or none: the list that the folder gives is for new files.
    @Test(.enabled(if: hasAccessLists), arguments: Way.all) func theAccessListStays(way: Way) throws {
        let ofFolder = AccessList(owner: 7, namedUser: (Self.named, 7), group: 7, mask: 7, others: 7)
        for (hasOne, givesOne) in [(true, false), (true, true), (false, true)] {
            let job = try FileJob(way)
            try job.folder.write([1, 2, 3], to: "destination")
            try makeSpecial(job, "destination", mode: 0o640)
            if hasOne { try job.folder.setAttribute(AccessList.name, Self.list.bytes, of: "destination") }
            if givesOne { try job.folder.setAttribute(AccessList.nameOfDefault, ofFolder.bytes, of: ".") }
            try job.run(overwriting: true)
            #expect(try job.folder.accessList(of: "destination") == (hasOne ? Self.list.bytes : nil))
            try check(job, mode: 0o640)
        }
    }

    /// The rights count that the file has at the end. What was taken away meanwhile does not come back.
    @Test(arguments: Way.all) func rightsThatAreChangedMeanwhile(way: Way) throws {
        for (before, meanwhile): (mode_t, mode_t) in [(0o644, 0o600), (0o600, 0o666), (0o640, 0o604)] {
            for isAnother in [false, true] {
                let job = try FileJob(way, byteCount: 300_000)
                try job.folder.write([1, 2, 3], to: "destination")
                try job.folder.setMode(before, of: "destination")
                try job.run(
                    overwriting: true,
                    progress: once {
                        let name = isAnother ? "other" : "destination"
                        if isAnother { try job.folder.write([4, 5, 6], to: "other") }
                        try job.folder.setMode(meanwhile, of: name)
                        if isAnother { try job.folder.rename("other", to: "destination") }
                    })
                try check(job, isKept: false, mode: meanwhile, String(before, radix: 8))
                #expect(try job.destinationFlaw() == nil)
            }
        }
    }

    // MARK: A new file

    /// Unless the caller asks for the source's attributes, a new file has the permissions that the umask leaves.
    @Test(arguments: Way.all) func elsewhere(way: Way) throws {
        let job = try FileJob(way)
        try makeSpecial(job, "source", mode: 0o600)
        try job.run()
        try check(job, isKept: false, mode: try job.folder.modeOfNewFiles())
    }

    /// Only the source of an encryption gets another owner here: a plaintext belongs to the user who decrypts it.
    private func makeSpecialSource(_ job: FileJob, mode: mode_t) throws {
        if job.task == .encrypt { try makeSpecial(job, "source", mode: mode) }
        try job.folder.setMode(mode, of: "source")
    }

    /// A file beside its source has its mode and times and, if it is a message, its owner. It is private before.
    @Test(arguments: Way.beside) func besideItsSource(way: Way) throws {
        for mode: mode_t in [0o600, 0o640, 0o444, 0o666, 0o755, 0o6755] {
            let job = try FileJob(way, byteCount: 100_000)
            try makeSpecialSource(job, mode: mode)
            try job.folder.setTimes(1_000_000_001, 1_234_567_890, of: "source")
            try job.run(takingAttributes: true) { _ in
                let unfinished = try job.folder.names().filter { $0 != "source" }
                #expect(unfinished.count == (way.naming == .named ? 1 : 0))
                for name in unfinished { #expect(try job.folder.mode(of: name) == 0o600) }
            }
            let isKept = way.task == .encrypt && Self.canGiveAway
            try check(job, isKept: isKept, mode: mode & 0o777, String(mode, radix: 8))
            let status = try job.folder.status(of: "destination")
            #expect(status.st_mtim.tv_sec == 1_234_567_890 && status.st_atim.tv_sec == 1_000_000_001)
            #expect(try job.destinationFlaw() == nil)
        }
    }

    /// If the source or the folder has an access list, a new file beside its source is its owner's only.
    @Test(.enabled(if: hasAccessLists), arguments: Way.beside) func besideAnAccessList(way: Way) throws {
        for name in [AccessList.name, AccessList.nameOfDefault] {
            let job = try FileJob(way)
            try makeSpecialSource(job, mode: 0o664)
            try job.folder.setAttribute(name, Self.list.bytes, of: name == AccessList.name ? "source" : ".")
            try job.run(takingAttributes: true)
            #expect(try job.folder.accessList(of: "destination") == nil)
            try check(job, isKept: way.task == .encrypt && Self.canGiveAway, mode: 0o600)
        }
    }

    /// Another user who owns a message gets no right to its plaintext by that, and neither does the message's group. The
    /// group of the caller's own message keeps its rights, because the caller gave them.
    @Test(.enabled(if: canGiveAway), arguments: Naming.allCases) func plaintextsBesideMessages(naming: Naming) throws {
        for (isOwn, mode, expected): (Bool, mode_t, mode_t) in [
            (false, 0o600, 0o600), (false, 0o660, 0o600), (false, 0o664, 0o644), (false, 0o646, 0o644),
            (true, 0o640, 0o640), (true, 0o664, 0o664),
        ] {
            let job = try FileJob(Way(task: .decrypt, naming: naming))
            try job.folder.setOwner(isOwn ? geteuid() : Self.owner, group: Self.group, of: "source")
            try job.folder.setMode(mode, of: "source")
            try job.run(takingAttributes: true)
            #expect(try job.folder.owner(of: "destination") == geteuid())
            #expect(try job.folder.group(of: "destination") == (isOwn ? Self.group : getegid()))
            let found = try job.folder.mode(of: "destination")
            #expect(found == expected, "\(String(mode, radix: 8)): \(String(found, radix: 8))")
        }
    }

    /// A file that is replaced keeps its own rights even beside the source, and gets the times of the source. A plaintext
    /// does not become another user's.
    @Test(arguments: Way.beside) func replacedBesideItsSource(way: Way) throws {
        for (source, destination, narrowed): (mode_t, mode_t, mode_t) in [
            (0o600, 0o644, 0o644), (0o644, 0o600, 0o600), (0o777, 0o4750, 0o700),
        ] {
            let job = try FileJob(way)
            try job.folder.write([1, 2, 3], to: "destination")
            for (name, mode) in [("source", source), ("destination", destination)] {
                try makeSpecial(job, name, mode: mode)
            }
            try job.folder.setTimes(1, 1_234_567_890, of: "source")
            try job.run(overwriting: true, takingAttributes: true)
            let isKept = way.task == .encrypt && Self.canGiveAway
            let isSame = isKept || !Self.canGiveAway
            let rights = isSame ? destination & 0o777 : narrowed
            try check(job, isKept: isKept, mode: rights, String(destination, radix: 8))
            #expect(try job.folder.status(of: "destination").st_mtim.tv_sec == 1_234_567_890)
        }
    }

    /// The output gets no rights from a pipe.
    @Test(arguments: Way.beside) func besideAPipe(way: Way) throws {
        let job = try FileJob(way)
        let writer = try PipeWriter(job.sourceBytes)
        try job.run(from: .descriptor(try #require(writer.readEnd)), takingAttributes: true)
        #expect(try job.folder.mode(of: "destination") == job.folder.modeOfNewFiles())
        #expect(try job.destinationFlaw() == nil)
    }
}
