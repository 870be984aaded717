import CryptorFiles
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

extension FileJob {
    /// The source, opened for random access.
    func verified() throws -> VerifiedFile { try VerifiedFile(at: source, with: credential) }
}

/// The parts that are read are those of the complete plaintext.
@Suite struct VerifiedFileTests {
    private static let segment = 64 * 1024

    private func check(
        _ range: Range<Int>, of file: VerifiedFile, _ plaintext: [UInt8], _ name: String,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let difference = firstDifference(
            try file.read(range), plaintext[range.clamped(to: 0..<plaintext.count)])
        #expect(
            difference == nil, "\(name), \(range), \(SeededGenerator())", sourceLocation: location)
    }

    /// Offsets at and beside each of `offsets`.
    private func marks(around offsets: [Int]) -> [Int] {
        offsets.flatMap { offset in [-17, -16, -1, 0, 1, 15, 16].map { offset + $0 } }
    }

    @Test(arguments: [0, 1, 15, 16, 17, 65_535, 65_536, 65_537, 131_072, 131_088, 200_000])
    func boundaries(length: Int) throws {
        let job = try FileJob(.decrypt, byteCount: length)
        let file = try job.verified()
        #expect(file.plaintextByteCount == length)
        #expect(file.header.bytes.elementsEqual(job.sourceBytes.prefix(file.header.byteCount)))
        let near = marks(around: [0, 16, Self.segment, 2 * Self.segment, length])
        let marks = Set(near.filter { 0...length ~= $0 }).sorted()
        for (index, start) in marks.enumerated() {
            for end in marks.dropFirst(index) {
                try check(start..<end, of: file, job.plaintext, "\(length) bytes")
            }
        }
    }

    @Test func manyThreadsAtOnce() throws {
        let job = try FileJob(.decrypt, byteCount: 1_000_003)
        let (file, expected) = (try job.verified(), job.plaintext)
        let failures = Notes<String>()
        DispatchQueue.concurrentPerform(iterations: 16) { thread in
            var generator = SeededGenerator(seed: SeededGenerator.processSeed &+ UInt64(thread))
            for _ in 0..<50 {
                let start = Int.random(in: 0..<expected.count, using: &generator)
                let end = min(
                    expected.count, start + Int.random(in: 0...150_000, using: &generator))
                let found = try? file.read(start..<end)
                if found.map({ sameBytes($0, expected[start..<end]) }) != true {
                    failures.add("\(start)..<\(end)")
                }
            }
        }
        #expect(failures.all.isEmpty, "\(failures.all), \(SeededGenerator())")
    }

    /// The message starts at the descriptor's position, and the descriptor may be closed once the
    /// file is open.
    @Test(arguments: [0, 100, 70_000])
    func aDescriptorThatIsClosed(length: Int) throws {
        let job = try FileJob(.decrypt, byteCount: length)
        try job.directory.write([UInt8](repeating: 3, count: 1234) + job.sourceBytes, to: "later")
        let file = try job.directory.withDescriptor(of: "later", O_RDONLY) { descriptor in
            #expect(lseek(descriptor, 1234, SEEK_SET) == 1234)
            // After a failure, the same descriptor can be opened again.
            let wrong = Credential.keys(try .random())
            let error = try caughtError {
                _ = try VerifiedFile(at: .descriptor(descriptor), with: wrong)
            }
            #expect(error?.code == .authenticationFailed && lseek(descriptor, 0, SEEK_CUR) == 1234)
            let file = try VerifiedFile(at: .descriptor(descriptor), with: job.credential)
            #expect(lseek(descriptor, 0, SEEK_CUR) == 1234, "the position is the caller's")
            return file
        }
        try check(0..<length, of: file, job.plaintext, "\(length)")
    }
}
