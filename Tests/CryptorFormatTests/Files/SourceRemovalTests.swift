import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorFiles

/// A source is removed when its output is a file on the disk. Only the file that was read is ever
/// removed.
@Suite struct SourceRemovalTests {
    @Test(arguments: Way.beside) func isRemoved(way: Way) throws {
        for overwriting in [false, true] {
            let job = try FileJob(way, byteCount: 600_000)
            if overwriting { try job.directory.write([1, 2, 3], to: "destination") }
            try job.directory.symbolicLink("here", to: ".")
            try job.run(
                from: job.path("here/source"), overwriting: overwriting, removingSource: true
            ) { _ in
                #expect(job.directory.exists("source"))
            }
            #expect(try job.directory.names() == ["destination", "here"])
            #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        }
    }

    /// Why a source is kept: its name no longer stands for what was read, or what was read has
    /// another name.
    typealias Reason = (name: String, words: String, meanwhile: @Sendable (FileJob) throws -> Void)

    private static let notTheFile =
        "it is a link or not a regular file, or it was replaced or changed meanwhile"
    private static let theirs = Array("somebody else's".utf8)
    private static let reasons: [Reason] = [
        ("a link", notTheFile, { _ in }),
        ("two names", "it has 2 names (hard links)", { _ in }),
        (
            "exchanged", notTheFile,
            {
                try $0.directory.write(theirs, to: "theirs")
                try $0.directory.rename("theirs", to: "source")
            }
        ),
        (
            "exchanged by a link", notTheFile,
            {
                try $0.directory.rename("source", to: "moved")
                try $0.directory.symbolicLink("source", to: "moved")
            }
        ),
        // The contents stay as they were: only the times tell.
        (
            "overwritten", notTheFile,
            {
                try $0.directory.write(
                    Array($0.sourceBytes.suffix(1)), to: "source", at: $0.sourceBytes.count - 1)
            }
        ),
        ("touched", notTheFile, { try $0.directory.setTimes(1, 2, of: "source") }),
        (
            "renamed", "it was renamed or removed",
            { try $0.directory.rename("source", to: "moved") }
        ),
        ("gone", "it was renamed or removed", { try $0.directory.remove("source") }),
    ]

    @Test(arguments: Way.beside, reasons) func isKept(way: Way, reason: Reason) throws {
        let job = try FileJob(way, byteCount: 600_000)
        try job.directory.symbolicLink("link", to: "source")
        if reason.name == "two names" { try job.directory.link("source", to: "other name") }
        let source = reason.name == "a link" ? job.path("link") : job.source
        // The clock of some file systems ticks only every four milliseconds.
        try job.directory.setTimes(1_000_000_000, 1_000_000_000, of: "source")
        let error = try caughtError {
            try job.run(
                from: source, removingSource: true, progress: once { try reason.meanwhile(job) })
        }
        #expect(error?.code == .inputOutput && error?.isPublished == true)
        #expect(error?.path == source.description)
        let text = error?.description ?? ""
        #expect(
            text.hasPrefix("\(source): Its output is written. It was not removed: ")
                && text.hasSuffix("."), "\(text)")
        #expect(text.contains(reason.words), "\(text)")
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        let kept =
            reason.name == "gone" ? "destination" : reason.name == "renamed" ? "moved" : "source"
        #expect(job.directory.exists(kept) && job.directory.exists("link"))
        if reason.name == "exchanged" { #expect(try job.directory.read("source") == Self.theirs) }
        if reason.name == "exchanged by a link" {
            #expect(try sameBytes(job.directory.read("moved"), job.sourceBytes))
        }
    }

    /// The source is removed from the directory in which it was opened, and nothing in another
    /// directory is touched.
    @Test(arguments: Way.beside) func aDirectoryThatIsExchanged(way: Way) throws {
        let job = try FileJob(way, byteCount: 600_000)
        for name in ["inner", "outside"] { try job.directory.makeDirectory(name) }
        try job.directory.rename("source", to: "inner/source")
        try job.directory.write(Array("a treasure".utf8), to: "outside/source")
        try job.run(
            from: job.path("inner/source"), removingSource: true,
            progress: once {
                try job.directory.rename("inner", to: "moved")
                try job.directory.symbolicLink("inner", to: "outside")
            })
        #expect(
            try job.directory.names(in: "moved") == [],
            "the file that was read is removed, where it is")
        #expect(try job.directory.read("outside/source") == Array("a treasure".utf8))
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
    }

    /// A source that was passed as a descriptor has no name that could be removed.
    @Test(arguments: Way.beside) func aDescriptor(way: Way) throws {
        let job = try FileJob(way)
        let error = try job.directory.withDescriptor(of: "source", O_RDONLY) { source in
            try caughtError { try job.run(from: .descriptor(source), removingSource: true) }
        }
        #expect(error?.code == .inputOutput && error?.isPublished == true)
        #expect(
            error?.description.contains("as a file descriptor") == true,
            "\(String(describing: error))")
        #expect(try job.isSourceUntouched() && job.destinationFlaw() == nil)
    }
}
