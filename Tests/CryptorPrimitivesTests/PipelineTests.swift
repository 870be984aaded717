import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

private func spin(for duration: Duration) {
    guard duration > .zero else { return }
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end {}
}

/// Chunks come out processed and in order, whichever thread has processed them.
@Suite(.unlessItHangs) struct PipelineTests {
    private struct Refusal: Error, Equatable { let number: Int }

    /// A pipeline that numbers the chunks as they come and refuses one. It would accept the next.
    private func numbering(
        depth: Int = 8, refused: Int? = nil, _ count: PipelineValue<Int> = PipelineValue(0),
        delay: Duration = .zero
    ) -> Pipeline<[Int], Refusal> {
        Pipeline(depth: depth) { (chunk) throws(Refusal) in
            defer { count.value += 1 }
            if count.value == refused { throw Refusal(number: count.value) }
            spin(for: delay)
            chunk.append(count.value)
        }
    }

    /// Which chunks a worker may process: none, all, all but the first ones, every other, and all
    /// but a few in between.
    private static let helped: [@Sendable (Int) -> Bool] = [
        { _ in false }, { _ in true }, { $0 >= 4 }, { $0.isMultiple(of: 2) }, { !(10...12 ~= $0) },
    ]

    @Test(arguments: [0, 1, 5, 8, 40], [1, 2, 3, 16])
    func everyChunkOnce(count: Int, depth: Int) throws {
        // How long the step and the caller take, in microseconds: each of them is the slower one
        // once.
        for (step, caller) in [(0, 0), (200, 0), (0, 200), (50, 100)] {
            for (kind, isHelped) in Self.helped.enumerated() {
                let processed = PipelineValue(0)
                var pipeline = numbering(depth: depth, processed, delay: .microseconds(step))
                var results: [[Int]] = []
                for number in 0..<count {
                    if let done = try pipeline.pass([number], besideCaller: isHelped(number)) {
                        results.append(done)
                    }
                    #expect(number + 1 - results.count < depth || depth == 1)
                    spin(for: .microseconds(caller))
                }
                while let done = try pipeline.next() { results.append(done) }
                #expect(results == (0..<count).map { [$0, $0] }, "helped: \(kind)")
                #expect(processed.value == count)
            }
        }
    }

    /// A failure comes out in its place: the chunks before it come out, none after it is processed,
    /// and it stays.
    @Test(arguments: [0, 3, 4, 8, 30], [0, 100])
    func aFailureComesOutInItsPlace(refused: Int, microseconds: Int) {
        for isHelped in Self.helped {
            let count = PipelineValue(0)
            do {
                var pipeline = numbering(
                    refused: refused, count, delay: .microseconds(microseconds))
                var results: [[Int]] = []
                let error = #expect(throws: Refusal.self) {
                    for number in 0..<40 {
                        if let done = try pipeline.pass([number], besideCaller: isHelped(number)) {
                            results.append(done)
                        }
                    }
                    while let done = try pipeline.next() { results.append(done) }
                }
                #expect(error == Refusal(number: refused))
                #expect(results == (0..<refused).map { [$0, $0] })
                for _ in 0..<50 {
                    #expect(throws: Refusal(number: refused)) { try pipeline.next() }
                }
            }
            #expect(count.value == refused + 1, "asked again after its failure")
        }
    }

    /// A worker that has gone comes again for later chunks.
    @Test func aWorkerComesAgain() throws {
        let caller = pthread_self()
        var pipeline = Pipeline<[Bool], Refusal>(depth: 2) { chunk in
            chunk.append(pthread_self() != caller)
        }
        var helpedCount = 0
        for _ in 0..<1000 where helpedCount < 3 {
            _ = try pipeline.pass([], besideCaller: true)
            usleep(2000)
            while let done = try pipeline.next() { helpedCount += done == [true] ? 1 : 0 }
        }
        #expect(helpedCount == 3)
    }

    /// What a worker hashes comes before what the caller hashes next, however far behind the worker
    /// is.
    @Test(arguments: [1000, 200_000, 3_000_000]) func aTagOfBoth(byteCount: Int) throws {
        let key = SecretBytes([UInt8](repeating: 1, count: 32))
        let first = [UInt8](repeating: 2, count: byteCount)
        let second = [UInt8](repeating: 3, count: 100)
        func engine() throws -> SplitEngine {
            try SplitEngine(
                .encrypt, encryptionKey: key, hmacKey: key, iv: [UInt8](repeating: 4, count: 16),
                authenticating: [])
        }
        /// The tag over what was hashed before, and one block.
        func tag(_ engine: consuming SplitEngine) throws -> [UInt8] {
            try Array(byteCapacity: 48) { (output) throws(OpenSSLError) in
                try engine.finishSealing(unhashedFrom: 0, into: &output)
            }
        }
        func expectedTag(_ parts: [[UInt8]]) throws -> [UInt8] {
            var engine = try engine()
            for part in parts { _ = try engine.hash(part, besideCaller: false) }
            return try tag(engine)
        }
        let expected = try expectedTag([[UInt8]](repeating: first, count: 7) + [second])
        var reference = try HMACAuthenticator(key: key)
        for _ in 0..<7 { try reference.update(first) }
        try reference.update(second + expected.prefix(16))
        #expect(try reference.finish() == Array(expected.suffix(32)))

        var ofArrays = try engine()
        var ofSpans = try engine()
        for _ in 0..<7 {
            _ = try ofArrays.hash(first, besideCaller: true)
            try ofSpans.hash(first.span.bytes, besideCaller: true)
        }
        _ = try ofArrays.hash(second, besideCaller: false)
        try ofSpans.hash(second.span.bytes, besideCaller: false)
        #expect(try tag(ofArrays) == expected)
        #expect(try tag(ofSpans) == expected)
        // A span, which is copied and waits for more, and then an array.
        var ofBoth = try engine()
        try ofBoth.hash(second.span.bytes, besideCaller: true)
        _ = try ofBoth.hash(first, besideCaller: true)
        #expect(try tag(ofBoth) == expectedTag([second, first]))
    }
}
