import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// The message file is changed between the pass that verified it and the pass that releases it.
@Suite struct SecondPassTests {
    private static let segment = SegmentByteCount.forSecondPass
    private static let length = 3 * segment + 5
    private static let messageByteCount = 18 + 3 * segment + 16 + 32

    /// What somebody does to the file, and what comes of it.
    enum Change: CaseIterable, Sendable {
        case laterSegment, segmentBoundary, lastSegment, sameSegment, header, lastBlock, code
        case truncated, truncatedInTail, emptied, grown, replaced, replacedByAnother, removed

        /// Nil if the second pass does not read what was changed, or goes on with the old file.
        var error: CryptorError.Code? {
            switch self {
            case .laterSegment, .segmentBoundary, .lastSegment: .authenticationFailed
            case .truncated, .emptied: .inputOutput
            default: nil
            }
        }

        /// The number of complete segments that were released; nil for all of the plaintext.
        var segmentCount: Int? {
            switch self {
            case .laterSegment, .segmentBoundary, .truncated, .emptied: 1
            case .lastSegment: 2
            default: nil
            }
        }

        /// Makes the change. The second pass has read its first segment.
        func apply(to folder: TemporaryFolder) throws {
            let segment = SecondPassTests.segment
            let end = SecondPassTests.messageByteCount
            switch self {
            case .laterSegment: try folder.alter("source", end / 2..<end / 2 + 1)
            case .segmentBoundary: try folder.alter("source", 18 + segment..<19 + segment)
            case .lastSegment: try folder.alter("source", 17 + 3 * segment..<18 + 3 * segment)
            case .sameSegment: try folder.alter("source", 18..<18 + segment)
            case .header: try folder.alter("source", 0..<18)
            case .lastBlock: try folder.alter("source", end - 48..<end - 32)
            case .code: try folder.alter("source", end - 32..<end)
            case .truncated: try folder.truncate("source", to: end / 2)
            case .truncatedInTail: try folder.truncate("source", to: end - 48)
            case .emptied: try folder.truncate("source", to: 0)
            case .grown: try folder.append([UInt8](repeating: 7, count: 100_000), to: "source")
            case .replaced, .replacedByAnother:
                let other = try Cryptor.encrypt(LongBytes.bytes(length, from: 500), with: try FileJob.keys(1))
                try folder.write(self == .replaced ? [1] : other, to: "other")
                try folder.rename("other", to: "source")
            case .removed: try folder.rename("source", to: "elsewhere")
            }
        }
    }

    /// Does `change` in the second pass.
    private func secondPass(_ job: FileJob, _ change: @escaping () throws -> Void) throws -> FileProgress.Handler {
        once(after: try job.folder.read("source").count + 1, change)
    }

    @Test(arguments: Change.allCases)
    func ofADecryptionIntoAStream(change: Change) throws {
        let job = try FileJob(.decrypt, byteCount: Self.length)
        try #require(job.sourceBytes.count == Self.messageByteCount)
        let reader = try PipeReader()
        let destination = FileEndpoint.descriptor(try #require(reader.writeEnd))
        let error = try caughtError {
            try job.run(to: destination, progress: secondPass(job) { try change.apply(to: job.folder) })
        }
        let expected = change.segmentCount.map { job.plaintext.prefix($0 * Self.segment) } ?? job.plaintext[...]
        try check(try reader.finish(), against: expected, change)
        #expect(error?.code == change.error)
        if let error {
            #expect(error.path == job.source.description)
            #expect(error.fileOperation == .readingInput)
        }
    }

    /// A rekeying that fails leaves the file as somebody else changed it.
    @Test(arguments: Change.allCases.filter { $0.error != nil }, Naming.allCases)
    func ofARekeyingInPlace(change: Change, naming: Naming) throws {
        let job = try FileJob(Way(task: .rekey, naming: naming), byteCount: Self.length)
        var changed: [UInt8] = []
        let inode = try job.folder.inode(of: "source")
        let error = try caughtError {
            try job.run(
                to: job.source,
                progress: secondPass(job) {
                    try change.apply(to: job.folder)
                    changed = try job.folder.read("source")
                })
        }
        #expect(error?.code == change.error)
        #expect(try firstDifference(job.folder.read("source"), changed) == nil)
        #expect(try job.folder.inode(of: "source") == inode)
        #expect(try job.folder.names() == ["source"])
    }

    /// In the first pass, it is still undecided whether the message is authentic, and nothing has been released.
    @Test(
        arguments: [(Change.code, .authenticationFailed), (.truncated, .inputOutput), (.grown, .authenticationFailed)]
            as [(Change, CryptorError.Code)])
    func inTheFirstPass(change: Change, expected: CryptorError.Code) throws {
        let job = try FileJob(.decrypt, byteCount: Self.length)
        let reader = try PipeReader()
        let destination = FileEndpoint.descriptor(try #require(reader.writeEnd))
        let error = try caughtError {
            try job.run(
                to: destination, progress: once(after: job.sourceBytes.count / 3) { try change.apply(to: job.folder) })
        }
        #expect(error?.code == expected)
        #expect(try reader.finish().count == 0)
    }

    /// Base64 text is decoded twice, and the second pass is checked as well.
    @Test(arguments: [Change.laterSegment, .truncated, .replaced])
    func ofBase64(change: Change) throws {
        let job = try FileJob(.decrypt, byteCount: 2_300_000)
        let text = Data(job.sourceBytes).base64EncodedData()
        try job.folder.write([UInt8](text), to: "source")
        let reader = try PipeReader()
        let destination = FileEndpoint.descriptor(try #require(reader.writeEnd))
        // The second segment of the message ends a few characters later.
        let character = (18 + 2 * Self.segment) / 3 * 4 - 8
        let error = try caughtError {
            try Cryptor.decryptFile(
                at: job.source, to: destination, with: job.credential, options: FileOptions(base64: true),
                progress: secondPass(job) {
                    switch change {
                    case .laterSegment: try job.folder.write(Array("AAAA".utf8), to: "source", at: character)
                    case .truncated: try job.folder.truncate("source", to: character)
                    default: try change.apply(to: job.folder)
                    }
                })
        }
        let expected = change == .replaced ? job.plaintext[...] : job.plaintext.prefix(Self.segment)
        try check(try reader.finish(), against: expected, change)
        #expect(error?.code == change.error)
    }

    /// Nothing false is released. Where the file ends too early, segments that were under way are not released, either.
    private func check(_ found: [UInt8], against expected: ArraySlice<UInt8>, _ change: Change) throws {
        guard [.truncated, .truncatedInTail, .emptied, .replaced].contains(change) else {
            return #expect(firstDifference(found, expected) == nil, "\(SeededGenerator())")
        }
        #expect(expected.starts(with: found), "\(found.count) of \(expected.count) bytes, \(SeededGenerator())")
    }
}
