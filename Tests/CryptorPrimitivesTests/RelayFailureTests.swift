import Synchronization
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

/// A step that has failed is not called again. Otherwise the chunks after the failure would look like the complete
/// rest.
@Suite struct RelayFailureTests {
    private struct Refusal: Error, Equatable {}

    private final class Calls: Sendable {
        private let number = Atomic(0)
        var count: Int { number.load(ordering: .sequentiallyConsistent) }
        /// - Returns: the number of calls before this one.
        func add() -> Int { number.add(1, ordering: .sequentiallyConsistent).oldValue }
    }

    /// Refuses one call, and would accept the next.
    private struct RefusingOnce: RelayStep, ~Copyable {
        let calls: Calls
        let refused: Int

        mutating func process(_ chunk: inout Int) throws(Refusal) {
            if calls.add() == refused { throw Refusal() }
        }
    }

    @Test(arguments: [0, 1, 5, 9])
    func nothingIsDoneAfterAFailure(refused: Int) throws {
        for round in 0..<50 {
            let calls = Calls()
            var results: [Int] = []
            do {
                var relay = Relay(RefusingOnce(calls: calls, refused: refused), depth: 100)
                for number in 0..<10 { _ = try relay.pass(number, besideCaller: true) }
                #expect(throws: Refusal(), "round \(round)") {
                    // The thread that is at the step processes all waiting chunks.
                    if let done = try relay.pass(10, besideCaller: false) { results.append(done) }
                    while let done = try relay.next() { results.append(done) }
                }
            }
            // The relay has gone, and nobody is at the step any more.
            #expect(results == Array(0..<refused), "round \(round)")
            #expect(calls.count == refused + 1, "round \(round): asked again after its failure")
        }
    }
}
