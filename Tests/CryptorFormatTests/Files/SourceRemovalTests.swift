import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A source is removed when its output is a file on the disk. Only the file that was read is ever removed.
@Suite struct SourceRemovalTests {
    @Test(arguments: Way.beside) func isRemoved(way: Way) throws {
        for overwriting in [false, true] {
            let job = try FileJob(way, byteCount: 600_000)
            if overwriting { try job.folder.write([1, 2, 3], to: "destination") }
            try job.folder.symbolicLink("here", to: ".")
            try job.run(from: job.path("here/source"), overwriting: overwriting, removingSource: true) { _ in
                #expect(job.folder.exists("source"))
            }
            #expect(try job.folder.names() == ["destination", "here"])
            #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        }
    }

    /// Why a source is kept: its name no longer stands for what was read, or what was read has another name.
    enum Reason: CaseIterable, Sendable {
        case symbolicLink, hardLink, exchanged, exchangedByALink, overwritten, touched, renamed, gone

        var words: String {
            switch self {
            case .symbolicLink, .exchangedByALink: "it is a link, or not a regular file"
            case .hardLink: "it has 2 names (hard links)"
            case .exchanged: "another file has its name now"
            case .overwritten, .touched: "it was changed meanwhile"
            case .renamed, .gone: "it has lost its name"
            }
        }
    }

    @Test(arguments: Way.beside, Reason.allCases) func isKept(way: Way, reason: Reason) throws {
        let job = try FileJob(way, byteCount: 600_000)
        let theirs = Array("somebody else's".utf8)
        var source = job.source
        switch reason {
        case .symbolicLink:
            try job.folder.symbolicLink("link", to: "source")
            source = job.path("link")
        case .hardLink: try job.folder.link("source", to: "other name")
        default: break
        }
        let error = try caughtError {
            try job.run(
                from: source, removingSource: true,
                progress: once {
                    switch reason {
                    case .exchanged:
                        try job.folder.write(theirs, to: "theirs")
                        try job.folder.rename("theirs", to: "source")
                    case .exchangedByALink:
                        try job.folder.rename("source", to: "moved")
                        try job.folder.symbolicLink("source", to: "moved")
                    // The contents stay as they were: only the times tell.
                    case .overwritten:
                        let last = Array(job.sourceBytes.suffix(1))
                        try job.folder.write(last, to: "source", at: job.sourceBytes.count - 1)
                    case .touched: try job.folder.setTimes(1, 2, of: "source")
                    case .renamed: try job.folder.rename("source", to: "moved")
                    case .gone: try job.folder.remove("source")
                    case .symbolicLink, .hardLink: break
                    }
                })
        }
        #expect(error?.code == .sourceKept && error?.isPublished == true)
        #expect(error?.path == source.description)
        let text = error?.description ?? ""
        #expect(
            text.hasPrefix("\(source): Its output is complete. It was not removed: ") && text.hasSuffix("."), "\(text)")
        #expect(text.contains(reason.words), "\(text)")
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        let kept = ["destination"] + (reason == .gone ? [] : [reason == .renamed ? "moved" : "source"])
        #expect(Set(kept).isSubset(of: try job.folder.names()))
        if reason == .exchanged { #expect(try job.folder.read("source") == theirs) }
        if reason == .symbolicLink { #expect(job.folder.exists("link")) }
        if reason == .exchangedByALink { #expect(try sameBytes(job.folder.read("moved"), job.sourceBytes)) }
    }

    /// A source that has grown after its end was read, as a log does, is kept.
    @Test func whatWasAppendedIsNotLost() throws {
        let job = try FileJob(.encrypt)
        var input = try InputFile(opening: job.source, progress: ProgressReporter())
        var bytes: [UInt8] = []
        try input.append(job.plaintext.count + 9, to: &bytes)
        try job.folder.append([1], to: "source")
        #expect(try caughtError { try input.remove(outputIsKept: true) }?.code == .sourceKept)
        #expect(job.folder.exists("source"))
    }

    /// The source is removed from the folder in which it was opened, and nothing in another folder is touched.
    @Test(arguments: Way.beside) func aFolderThatIsExchanged(way: Way) throws {
        let job = try FileJob(way, byteCount: 600_000)
        for name in ["inner", "outside"] { try job.folder.makeFolder(name) }
        try job.folder.rename("source", to: "inner/source")
        try job.folder.write(Array("a treasure".utf8), to: "outside/source")
        try job.run(
            from: job.path("inner/source"), removingSource: true,
            progress: once {
                try job.folder.rename("inner", to: "moved")
                try job.folder.symbolicLink("inner", to: "outside")
            })
        #expect(try job.folder.names(in: "moved") == [], "the file that was read is removed, where it is")
        #expect(try job.folder.read("outside/source") == Array("a treasure".utf8))
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
    }

    /// A source stays that has no name, and one whose output is no file, since nobody might find again what was written.
    @Test(arguments: Way.beside) func whatIsNoFile(way: Way) throws {
        let job = try FileJob(way)
        for name in ["in", "out"] { try job.folder.makeFIFO(name) }
        try job.folder.write([], to: "written")
        let writer = PipeWriter(job.sourceBytes, intoFIFO: job.folder.path("in"))
        let (pipe, fifo) = (try PipeReader(), PipeReader(fifo: job.folder.path("out")))
        try job.folder.withDescriptor(of: "source", O_RDONLY) { source in
            try job.folder.withDescriptor(of: "written", O_WRONLY) { written in
                let cases: [(FileEndpoint, FileEndpoint, String)] = [
                    (job.path("in"), job.destination, "not a regular file"),
                    (.descriptor(source), job.destination, "as a descriptor"),
                    (job.source, .path("/dev/null"), "the output is not a regular file"),
                    (job.source, job.path("out"), "the output is not a regular file"),
                    (job.source, .descriptor(try #require(pipe.writeEnd)), "the output is not a regular file"),
                    (job.source, .descriptor(written), "the output is not a regular file"),
                ]
                for (source, destination, words) in cases {
                    let error = try caughtError {
                        try job.run(from: source, to: destination, overwriting: true, removingSource: true)
                    }
                    let comment: Comment = "\(source), \(destination): \(String(describing: error))"
                    #expect(error?.code == .sourceKept && error?.isPublished == true, comment)
                    #expect(error?.description.contains(words) == true, comment)
                    #expect(try job.isSourceUntouched() && job.folder.exists("in"), comment)
                }
            }
        }
        for reader in [pipe, fifo] { #expect(try job.flaw(in: reader.finish()) == nil, "\(SeededGenerator())") }
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        withExtendedLifetime(writer) {}
    }

    @Test(.enabled(if: Privileges.canBeDropped), arguments: Way.beside) func aFolderThatMayNotBeWritten(way: Way) throws
    {
        let job = try FileJob(way)
        try job.folder.makeFolder("inner")
        try job.folder.rename("source", to: "inner/source")
        try job.folder.setMode(0o777, of: ".")
        try job.folder.setMode(0o555, of: "inner")
        defer { try? job.folder.setMode(0o755, of: "inner") }
        let error = try caughtError {
            try Privileges.withoutRoot { try job.run(from: job.path("inner/source"), removingSource: true) }
        }
        #expect(error?.code == .sourceKept && error?.systemErrorNumber == EACCES)
        #expect(try job.folder.names(in: "inner") == ["source"])
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
    }

    /// Work that fails removes nothing.
    @Test(arguments: Way.beside) func failuresRemoveNothing(way: Way) throws {
        let job = try FileJob(way, byteCount: 300_000)
        try job.folder.write([1, 2, 3], to: "destination")
        let taken = try caughtError { try job.run(removingSource: true) }
        #expect(taken?.code == .destinationExists && taken?.isPublished == false)
        if way.task == .decrypt {
            let wrong = try caughtError {
                try job.run(with: try FileJob.keys(77), overwriting: true, removingSource: true)
            }
            #expect(wrong?.code == .authenticationFailed && wrong?.isPublished == false)
        }
        let cancelled = try caughtError {
            try job.run(overwriting: true, removingSource: true) { _ in throw CancellationError() }
        }
        #expect(cancelled?.code == .cancelled)
        #expect(try job.isSourceUntouched())
        #expect(try job.folder.read("destination") == [1, 2, 3])
    }
}
