import Foundation
import Synchronization
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A source is removed when its output is a file on the disk. Only the file that was read is ever removed.
@Suite struct SourceRemovalTests {
    private static let tasks = [FileTask.encrypt, .decrypt]

    private func run(
        _ job: FileJob, from source: FileEndpoint? = nil, to destination: FileEndpoint? = nil,
        with credential: Credential? = nil, overwriting: Bool = false, progress: FileProgress.Handler? = nil
    ) throws {
        let (source, destination) = (source ?? job.source, destination ?? job.destination)
        let credential = credential ?? job.credential
        if job.task == .encrypt {
            try Cryptor.encryptFile(
                at: source, to: destination, with: credential,
                options: FileOptions(overwriting: overwriting, removingSource: true),
                progress: progress)
        } else {
            try Cryptor.decryptFile(
                at: source, to: destination, with: credential,
                options: FileOptions(overwriting: overwriting, removingSource: true),
                progress: progress)
        }
    }

    @Test(arguments: tasks, Naming.allCases)
    func isRemoved(task: FileTask, naming: Naming) throws {
        for overwriting in [false, true] {
            let job = try FileJob(task, byteCount: 600_000)
            if overwriting { try job.folder.write([1, 2, 3], to: "destination") }
            try naming.use { try run(job, overwriting: overwriting) { _ in #expect(job.folder.exists("source")) } }
            #expect(try job.folder.names() == ["destination"])
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
            case .renamed, .gone: "No such file or directory"
            }
        }
    }

    @Test(arguments: tasks, Reason.allCases)
    func isKept(task: FileTask, reason: Reason) throws {
        let job = try FileJob(task, byteCount: 600_000)
        let theirs = Array("somebody else's".utf8)
        var source = job.source
        var isDone = false
        switch reason {
        case .symbolicLink:
            try job.folder.symbolicLink("link", to: "source")
            source = .path(job.folder.path("link"))
        case .hardLink: try job.folder.link("source", to: "other name")
        default: break
        }
        let error = #expect(throws: CryptorError.self) {
            try run(job, from: source) { _ in
                guard !isDone else { return }
                isDone = true
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
                default: break
                }
            }
        }
        #expect(isDone)
        #expect(error?.code == .sourceKept)
        #expect(error?.isPublished == true)
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
        var progress = ProgressReporter(nil, totalBytes: nil)
        for appended in [[], [1], []] as [[UInt8]] {
            var input = try InputFile(opening: job.source, progress: progress)
            var bytes: [UInt8] = []
            try input.append(job.plaintext.count + 9, to: &bytes, &progress)
            try job.folder.append(appended, to: "source")
            let error = try caughtError { try input.remove(outputIsKept: true) }
            #expect(error?.code == (appended.isEmpty ? nil : .sourceKept))
            #expect(job.folder.exists("source") == !appended.isEmpty)
            if appended.isEmpty { try job.folder.write(job.plaintext, to: "source") }
        }
    }

    /// The source is removed from the folder in which it was opened, and nothing in another folder is touched.
    @Test(arguments: tasks, [false, true])
    func aFolderThatIsExchanged(task: FileTask, byALink: Bool) throws {
        let job = try FileJob(task, byteCount: 600_000)
        try job.folder.makeFolder("inner")
        try job.folder.makeFolder("outside")
        try job.folder.rename("source", to: "inner/source")
        try job.folder.write(Array("a treasure".utf8), to: "outside/source")
        var isDone = false
        try run(job, from: .path(job.folder.path("inner/source"))) { _ in
            guard !isDone else { return }
            isDone = true
            try job.folder.rename("inner", to: "moved")
            if byALink {
                try job.folder.symbolicLink("inner", to: "outside")
            } else {
                try job.folder.rename("outside", to: "inner")
            }
        }
        #expect(isDone)
        #expect(try job.folder.names(in: "moved") == [], "the file that was read is removed, where it is")
        #expect(try job.folder.read("inner/source") == Array("a treasure".utf8))
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
    }

    /// If the path leads through a linked folder, the file that was read is the one that is removed.
    @Test(arguments: tasks)
    func throughALinkedFolder(task: FileTask) throws {
        let job = try FileJob(task)
        try job.folder.symbolicLink("here", to: ".")
        try run(job, from: .path(job.folder.path("here/source")))
        #expect(try job.folder.names() == ["destination", "here"])
    }

    @Test(arguments: tasks)
    func aFIFOIsKept(task: FileTask) throws {
        let job = try FileJob(task)
        try job.folder.makeFIFO("fifo")
        let source = FileEndpoint.path(job.folder.path("fifo"))
        let writer = PipeWriter(job.sourceBytes, intoFIFO: job.folder.path("fifo"))
        let error = #expect(throws: CryptorError.self) { try run(job, from: source) }
        #expect(error?.code == .sourceKept)
        #expect(error?.description.contains("it is a link, or not a regular file") == true)
        #expect(try job.folder.names() == ["destination", "fifo", "source"])
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        withExtendedLifetime(writer) {}
    }

    /// A source is kept if its output is no file, since nobody might find again what was written.
    @Test(arguments: tasks)
    func anOutputThatIsNoFile(task: FileTask) throws {
        let job = try FileJob(task)
        try job.folder.makeFIFO("fifo")
        let pipe = try PipeReader()
        let fifo = PipeReader(fifo: job.folder.path("fifo"))
        let outputs: [FileEndpoint] = [
            .path("/dev/null"), .path(job.folder.path("fifo")), .descriptor(try #require(pipe.writeEnd)),
        ]
        for output in outputs {
            let error = #expect(throws: CryptorError.self, "\(output)") { try run(job, to: output) }
            #expect(error?.code == .sourceKept, "\(output)")
            #expect(error?.isPublished == true, "\(output)")
            #expect(
                error?.description.contains("the output is not a regular file") == true, "\(String(describing: error))")
            #expect(try job.isSourceUntouched(), "\(output)")
        }
        for reader in [pipe, fifo] { #expect(try job.flaw(in: reader.finish()) == nil, "\(SeededGenerator())") }
        // The descriptor of a regular file does not count as a file either: the file may have no name.
        try job.folder.write([], to: "destination")
        try job.folder.withDescriptor(of: "destination", O_WRONLY) { file in
            let error = #expect(throws: CryptorError.self) { try run(job, to: .descriptor(file)) }
            #expect(error?.code == .sourceKept)
        }
        #expect(try job.isSourceUntouched())
    }

    /// A descriptor has no name that could be removed.
    @Test(arguments: tasks)
    func aDescriptorIsNotRemoved(task: FileTask) throws {
        let job = try FileJob(task)
        let error = try job.folder.withDescriptor(of: "source", O_RDONLY) { file in
            try caughtError { try run(job, from: .descriptor(file)) }
        }
        #expect(error?.code == .sourceKept)
        #expect(error?.isPublished == true)
        #expect(try job.folder.names() == ["destination", "source"])
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
    }

    @Test(.enabled(if: Privileges.canBeDropped), arguments: tasks)
    func aFolderThatMayNotBeWritten(task: FileTask) throws {
        let job = try FileJob(task)
        try job.folder.makeFolder("inner")
        try job.folder.rename("source", to: "inner/source")
        try job.folder.setMode(0o777, of: ".")
        try job.folder.setMode(0o555, of: "inner")
        defer { try? job.folder.setMode(0o755, of: "inner") }
        let source = FileEndpoint.path(job.folder.path("inner/source"))
        let error = #expect(throws: CryptorError.self) {
            try Privileges.withoutRoot { try run(job, from: source) }
        }
        #expect(error?.code == .sourceKept)
        #expect(error?.systemErrorNumber == EACCES)
        #expect(try job.folder.names(in: "inner") == ["source"])
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
    }

    /// Work that fails removes nothing.
    @Test(arguments: tasks, Naming.allCases)
    func failuresRemoveNothing(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task, byteCount: 300_000)
        try job.folder.write([1, 2, 3], to: "destination")
        let taken = #expect(throws: CryptorError.self) { try naming.use { try run(job) } }
        #expect(taken?.code == .destinationExists)
        struct Enough: Error {}
        let cancelled = #expect(throws: CryptorError.self) {
            try naming.use { try run(job, overwriting: true) { _ in throw Enough() } }
        }
        #expect(cancelled?.code == .cancelled)
        if task == .decrypt {
            let wrong = #expect(throws: CryptorError.self) {
                try naming.use { try run(job, with: try FileJob.keys(77), overwriting: true) }
            }
            #expect(wrong?.code == .authenticationFailed)
        }
        for error in [taken, cancelled] { #expect(error?.isPublished == false) }
        #expect(try job.isSourceUntouched())
        #expect(try job.folder.read("destination") == [1, 2, 3])
    }

    /// A source that is written all the time, as a log in use is, is kept, and the work does not wait for its writer.
    @Test func aSourceThatNeverSettles() throws {
        final class Flag: Sendable {
            let isSet = Atomic(false)
        }
        let (job, flag, ended) = (try FileJob(.encrypt), Flag(), DispatchSemaphore(value: 0))
        let (path, first) = (job.folder.path("source"), job.sourceBytes[0])
        Thread.detachNewThread {
            let file = open(path, O_WRONLY)
            // The writer stops at last, so that this test fails, and does not hang, if the library waits for it.
            for _ in 0..<20_000 where !flag.isSet.load(ordering: .relaxed) {
                _ = withUnsafeBytes(of: first) { pwrite(file, $0.baseAddress, 1, 0) }
                usleep(1000)
            }
            close(file)
            ended.signal()
        }
        defer {
            flag.isSet.store(true, ordering: .relaxed)
            ended.wait()
        }
        #expect(try caughtError { try run(job) }?.code == .sourceKept)
    }
}
