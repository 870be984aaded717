import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Message files in base64 text.
@Suite struct Base64FileTests {
    private static let lengths = [0, 1, 700, 701, 702, 5000, 1_100_000]

    /// A job whose source is base64 text.
    private func job(_ task: FileTask, _ length: Int, _ spelling: Base64Text.Spelling) throws -> FileJob {
        let job = try FileJob(task, byteCount: length)
        try job.folder.write(Array(spelling.text(of: job.sourceBytes).utf8), to: "source")
        return job
    }

    @Test(arguments: Base64Text.Spelling.allCases, [0, 1, 700, 701, 702])
    func everySpelling(spelling: Base64Text.Spelling, length: Int) throws {
        let job = try job(.decrypt, length, spelling)
        let comment: Comment = "\(length) bytes, \(SeededGenerator())"
        let count = try Cryptor.verifyFile(at: job.source, with: job.credential, options: FileOptions(base64: true))
        #expect(count == length, comment)
        let inspection = try Cryptor.inspectFile(at: job.source, options: FileOptions(base64: true))
        #expect(inspection.isBase64 && inspection.messageByteCount == job.sourceBytes.count, comment)
        try Cryptor.decryptFile(
            at: job.source, to: job.destination, with: job.credential, options: FileOptions(base64: true))
        #expect(try job.destinationFlaw() == nil, comment)
    }

    /// Messages and text go from files and pipes into files and streams, at lengths around the base64 probe's.
    @Test(arguments: [0, 700, 701, 702, 703, 5000, 1_100_000], [false, true])
    func throughFilesAndStreams(length: Int, fromPipe: Bool) throws {
        for asBase64 in [false, true] {
            let job = try FileJob(.decrypt, byteCount: length)
            let text = [UInt8](Data(job.sourceBytes).base64EncodedData(options: .lineLength76Characters))
            let bytes = asBase64 ? text : job.sourceBytes
            try job.folder.write(bytes, to: "source")
            for toStream in [false, true] {
                let writer = try PipeWriter(fromPipe ? bytes : [])
                let reader = try PipeReader()
                let source = fromPipe ? FileEndpoint.descriptor(try #require(writer.readEnd)) : job.source
                let stream = FileEndpoint.descriptor(try #require(reader.writeEnd))
                try Cryptor.decryptFile(
                    at: source, to: toStream ? stream : job.destination, with: job.credential,
                    options: FileOptions(base64: true))
                let found = try toStream ? reader.finish() : job.folder.read("destination")
                #expect(firstDifference(found, job.plaintext) == nil, "\(length) bytes, \(SeededGenerator())")
            }
        }
    }

    @Test(arguments: FileRoundTripTests.lengths.filter { $0 < 600_000 } + [1_100_000])
    func encryptionWritesLines(length: Int) throws {
        let job = try FileJob(.encrypt, byteCount: length)
        try Cryptor.encryptFile(
            at: job.source, to: job.destination, with: job.credential, options: FileOptions(base64: true))
        let text = try job.folder.read("destination")
        let message = [UInt8](try #require(Data(base64Encoded: Data(text), options: .ignoreUnknownCharacters)))
        let expected = Data(message).base64EncodedData(options: [.lineLength76Characters, .endLineWithLineFeed])
        #expect(firstDifference(text, [UInt8](expected) + [10]) == nil)
        #expect(try firstDifference(Cryptor.decrypt(message, with: job.credential), job.plaintext) == nil)
    }

    /// Rekeying keeps base64 text in one line or in lines of the same length, and the newline at its end.
    @Test(arguments: Base64Text.Spelling.allCases, [0, 1000, 1_100_000])
    func rekeyingKeepsBase64(spelling: Base64Text.Spelling, length: Int) throws {
        for fromPipe in [false, true] {
            let job = try job(.rekey, length, spelling)
            let writer = try PipeWriter(fromPipe ? try job.folder.read("source") : [])
            let source = fromPipe ? FileEndpoint.descriptor(try #require(writer.readEnd)) : job.source
            let destination = fromPipe ? job.destination : job.source
            try Cryptor.rekeyFile(
                at: source, to: destination, from: job.credential, into: job.newCredential,
                options: FileOptions(base64: true))
            let text = try job.folder.read(fromPipe ? "destination" : "source")
            let message = [UInt8](try #require(Data(base64Encoded: Data(text), options: .ignoreUnknownCharacters)))
            #expect(firstDifference(text, [UInt8](spelling.rewritten.text(of: message).utf8)) == nil)
            #expect(try job.flaw(in: message) == nil, "\(SeededGenerator())")
        }
    }

    @Test(arguments: [FileTask.decrypt, .rekey])
    func whatIsBinaryStaysSo(task: FileTask) throws {
        for length in [0, 900, 1_100_000] {
            let job = try FileJob(task, byteCount: length)
            if task == .decrypt {
                try Cryptor.decryptFile(
                    at: job.source, to: job.destination, with: job.credential, options: FileOptions(base64: true))
            } else {
                try Cryptor.rekeyFile(
                    at: job.source, to: job.destination, from: job.credential, into: job.newCredential,
                    options: FileOptions(base64: true))
            }
            #expect(try job.destinationFlaw() == nil, "\(length) bytes, \(SeededGenerator())")
        }
    }

    /// A fault after the base64 probe is reported. With a fault within the probe, the file is not base64 at all.
    @Test(arguments: [
        (2000, CryptorError.Code.looksBase64Encoded), (1024, .looksBase64Encoded),
        (1023, .unsupportedVersion), (4, .unsupportedVersion), (400_000, .looksBase64Encoded),
    ])
    func brokenText(offset: Int, expected: CryptorError.Code) throws {
        let job = try job(.decrypt, 500_000, .oneLine)
        try job.folder.write(Array("?".utf8), to: "source", at: offset)
        let errors = [
            try caughtError {
                try Cryptor.decryptFile(
                    at: job.source, to: job.destination, with: job.credential, options: FileOptions(base64: true))
            },
            try caughtError {
                try Cryptor.verifyFile(at: job.source, with: job.credential, options: FileOptions(base64: true))
            },
        ]
        for error in errors {
            #expect(error?.code == expected)
            #expect(error?.path == job.source.description)
            let namesOffset = error?.description.contains("at byte \(offset) ") == true
            #expect(namesOffset == (expected == .looksBase64Encoded), "\(String(describing: error))")
        }
        #expect(try job.folder.names() == ["source"])
    }

    /// A file may be indented as far as any other text.
    @Test(arguments: [(1, true), (999, true), (1000, true), (1001, false), (1100, false), (100_000, false)])
    func indented(spaceCount: Int, isRead: Bool) throws {
        let job = try FileJob(.decrypt)
        let spaces = [UInt8](repeating: UInt8(ascii: " "), count: spaceCount)
        let text = spaces + Cryptor.base64Text(of: job.sourceBytes)
        try job.folder.write(text, to: "source")
        let error = try caughtError {
            try Cryptor.decryptFile(
                at: job.source, to: job.destination, with: job.credential, options: FileOptions(base64: true))
        }
        #expect((error == nil) == isRead, "\(spaceCount) spaces: \(String(describing: error))")
        #expect(((try? Cryptor.message(fromBase64: text)) != nil) == isRead, "\(spaceCount) spaces")
    }

    /// All functions that read text refuse a long run of spaces where they meet it.
    @Test func aRunOfSpacesIsNotReadToItsEnd() throws {
        let folder = try TemporaryFolder()
        let byteCount = 32 << 20
        let start = [[UInt8]](repeating: Array("AwEB".utf8), count: 1000).flatMap(\.self)
        try folder.write(start + [UInt8](repeating: UInt8(ascii: " "), count: byteCount), to: "source")
        let source = FileEndpoint.path(folder.path("source"))
        let (old, new) = (try FileJob.keys(1), try FileJob.keys(3))
        var bytesRead = 0
        let errors = [
            try caughtError {
                try Cryptor.decryptFile(
                    at: source, to: .path(folder.path("opened")), with: old, options: FileOptions(base64: true)
                ) { progress in bytesRead = max(bytesRead, progress.bytesDone) }
            },
            try caughtError {
                try Cryptor.verifyFile(at: source, with: old, options: FileOptions(base64: true)) { progress in
                    bytesRead = max(bytesRead, progress.bytesDone)
                }
            },
            try caughtError {
                try Cryptor.rekeyFile(
                    at: source, to: .path(folder.path("opened")), from: old, into: new,
                    options: FileOptions(base64: true))
            },
            try caughtError { _ = try Cryptor.inspectFile(at: source, options: FileOptions(base64: true)) },
        ]
        for error in errors {
            #expect(error?.code == .looksBase64Encoded)
            #expect(error?.description.contains("at byte 5000 ") == true, "\(String(describing: error))")
        }
        #expect(bytesRead < 1 << 20, "\(bytesRead) of \(byteCount) bytes")
        #expect(try folder.names() == ["source"])
    }

    @Test(arguments: ["A", "Aw==AwEB", "AwEBA"])
    func shortBrokenText(text: String) throws {
        let job = try FileJob(.decrypt)
        try job.folder.write(Array(text.utf8), to: "source")
        let error = try caughtError {
            try Cryptor.verifyFile(at: job.source, with: job.credential, options: FileOptions(base64: true))
        }
        #expect(error?.code == .looksBase64Encoded)
    }
}
