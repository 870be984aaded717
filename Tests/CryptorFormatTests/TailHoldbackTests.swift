import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// The framing alone, without a cipher: what is released and what is held back, at every length and in every step.
@Suite struct TailHoldbackTests {
    struct Parameters: Sendable, CustomTestStringConvertible {
        let tail, block: Int
        /// Releases of at most this many bytes are copied: few if it is 0, and all if it is longer than the input.
        let copied: Int
        var testDescription: String { "tail \(tail), blocks of \(block), copies up to \(copied)" }
    }

    static let parameters = [0, 1000].flatMap { copied in
        [(48, 16), (32, 1), (32, 16), (16, 16), (1, 7), (0, 16)].map { (tail, block) in
            Parameters(tail: tail, block: block, copied: copied)
        }
    }

    private static let input = (0..<200).map { UInt8($0) }

    /// What is wrong with what the holdback did, in words; nil if nothing is.
    private func problem(_ parameters: Parameters, _ input: ArraySlice<UInt8>, _ chunking: Chunking) -> String? {
        var holdback = TailHoldback(
            BodyFraming(tailByteCount: parameters.tail, blockByteCount: parameters.block),
            copyingUpTo: parameters.copied)
        var released: [UInt8] = []
        var added = 0
        for chunk in chunking.chunks(of: Array(input)) {
            let announced = holdback.releasableByteCount(adding: chunk.count)
            let before = released.count
            var calls = 0
            withRawSpan(of: chunk) { chunk in
                holdback.add(chunk) { (span: RawSpan) in
                    calls += 1
                    if span.byteCount == 0 || span.byteCount % parameters.block != 0 { calls += 100 }
                    released.append(contentsOf: span)
                }
            }
            added += chunk.count
            if calls > 2 { return "after \(added) bytes: no whole blocks, or more than two spans" }
            let excess = max(0, added - parameters.tail)
            let expected = excess - excess % parameters.block
            if released.count != expected { return "after \(added) bytes: \(released.count) released, not \(expected)" }
            if announced != expected - before { return "after \(added) bytes: \(announced) announced" }
            if released + holdback.held != Array(input.prefix(added)) { return "after \(added) bytes: other bytes" }
        }
        return nil
    }

    @Test(arguments: parameters)
    func everyLengthInEveryStep(_ parameters: Parameters) {
        for length in 0...200 {
            // A step longer than the input would give one chunk, as below.
            for step in 1...min(70, max(1, length)) {
                let problem = problem(parameters, Self.input.prefix(length), .fixed(step))
                #expect(problem == nil, "\(length) bytes in steps of \(step)")
            }
            let whole = problem(parameters, Self.input.prefix(length), .whole)
            #expect(whole == nil, "\(length) bytes at once")
        }
    }

    @Test(arguments: parameters)
    func everySplit(_ parameters: Parameters) {
        for split in Chunking.everySplit(of: 200) {
            #expect(problem(parameters, Self.input[...], split) == nil, "\(split)")
        }
    }

    @Test(arguments: parameters)
    func randomSteps(_ parameters: Parameters) {
        var generator = SeededGenerator()
        for _ in 0..<300 {
            let length = Int.random(in: 0...200, using: &generator)
            let maximum = Int.random(in: 1...100, using: &generator)
            let chunking = Chunking.random(SeededGenerator(seed: generator.next()), maximum: maximum)
            let problem = problem(parameters, Self.input.prefix(length), chunking)
            #expect(problem == nil, "\(length) bytes \(chunking), \(generator)")
        }
    }

    /// An error that the receiver throws comes out unchanged. The held bytes are of no use then.
    @Test func theErrorOfTheReceiverComesThrough() {
        struct Refusal: Error, Equatable { let byteCount: Int }
        var holdback = TailHoldback(FormatVersion.v3.rules.body)
        let chunk = [UInt8](repeating: 0, count: 64)
        #expect(throws: Refusal(byteCount: 16)) {
            try withRawSpan(of: chunk) { (chunk) throws(Refusal) in
                try holdback.add(chunk) { (span) throws(Refusal) in throw Refusal(byteCount: span.byteCount) }
            }
        }
    }
}
