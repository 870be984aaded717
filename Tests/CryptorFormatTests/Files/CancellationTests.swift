import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A cancellation leaves the files as they were, whenever it comes.
@Suite struct CancellationTests {
    private struct Enough: Error {}

    private func callCount(of job: FileJob) throws -> Int {
        var count = 0
        try job.run { _ in count += 1 }
        return count
    }

    @Test(arguments: FileTask.allCases, Naming.allCases)
    func nothingIsLeftBehind(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task, byteCount: 1_500_000)
        let count = try callCount(of: job)
        try #require(count > 3)
        try job.folder.remove(FileJob.destinationName)
        for last in [1, count / 2, count - 1, count] {
            var calls = 0
            let error = #expect(throws: CryptorError.self, "call \(last) of \(count)") {
                try naming.use {
                    try job.run { _ in
                        calls += 1
                        if calls == last { throw Enough() }
                    }
                }
            }
            #expect(error?.code == .cancelled)
            #expect(calls == last, "called again after it had cancelled")
            #expect(try job.folder.names() == ["source"], "call \(last) of \(count)")
        }
        #expect(try job.isSourceUntouched())
    }

    @Test(arguments: FileTask.allCases, Naming.allCases)
    func whatWasThereStays(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task, byteCount: 600_000)
        try job.folder.write([1, 2, 3], to: "destination")
        let error = #expect(throws: CryptorError.self) {
            try naming.use { try job.run(overwriting: true) { _ in throw Enough() } }
        }
        #expect(error?.code == .cancelled)
        #expect(try job.folder.names() == ["destination", "source"])
        #expect(try firstDifference(job.folder.read("destination"), [1, 2, 3]) == nil)
    }

    @Test func verifying() throws {
        let job = try FileJob(.decrypt, byteCount: 600_000)
        let error = #expect(throws: CryptorError.self) {
            try Cryptor.verifyFile(at: job.source, with: job.credential) { _ in throw Enough() }
        }
        #expect(error?.code == .cancelled)
    }

    /// A stream gets nothing if the first pass is cancelled, and complete segments if the second one is.
    @Test func aStream() throws {
        let job = try FileJob(.decrypt, byteCount: 2_500_000)
        for limit in [0, 2_500_000, 4_000_000] {
            let reader = try PipeReader()
            let error = #expect(throws: CryptorError.self) {
                try job.run(to: .descriptor(try #require(reader.writeEnd))) {
                    if $0.bytesDone > limit { throw Enough() }
                }
            }
            #expect(error?.code == .cancelled)
            let released = try reader.finish()
            #expect(firstDifference(released, job.plaintext.prefix(released.count)) == nil)
            #expect(released.count % SegmentByteCount.forSecondPass == 0)
            #expect(released.isEmpty == (limit <= 2_500_000), "\(released.count) bytes after \(limit)")
        }
    }
}
