import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorFiles

/// An output appears under its name when it is complete, or not at all, whatever others do to the
/// name meanwhile.
@Suite struct PublicationTests {
    private static let temporaryPrefix = ".rncryptor-unfinished-"
    private let theirs = Array("somebody else's".utf8)
    private struct Enough: Error {}

    /// Besides `names`, the directory has one private unfinished file, or none if unfinished files
    /// have no name.
    private func checkUnfinished(_ job: FileJob, besides names: [String]) throws {
        let others = try job.directory.names().filter { !names.contains($0) }
        #expect(others.count == (job.naming == .named ? 1 : 0))
        for name in others {
            #expect(name.hasPrefix(Self.temporaryPrefix))
            #expect(name.dropFirst(Self.temporaryPrefix.count).allSatisfy { $0.isHexDigit })
            #expect(try job.directory.mode(of: name) == 0o600)
        }
    }

    /// A file appears when it is complete. An old one is replaced, not written: whoever is reading
    /// it reads on in it.
    @Test(arguments: Way.all, [false, true]) func aFileAppearsWhenItIsWhole(
        way: Way, overwriting: Bool
    ) throws {
        let job = try FileJob(way, byteCount: 1_500_000)
        if overwriting {
            try job.directory.write(theirs, to: "destination")
            try job.directory.link("destination", to: "other name")
        }
        let names = try job.directory.names()
        var calls = 0
        try job.run(overwriting: overwriting) { _ in
            calls += 1
            if overwriting { #expect(try job.directory.read("destination") == theirs) }
            try checkUnfinished(job, besides: names)
        }
        #expect(calls >= 5)
        #expect(try job.directory.names() == Set(names + ["destination"]).sorted())
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        if overwriting { #expect(try job.directory.read("other name") == theirs) }
        #expect(try job.isSourceUntouched())
    }

    @Test(arguments: Way.all) func aCancellationLeavesNothingBehind(way: Way) throws {
        let job = try FileJob(way, byteCount: 1_500_000)
        var count = 0
        try job.run { _ in count += 1 }
        try #require(count > 3)
        try job.directory.remove("destination")
        for last in [1, count / 2, count - 1, count] {
            for overwriting in [false, true] {
                let names = overwriting ? ["destination", "source"] : ["source"]
                if overwriting { try job.directory.write(theirs, to: "destination") }
                var calls = 0
                let error = try caughtError {
                    try job.run(overwriting: overwriting) { _ in
                        calls += 1
                        if calls == last { throw Enough() }
                    }
                }
                #expect(
                    error?.underlyingError is Enough && error?.isPublished == false,
                    "call \(last) of \(count)")
                #expect(calls == last, "called again after it had cancelled")
                #expect(try job.directory.names() == names, "call \(last) of \(count)")
                guard overwriting else { continue }
                #expect(try job.directory.read("destination") == theirs)
                try job.directory.remove("destination")
            }
        }
        #expect(try job.isSourceUntouched())
    }

    private func expectRefusal(_ job: FileJob, _ error: CryptorError?) throws {
        #expect(error?.code == .destinationExists)
        #expect(error?.path == job.destination.description)
        #expect(error?.fileOperation == .creatingOutput)
        #expect(try job.directory.names() == ["destination", "source"])
        #expect(try job.directory.read("destination") == theirs)
        #expect(try job.isSourceUntouched())
    }

    @Test(arguments: Way.all) func takenByAFile(way: Way) throws {
        let job = try FileJob(way, byteCount: 500_000)
        let take = { (_: FileProgress) in try job.directory.write(theirs, to: "destination") }
        try expectRefusal(job, try caughtError { try job.run(progress: take) })
        try expectRefusal(
            job, try caughtError { try job.run { _ in Issue.record("the work was begun") } })
        try job.directory.remove("destination")
        try job.run(overwriting: true, progress: take)
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        #expect(try job.directory.mode(of: "destination") == job.directory.modeOfNewFiles())
        try job.run(overwriting: true, progress: once { try job.directory.remove("destination") })
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        #expect(try job.directory.names() == ["destination", "source"])
    }

    /// A link that appears meanwhile is neither followed nor, without leave, replaced. A directory
    /// is never replaced.
    @Test(arguments: Way.all, ["directory", "link"]) func takenByNoFile(way: Way, kind: String)
        throws
    {
        for overwriting in [false, true] {
            let job = try FileJob(way, byteCount: 500_000)
            let error = try caughtError {
                try job.run(
                    overwriting: overwriting,
                    progress: once {
                        guard kind == "link" else {
                            return try job.directory.makeDirectory("destination")
                        }
                        try job.directory.symbolicLink("destination", to: "missing")
                    })
            }
            let replaced: CryptorError.Code? = kind == "link" ? nil : .inputOutput
            #expect(error?.code == (overwriting ? replaced : .destinationExists))
            #expect(try job.directory.names() == ["destination", "source"])
            if error == nil { #expect(try job.destinationFlaw() == nil) }
        }
    }

    @Test(arguments: Way.all, [66, 999_999]) func aSourceThatShrinks(way: Way, count: Int) throws {
        let job = try FileJob(way, byteCount: 1_000_000)
        let error = try caughtError {
            try job.run { _ in try job.directory.truncate("source", to: count) }
        }
        guard way.task != .encrypt else { return #expect(error == nil) }
        #expect(
            error?.code == .authenticationFailed || error?.code == .invalidMessageLength,
            "\(error as Any)")
        #expect(try job.directory.names() == ["source"])
    }

    @Test(arguments: FileTask.allCases, [1, 300_000]) func aSourceThatGrows(
        task: FileTask, count: Int
    ) throws {
        let job = try FileJob(task, byteCount: 600_000)
        let more = LongBytes.bytes(count, from: 2_000_000)
        let error = try caughtError {
            try job.run(progress: once { try job.directory.append(more, to: "source") })
        }
        guard task == .encrypt else {
            #expect(
                error?.code == (count % 16 == 0 ? .authenticationFailed : .invalidMessageLength))
            return
        }
        let plaintext = try Cryptor.decrypt(job.directory.read("destination"), with: job.credential)
        #expect(
            error == nil && firstDifference(plaintext, job.plaintext + more) == nil,
            "\(SeededGenerator())")
    }

    // MARK: Symbolic links lead to the file that is meant, and stay

    /// Each link starts in the directory to which the one before it leads, and may lead through a
    /// directory that is a link.
    @Test(arguments: Way.all) func aChainLeadsToItsEnd(way: Way) throws {
        let job = try FileJob(way)
        for name in ["inner", "inner/deep", "other"] { try job.directory.makeDirectory(name) }
        try job.directory.write([1, 2, 3], to: "other/target")
        try job.directory.write([4], to: "target")
        try job.directory.symbolicLink("destination", to: "./inner/../inner/second")
        try job.directory.symbolicLink("inner/second", to: "deep/third")
        try job.directory.symbolicLink(
            "inner/deep/third", to: job.directory.path("elsewhere/target"))
        try job.directory.symbolicLink("elsewhere", to: "other")
        let names = try job.directory.names()
        let error = try caughtError { try job.run() }
        #expect(error?.code == .destinationExists && error?.path == job.destination.description)
        #expect(try job.directory.read("other/target") == [1, 2, 3])
        try job.run(overwriting: true)
        #expect(try job.flaw(in: job.directory.read("other/target")) == nil, "\(SeededGenerator())")
        #expect(try job.directory.read("target") == [4])
        #expect(try job.directory.target(ofLink: "destination") == "./inner/../inner/second")
        #expect(
            try job.directory.target(ofLink: "inner/deep/third")
                == job.directory.path("elsewhere/target")
        )
        #expect(try job.directory.names(in: "other") == ["target"])
        #expect(
            try job.directory.names(in: "inner") == ["deep", "second"]
                && job.directory.names() == names)
    }

    /// Through /proc, a removed file has a path again. No other file can take its place there.
    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "there is no /proc"),
        arguments: FileTask.allCases)
    func aPathToAFileWithoutAName(task: FileTask) throws {
        let job = try FileJob(task)
        try job.directory.write([1, 2, 3], to: "gone")
        try job.directory.withDescriptor(of: "gone", O_RDWR) { descriptor in
            try job.directory.remove("gone")
            let error = try caughtError {
                try job.run(to: "/proc/self/fd/\(descriptor)".endpoint, overwriting: true)
            }
            #expect(error?.code == .inputOutput)
            #expect(error?.systemErrorNumber == ENOENT)
            #expect(lseek(descriptor, 0, SEEK_END) == 3)
        }
        #expect(try job.directory.names() == ["source"])
    }

    /// Whatever name leads to the source, it is no destination. Rekeying replaces a file that has
    /// no other name.
    @Test(arguments: FileTask.allCases, [false, true])
    func theSourceIsNoDestination(task: FileTask, overwriting: Bool) throws {
        let job = try FileJob(task)
        try job.directory.link("source", to: "other name")
        try job.directory.symbolicLink("soft", to: "source")
        for name in ["source", "./source", "other name", "soft"] {
            let error = try caughtError {
                try job.run(to: job.directory.path(name).endpoint, overwriting: overwriting)
            }
            #expect(error?.code == .sameFile, "\(name)")
        }
        #expect(
            try job.isSourceUntouched()
                && job.directory.names() == ["other name", "soft", "source"])
    }

    // MARK: Rekeying in place replaces exactly the message that was read

    /// A descriptor of the source is refused as destination, even for rekeying: the output would
    /// destroy the source.
    @Test func descriptorsAreRefused() throws {
        let job = try FileJob(.rekey)
        try job.directory.withDescriptor(of: "source", O_RDWR) { file in
            for source in [job.source, .descriptor(file)] {
                lseek(file, 0, SEEK_SET)
                let error = try caughtError {
                    try job.run(from: source, to: .descriptor(file), overwriting: true)
                }
                #expect(error?.code == .sameFile && error?.path == "file descriptor \(file)")
            }
        }
        #expect(try job.isSourceUntouched())
    }

    /// After a failure, the lock is gone, even if a copy of the descriptor is still open, as it
    /// would be in a child.
    @Test func theLockIsGivenBack() throws {
        let job = try FileJob(.rekey)
        var copy: CInt?
        defer { if let copy { close(copy) } }
        let error = try caughtError {
            try job.run(to: job.source) { _ in
                copy = dup(try #require(try job.directory.descriptor(openFor: "source")))
                throw CancellationError()
            }
        }
        #expect(error?.code == .cancelled)
        try job.run(to: job.source)
        #expect(try job.flaw(in: job.directory.read("source")) == nil)
    }

    /// A file that was changed, or that has taken the name meanwhile, is not replaced, even with
    /// `overwriting`.
    @Test(arguments: ["mode", "link", "time", "another"], Naming.allCases)
    func changedMeanwhile(change: String, naming: Naming) throws {
        for overwriting in [false, true] {
            let job = try FileJob(Way(task: .rekey, naming: naming), byteCount: 1_200_000)
            let newer = Array("a newer file of the same name".utf8)
            let error = try caughtError {
                try job.run(
                    to: job.source, overwriting: overwriting,
                    progress: once {
                        switch change {
                        case "mode": try job.directory.setMode(0o600, of: "source")
                        case "link": try job.directory.link("source", to: "other name")
                        case "time": try job.directory.setTimes(1, 2, of: "source")
                        default:
                            try job.directory.write(newer, to: "newer")
                            try job.directory.rename("newer", to: "source")
                        }
                    })
            }
            #expect(error?.code == .inputOutput && error?.isPublished == false)
            #expect(error?.path == job.source.description)
            #expect(
                try sameBytes(
                    job.directory.read("source"), change == "another" ? newer : job.sourceBytes))
            #expect(
                try job.directory.names()
                    == (change == "link" ? ["other name", "source"] : ["source"]))
        }
    }
}
