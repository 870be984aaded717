import Foundation
import Synchronization
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

private func spin(for duration: Duration) {
    guard duration > .zero else { return }
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end {}
}

/// Chunks come out processed and in order, whichever thread has processed them.
@Suite(.unlessItHangs) struct RelayTests {
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

    /// Which chunks a helper may process: none, all, all but the first ones, every other, and all but a few in between.
    private static let helped: [@Sendable (Int) -> Bool] = [
        { _ in false }, { _ in true }, { $0 >= 4 }, { $0.isMultiple(of: 2) }, { !(10...12 ~= $0) },
    ]

    @Test(arguments: [0, 1, 4, 5, 6, 7, 8, 21, 100], [1, 2, 3, 4, 16])
    func everyChunkOnce(count: Int, depth: Int) throws {
        // How long the step and the caller take, in microseconds: each of them is the slower one once.
        for (step, caller) in [(0, 0), (200, 0), (0, 200), (50, 100)] {
            for (kind, isHelped) in Self.helped.enumerated() {
                var relay = Relay(Numbering(delay: .microseconds(step)), depth: depth)
                var results: [[Int]] = []
                for number in 0..<count {
                    if let done = try relay.pass([number], besideCaller: isHelped(number)) { results.append(done) }
                    #expect(number + 1 - results.count < max(depth, 1) || depth == 1)
                    spin(for: .microseconds(caller))
                }
                while let done = try relay.next() { results.append(done) }
                #expect(results == (0..<count).map { [$0, $0] }, "helped: \(kind)")
                relay.withStep { step in #expect(step.count == count) }
            }
        }
    }

    /// A failure comes out in its place: the chunks before it come out, and none after it does.
    @Test(arguments: [0, 3, 4, 5, 6, 7, 30], [0, 100])
    func aFailureComesOutInItsPlace(refused: Int, microseconds: Int) {
        for isHelped in Self.helped {
            var relay = Relay(Numbering(refused: refused, delay: .microseconds(microseconds)))
            var results: [[Int]] = []
            let error = #expect(throws: Refusal.self) {
                for number in 0..<40 {
                    if let done = try relay.pass([number], besideCaller: isHelped(number)) { results.append(done) }
                }
                while let done = try relay.next() { results.append(done) }
            }
            #expect(error == Refusal(number: refused))
            #expect(results == (0..<refused).map { [$0, $0] })
            // `next` throws after a failure and never reports an end, however often it is called.
            for _ in 0..<50 { #expect(throws: Refusal(number: refused)) { try relay.next() } }
        }
    }

    /// A relay that is dropped with chunks under way waits for the helper, and leaves nothing behind.
    @Test func droppedMidway() throws {
        final class Token: Sendable {
            static let alive = Atomic<Int>(0)
            init() { Self.alive.add(1, ordering: .relaxed) }
            deinit { Self.alive.subtract(1, ordering: .relaxed) }
        }
        struct Holding: RelayStep, ~Copyable {
            let token = Token()
            mutating func process(_ chunk: inout Token) throws(Never) { spin(for: .microseconds(50)) }
        }
        for count in 0..<20 {
            var relay = Relay(Holding())
            for _ in 0..<count { _ = relay.pass(Token(), besideCaller: true) }
        }
        // A helper that was called in vain may still hold the empty belt.
        for _ in 0..<20_000 where Token.alive.load(ordering: .relaxed) > 0 { usleep(1000) }
        #expect(Token.alive.load(ordering: .relaxed) == 0)
    }

    /// A chunk that no helper may process stays on the caller's thread.
    @Test func staysOnTheThread() throws {
        struct ThreadNoting: RelayStep, ~Copyable {
            mutating func process(_ chunk: inout [UInt]) throws(Never) {
                chunk.append(UInt(bitPattern: pthread_self().hashValue))
            }
        }
        var relay = Relay(ThreadNoting())
        let here = UInt(bitPattern: pthread_self().hashValue)
        for _ in 0..<50 { #expect(relay.pass([], besideCaller: false) == [here]) }
    }

    /// A helper comes while the caller does nothing.
    @Test func aHelperComes() throws {
        struct Arriving: RelayStep, ~Copyable {
            let arrived: DispatchSemaphore
            mutating func process(_ chunk: inout Int) throws(Never) {
                chunk += 1
                arrived.signal()
            }
        }
        let arrived = DispatchSemaphore(value: 0)
        var relay = Relay(Arriving(arrived: arrived))
        for number in 0..<5 {
            #expect(relay.pass(number, besideCaller: true) == nil)
            guard arrived.wait(timeout: .now() + 120) == .success else {
                Issue.record("nobody came to chunk \(number)")
                return
            }
        }
        for number in 0..<5 { #expect(relay.next() == number + 1) }
    }
}
