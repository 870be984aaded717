import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorFiles

/// Message files in base64 text. The text itself is tested by `Base64Tests`.
@Suite struct Base64FileTests {
    private static let options = FileOptions(base64: true)
    /// A long message shows nothing about a spelling that a short one does not.
    private static let cases: [(spelling: Base64Text.Spelling?, length: Int)] =
        ([nil] + Base64Text.Spelling.allCases).flatMap { spelling in
            [0, 700, 701, 702, 703].map { (spelling, $0) }
        } + [(nil, 1_100_000), (.linesOfCRLF, 1_100_000)]

    /// A job whose source is base64 text, or a message if `spelling` is nil.
    private func job(_ task: FileTask, _ length: Int, _ spelling: Base64Text.Spelling?) throws
        -> FileJob
    {
        let job = try FileJob(task, byteCount: length)
        if let spelling {
            try job.directory.write(Array(spelling.text(of: job.sourceBytes).utf8), to: "source")
        }
        return job
    }

    /// A message is read in every spelling, from files and pipes, into files and streams. The
    /// lengths are around that of the start of the file that tells text from messages.
    @Test(arguments: cases)
    func isRead(spelling: Base64Text.Spelling?, length: Int) throws {
        let job = try job(.decrypt, length, spelling)
        let text = try job.directory.read("source")
        let comment: Comment = "\(length) bytes, \(SeededGenerator())"
        let inspection = try Cryptor.inspectFile(at: job.source, options: Self.options)
        #expect(inspection.isBase64 == (spelling != nil), comment)
        #expect(inspection.messageByteCount == job.sourceBytes.count, comment)
        #expect(
            try Cryptor.verifyFile(at: job.source, with: job.credential, options: Self.options)
                == length, comment)
        let file = try VerifiedFile(at: job.source, with: job.credential, options: Self.options)
        #expect(firstDifference(try file.read(0..<length), job.plaintext) == nil, comment)
        for fromPipe in [false, true] {
            func decrypt(to destination: FileEndpoint) throws {
                let writer = try PipeWriter(fromPipe ? text : [])
                try Cryptor.decryptFile(
                    at: fromPipe ? writer.source : job.source, to: destination,
                    with: job.credential,
                    options: FileOptions(overwriting: true, base64: true))
            }
            try decrypt(to: job.destination)
            #expect(try job.destinationFlaw() == nil, comment)
            let (released, error) = try throughPipe(decrypt)
            #expect(error == nil && firstDifference(released, job.plaintext) == nil, comment)
        }
    }

    /// Rekeying keeps base64 text in one line, or in lines.
    @Test(arguments: cases)
    func rekeyingKeepsBase64(spelling: Base64Text.Spelling?, length: Int) throws {
        for fromPipe in [false, true] {
            let job = try job(.rekey, length, spelling)
            let writer = try PipeWriter(fromPipe ? try job.directory.read("source") : [])
            try Cryptor.rekeyFile(
                at: fromPipe ? writer.source : job.source,
                to: fromPipe ? job.destination : job.source,
                from: job.credential, into: job.newCredential, options: Self.options)
            let found = try job.directory.read(fromPipe ? "destination" : "source")
            guard let spelling else {
                #expect(try job.flaw(in: found) == nil, "\(SeededGenerator())")
                continue
            }
            let message = [UInt8](
                try #require(Data(base64Encoded: Data(found), options: .ignoreUnknownCharacters)))
            #expect(
                firstDifference(found, [UInt8](spelling.rewritten.text(of: message).utf8)) == nil)
            #expect(try job.flaw(in: message) == nil, "\(SeededGenerator())")
        }
    }

    /// A fault after the start that tells text from messages is reported. With a fault within it,
    /// the file is no text.
    @Test(arguments: [
        (2000, CryptorError.Code.looksBase64Encoded), (1024, .looksBase64Encoded),
        (1023, .unsupportedVersion),
        (4, .unsupportedVersion), (400_000, .looksBase64Encoded),
    ])
    func brokenText(offset: Int, expected: CryptorError.Code) throws {
        let job = try job(.decrypt, 500_000, .oneLine)
        try job.directory.write(Array("?".utf8), to: "source", at: offset)
        let error = try caughtError {
            try Cryptor.decryptFile(
                at: job.source, to: job.destination, with: job.credential, options: Self.options)
        }
        #expect(error?.code == expected && error?.path == job.source.description)
        let namesOffset = error?.description.contains("byte \(offset) ") == true
        #expect(namesOffset == (expected == .looksBase64Encoded), "\(String(describing: error))")
        #expect(try job.directory.names() == ["source"])
    }
}
