import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// The progress of an inspection that has to read the message to its end.
@Suite struct InspectionProgressTests {
    private struct Enough: Error {}

    private func textJob(_ byteCount: Int) throws -> (job: FileJob, text: [UInt8]) {
        let job = try FileJob(.decrypt, byteCount: byteCount)
        let text = [UInt8](Data(job.sourceBytes).base64EncodedData())
        try job.folder.write(text, to: "source")
        return (job, text)
    }

    @Test func ofText() throws {
        let (job, text) = try textJob(1_000_000)
        var calls: [FileProgress] = []
        let inspection = try Cryptor.inspectFile(at: job.source, options: FileOptions(base64: true)) {
            calls.append($0)
        }
        #expect(inspection.messageByteCount == job.sourceBytes.count)
        #expect(calls.count >= 5)
        #expect(calls.allSatisfy { $0.totalBytes == text.count }, "\(calls), not of \(text.count)")
        let last = try #require(calls.last?.bytesDone)
        #expect(last <= text.count && last > text.count - 64 * 1024, "\(last) of \(text.count)")
    }

    /// The total is unknown for a pipe.
    @Test func ofAPipe() throws {
        let job = try FileJob(.decrypt, byteCount: 1_000_000)
        let writer = try PipeWriter(job.sourceBytes)
        var calls: [FileProgress] = []
        let inspection = try Cryptor.inspectFile(at: .descriptor(try #require(writer.readEnd))) { calls.append($0) }
        #expect(inspection.messageByteCount == job.sourceBytes.count)
        #expect(!calls.isEmpty && calls.allSatisfy { $0.totalBytes == nil }, "\(calls)")
    }

    @Test func canBeCancelled() throws {
        let (job, _) = try textJob(1_000_000)
        var calls = 0
        let error = try caughtError {
            _ = try Cryptor.inspectFile(at: job.source, options: FileOptions(base64: true)) { _ in
                calls += 1
                if calls == 2 { throw Enough() }
            }
        }
        #expect(error?.code == .cancelled)
        #expect(calls == 2)
    }
}
