import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorFiles

/// The message file is changed between the pass that verified it and the pass that releases it.
@Suite struct SecondPassTests {
    private static let segment = MessageChunk.byteCount
    private static let length = 3 * segment + 5
    private static let messageByteCount = 18 + 3 * segment + 16 + 32

    /// What somebody does to the file when the second pass has read its first segment. The error is
    /// nil if that pass does not read what was changed, or goes on with the old file. `segments` is
    /// the number of complete segments that are released; nil for all of the plaintext.
    typealias Change = (
        name: String, error: CryptorError.Code?, segments: Int?,
        apply: @Sendable (TemporaryDirectory) throws -> Void
    )

    private static let changes: [Change] = {
        let (segment, end) = (Self.segment, messageByteCount)
        return [
            (
                "a later segment", .authenticationFailed, 1,
                { try $0.alter("source", end / 2..<end / 2 + 1) }
            ),
            (
                "the next byte", .authenticationFailed, 1,
                { try $0.alter("source", 18 + segment..<19 + segment) }
            ),
            (
                "the last byte", .authenticationFailed, 2,
                { try $0.alter("source", 17 + 3 * segment..<18 + 3 * segment) }
            ),
            ("what has been read", nil, nil, { try $0.alter("source", 18..<2 + segment) }),
            ("the header", nil, nil, { try $0.alter("source", 0..<18) }),
            ("the tail", nil, nil, { try $0.alter("source", end - 48..<end) }),
            ("truncated", .authenticationFailed, 1, { try $0.truncate("source", to: end / 2) }),
            ("truncated in its tail", nil, nil, { try $0.truncate("source", to: end - 48) }),
            ("emptied", .authenticationFailed, 1, { try $0.truncate("source", to: 0) }),
            (
                "grown", nil, nil,
                { try $0.append([UInt8](repeating: 7, count: 100_000), to: "source") }
            ),
            (
                "replaced", nil, nil,
                {
                    try $0.write(Cryptor.encrypt([1, 2, 3], with: FileJob.keys(1)), to: "other")
                    try $0.rename("other", to: "source")
                }
            ),
            ("removed", nil, nil, { try $0.rename("source", to: "elsewhere") }),
        ]
    }()

    /// Does `change` in the second pass.
    private func secondPass(_ job: FileJob, _ change: @escaping () throws -> Void) throws
        -> ProgressHandler
    {
        once(after: try job.directory.read("source").count + 1, change)
    }

    @Test(arguments: changes)
    func ofADecryptionIntoAStream(change: Change) throws {
        let job = try FileJob(.decrypt, byteCount: Self.length)
        try #require(job.sourceBytes.count == Self.messageByteCount)
        let (released, error) = try throughPipe {
            try job.run(to: $0, progress: secondPass(job) { try change.apply(job.directory) })
        }
        let expected =
            change.segments.map { job.plaintext.prefix($0 * Self.segment) } ?? job.plaintext[...]
        check(
            released, against: expected,
            isShorter: change.name.hasPrefix("truncated") || change.name == "emptied")
        #expect(error?.code == change.error)
        #expect(
            error == nil
                || error?.path == job.source.description && error?.fileOperation == .readingInput)
    }

    /// A rekeying that fails leaves the file as somebody else changed it.
    @Test(arguments: changes.filter { $0.error != nil }, Naming.allCases)
    func ofARekeyingInPlace(change: Change, naming: Naming) throws {
        let job = try FileJob(Way(task: .rekey, naming: naming), byteCount: Self.length)
        var changed: [UInt8] = []
        let inode = try job.directory.inode(of: "source")
        let error = try caughtError {
            try job.run(
                to: job.source,
                progress: secondPass(job) {
                    try change.apply(job.directory)
                    changed = try job.directory.read("source")
                })
        }
        #expect(error?.code == change.error)
        #expect(try firstDifference(job.directory.read("source"), changed) == nil)
        #expect(try job.directory.inode(of: "source") == inode)
        #expect(try job.directory.names() == ["source"])
    }

    /// Base64 text is copied, so that nobody changes what is released.
    @Test(arguments: [false, true]) func ofBase64(isTruncated: Bool) throws {
        let job = try FileJob(.decrypt, byteCount: 2_300_000)
        try job.directory.write(Array(Cryptor.base64Text(of: job.sourceBytes).utf8), to: "source")
        // The second segment of the message ends a few characters later.
        let character = (18 + 2 * Self.segment) / 3 * 4 - 8
        let (released, error) = try throughPipe {
            try Cryptor.decryptFile(
                at: job.source, to: $0, with: job.credential, options: FileOptions(base64: true),
                progress: secondPass(job) {
                    if isTruncated { return try job.directory.truncate("source", to: character) }
                    try job.directory.write(Array("AAAA".utf8), to: "source", at: character)
                })
        }
        #expect(error == nil && firstDifference(released, job.plaintext) == nil)
    }

    /// Nothing false is released. Where the file ends too early, segments that were under way are
    /// not released, either.
    private func check(_ found: [UInt8], against expected: ArraySlice<UInt8>, isShorter: Bool) {
        let comment: Comment = "\(found.count) of \(expected.count) bytes, \(SeededGenerator())"
        #expect(
            isShorter ? expected.starts(with: found) : firstDifference(found, expected) == nil,
            comment)
    }
}
