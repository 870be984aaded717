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
    private struct Numbering: RelayStage, ~Copyable {
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

    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 100], [false, true])
    func everyChunkOnce(count: Int, isSerial: Bool) throws {
        for (stageDelay, callerDelay, depth) in [(0, 0, 1), (0, 0, 2), (0, 0, 3), (0, 0, 6), (200, 0, 6), (0, 200, 6)] {
            var relay = Relay(Numbering(delay: .microseconds(stageDelay)), depth: depth, isSerial: isSerial)
            var results: [[Int]] = []
            for number in 0..<count {
                if let done = try relay.pass([number]) { results.append(done) }
                spin(for: .microseconds(callerDelay))
            }
            while let done = try relay.next() { results.append(done) }
            #expect(results == (0..<count).map { [$0, $0] })
            #expect(relay.finish().count == count)
        }
    }

    /// The chunks before it come out; none after it does.
    @Test(arguments: [0, 1, 2, 3, 4, 7], [false, true])
    func aFailureComesOutInItsPlace(refused: Int, isSerial: Bool) {
        var relay = Relay(Numbering(refused: refused, delay: .zero), isSerial: isSerial)
        var results: [[Int]] = []
        let error = #expect(throws: Refusal.self) {
            for number in 0..<10 {
                if let done = try relay.pass([number]) { results.append(done) }
            }
            while let done = try relay.next() { results.append(done) }
        }
        #expect(error == Refusal(number: refused))
        #expect(results == (0..<refused).map { [$0, $0] })
    }

    /// Whoever throws it away with chunks under way waits for the thread, and nothing is left.
    @Test func droppedMidway() throws {
        final class Token: Sendable {
            static let alive = Atomic<Int>(0)
            init() { Self.alive.add(1, ordering: .relaxed) }
            deinit { Self.alive.subtract(1, ordering: .relaxed) }
        }
        struct Holding: RelayStage, ~Copyable {
            let token = Token()
            mutating func process(_ chunk: inout Token) throws(Never) {}
        }
        for count in 0..<20 {
            var relay = Relay(Holding(), isSerial: false)
            for _ in 0..<count { _ = relay.pass(Token()) }
        }
        #expect(Token.alive.load(ordering: .relaxed) == 0)
    }

    /// Small work, and work that is to be serial, stays on its thread.
    @Test(arguments: [(2, false), (50, true)])
    func staysOnTheThread(count: Int, isSerial: Bool) throws {
        struct ThreadNoting: RelayStage, ~Copyable {
            mutating func process(_ chunk: inout [UInt]) throws(Never) {
                chunk.append(UInt(bitPattern: pthread_self().hashValue))
            }
        }
        var relay = Relay(ThreadNoting(), isSerial: isSerial)
        let here = UInt(bitPattern: pthread_self().hashValue)
        for _ in 0..<count { #expect(relay.pass([]) == [here]) }
    }
}
