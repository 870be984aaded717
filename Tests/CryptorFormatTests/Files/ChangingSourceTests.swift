import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A plaintext that changes while it is encrypted.
@Suite struct ChangingSourceTests {
    @Test(arguments: [0, 1, 262_143, 262_144, 262_145, 999_999], Naming.allCases)
    func oneThatShrinksIsAnError(count: Int, naming: Naming) throws {
        for overwriting in [false, true] {
            let job = try FileJob(.encrypt, byteCount: 1_000_000)
            if overwriting { try job.folder.write([1, 2, 3], to: "destination") }
            let names = try job.folder.names()
            let error = #expect(throws: CryptorError.self) {
                try naming.use {
                    try job.run(overwriting: overwriting) { _ in try job.folder.truncate("source", to: count) }
                }
            }
            #expect(error?.code == .inputOutput)
            #expect(error?.fileOperation == .readingInput)
            #expect(error?.path == job.source.description)
            #expect(error?.systemErrorNumber == nil)
            let read = max(count, MessageChunk.byteCount)
            let sentence = "It had 1000000 bytes and ended after \(read):"
            #expect(error?.description.contains(sentence) == true, "\(String(describing: error))")
            #expect(try job.folder.names() == names)
            if overwriting { #expect(try firstDifference(job.folder.read("destination"), [1, 2, 3]) == nil) }
        }
    }

    @Test(arguments: [1, 16, 300_000])
    func oneThatGrowsIsReadToItsEnd(count: Int) throws {
        let job = try FileJob(.encrypt, byteCount: 600_000)
        let more = LongBytes.bytes(count, from: 2_000_000)
        var calls = 0
        try job.run { _ in
            calls += 1
            if calls == 1 { try job.folder.append(more, to: "source") }
        }
        let plaintext = try Cryptor.decrypt(job.folder.read("destination"), with: job.credential)
        #expect(firstDifference(plaintext, job.plaintext + more) == nil, "\(SeededGenerator())")
    }

    @Test func oneThatIsReplacedIsReadOn() throws {
        let job = try FileJob(.encrypt, byteCount: 600_000)
        try job.run { _ in
            guard !job.folder.exists("destination") else { return }
            try job.folder.write([1, 2, 3], to: "other")
            try job.folder.rename("other", to: "source")
        }
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
    }

    /// A message that shrinks is an error, and not taken for a shorter message.
    @Test(arguments: [FileTask.decrypt, .rekey], [66, 262_144, 999_999])
    func aMessageThatShrinks(task: FileTask, count: Int) throws {
        let job = try FileJob(task, byteCount: 1_000_000)
        let error = #expect(throws: CryptorError.self) {
            try job.run { _ in try job.folder.truncate("source", to: count) }
        }
        #expect(error?.code == .inputOutput)
        #expect(error?.path == job.source.description)
        #expect(try job.folder.names() == ["source"])
    }

    @Test(arguments: [FileTask.decrypt, .rekey], [1, 16, 300_000])
    func aMessageThatGrows(task: FileTask, count: Int) throws {
        let job = try FileJob(task, byteCount: 600_000)
        var calls = 0
        let error = #expect(throws: CryptorError.self) {
            try job.run { _ in
                calls += 1
                if calls == 1 { try job.folder.append([UInt8](repeating: 0, count: count), to: "source") }
            }
        }
        #expect(error?.code == (count % 16 == 0 ? .authenticationFailed : .invalidMessageLength))
        #expect(try job.folder.names() == ["source"])
    }
}
