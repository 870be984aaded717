import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CryptorPrimitives

private func spin(for duration: Duration) {
    guard duration > .zero else { return }
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end {}
}

/// Chunks come out processed, in order, whoever processed them.
@Suite struct RelayTests {
    private struct Refusal: Error, Equatable { let number: Int }

    /// Numbers the chunks as they come and refuses one.
    private struct Numbering: RelayStep, ~Copyable {
        var count = 0
        var refused: Int?
        let delay: Duration

        mutating func process(_ chunk: inout [Int]) throws(Refusal) {
            if count == refused { throw Refusal(number: count) }
            spin(for: delay)
            chunk.append(count)
            count += 1
        }
    }

    /// How long each step and the caller take, in microseconds: each of them is the slowest once.
    private static let delays = [(0, 0, 0), (200, 0, 0), (0, 200, 0), (0, 0, 200), (50, 100, 150)]

    @Test(arguments: [0, 1, 4, 5, 6, 7, 8, 21, 100], [1, 2, 3, 4, 16])
    func everyChunkOnce(count: Int, depth: Int) throws {
        for (first, second, caller) in Self.delays {
            for isSerial in [false, true] {
                var relay = Relay(
                    Numbering(delay: .microseconds(first)), then: Numbering(delay: .microseconds(second)),
                    depth: depth, isSerial: isSerial)
                var results: [[Int]] = []
                try CoreBudget.$isUnlimited.withValue(true) {
                    for number in 0..<count {
                        if let done = try relay.pass([number]) { results.append(done) }
                        spin(for: .microseconds(caller))
                    }
                    while let done = try relay.next() { results.append(done) }
                }
                #expect(results == (0..<count).map { [$0, $0, $0] })
                relay.finish { first, second in
                    #expect(first.count == count)
                    #expect(second.count == count)
                }
            }
        }
    }

    /// The chunks before it come out; none after it does.
    @Test(arguments: [0, 3, 4, 5, 6, 7, 30], [false, true])
    func aFailureComesOutInItsPlace(refused: Int, isSerial: Bool) {
        for (first, second) in [(refused, nil), (nil, refused), (refused, refused), (30, refused)] as [(Int?, Int?)] {
            for delay in [Duration.zero, .microseconds(100)] {
                var relay = Relay(
                    Numbering(refused: first, delay: .zero), then: Numbering(refused: second, delay: delay),
                    isSerial: isSerial)
                var results: [[Int]] = []
                let error = #expect(throws: Refusal.self) {
                    try CoreBudget.$isUnlimited.withValue(true) {
                        for number in 0..<40 {
                            if let done = try relay.pass([number]) { results.append(done) }
                        }
                        while let done = try relay.next() { results.append(done) }
                    }
                }
                #expect(error == Refusal(number: refused))
                #expect(results == (0..<refused).map { [$0, $0, $0] })
            }
        }
    }

    /// Whoever throws it away with chunks under way waits for the thread, and nothing is left.
    @Test func droppedMidway() throws {
        final class Token: Sendable {
            static let alive = Atomic<Int>(0)
            init() { Self.alive.add(1, ordering: .relaxed) }
            deinit { Self.alive.subtract(1, ordering: .relaxed) }
        }
        struct Holding: RelayStep, ~Copyable {
            let token = Token()
            mutating func process(_ chunk: inout Token) throws(Never) {}
        }
        for count in 0..<20 {
            var relay = Relay(Holding(), then: Holding(), isSerial: false)
            CoreBudget.$isUnlimited.withValue(true) { for _ in 0..<count { _ = relay.pass(Token()) } }
        }
        #expect(Token.alive.load(ordering: .relaxed) == 0)
    }

    /// Small work, and work that is to be serial, stays on its thread.
    @Test(arguments: [(4, false), (50, true)])
    func staysOnTheThread(count: Int, isSerial: Bool) throws {
        struct ThreadNoting: RelayStep, ~Copyable {
            mutating func process(_ chunk: inout [UInt]) throws(Never) {
                chunk.append(UInt(bitPattern: pthread_self().hashValue))
            }
        }
        var relay = Relay(ThreadNoting(), then: ThreadNoting(), isSerial: isSerial)
        let here = UInt(bitPattern: pthread_self().hashValue)
        for _ in 0..<count { #expect(relay.pass([]) == [here, here]) }
    }
}
