import CryptorPrimitives
import Foundation
import Testing

@testable import CryptorFormat

/// Which work comes next, with four messages in a batch and three files open at a time.
@Suite struct PoolQueueTests {
    /// A piece of work: its lane, and what it is.
    private struct Piece: CustomTestStringConvertible {
        let lane: PoolQueue.Lane
        let kind: Character
        var testDescription: String { "\(kind) in \(lane)" }
    }

    /// `d` is a derivation, `o` an opening, `j` a job, `c` a job that closes a file. Bars separate the lanes.
    private func pieces(_ text: String) -> [Piece] {
        zip(
            [PoolQueue.Lane.rest, .fileKeys, .usual, .last],
            text.split(separator: "|", omittingEmptySubsequences: false)
        )
        .flatMap { lane, kinds in kinds.map { Piece(lane: lane, kind: $0) } }
    }

    /// A batch holds messages of several callers. The failure of one of them is its own.
    @Test(.enabled(if: ProcessInfo.processInfo.physicalMemory > 8 << 30))
    func aFailureInABatch() throws {
        let outcomes = Notes<String>()
        let queue = PoolQueue(batches: .init(few: 4, many: 4, threadCount: 1), openFileLimit: 1) { _ in }
        let salts = Header.Salts(encryption: Array(0..<8), hmac: Array(8..<16))
        // PBKDF2 takes no password of 2 GiB. Its memory is never written before it is cleansed.
        let tooLong = SecretBytes(count: 1 << 31) { output in
            output.withUnsafeMutableBytes { bytes, count in count = bytes.count }
        }
        for password in [SecretBytes([1]), tooLong, SecretBytes([2]), SecretBytes([1])] {
            let work = PoolQueue.Work.derivation(.password(password, salts)) { keys in
                let expected = try? KeySource.password(password, salts).keys().copyKeys().hmacKey
                let actual = try? keys.get().copyKeys().hmacKey
                outcomes.add(actual == nil ? "failed" : actual == expected ? "right" : "wrong")
            }
            _ = queue.append(work)
        }
        #expect(queue.runNext())
        #expect(outcomes.all == ["right", "failed", "right", "right"])
    }

    /// Pieces of work, and the notes that they make, in order. A note is the kind of a piece and its number, from 0.
    @Test(arguments: [
        ("", [] as [String]),
        // The lanes come one after the other.
        ("j|d|j|j", ["j0", "d1", "j2", "j3"]), ("|d|d|d", ["d0", "d1", "d2"]), ("||o|j", ["o0", "j1"]),
        ("jj||jj|", ["j0", "j1", "j2", "j3"]), ("||jdj|", ["j0", "d1", "j2"]),
        // Derivations that follow each other are done four at a time.
        ("|dddddd||", ["d0d1d2d3", "d4d5"]), ("||ddjdd|", ["d0d1", "j2", "d3d4"]), ("|||ddddd", ["d0d1d2d3", "d4"]),
        // Files are opened before keys are derived, as long as more keys can be derived together.
        ("|d|o|", ["o1", "d0"]), ("|ddd|oo|", ["o3", "o4", "d0d1d2"]), ("|dddd|o|", ["d0d1d2d3", "o4"]),
        ("|ddddd|o|", ["d0d1d2d3", "o5", "d4"]), ("|dd|ooj|", ["o2", "o3", "d0d1", "j4"]),
        // The rest of work that has begun comes before both.
        ("j|ddddd||", ["j0", "d1d2d3d4", "d5"]), ("j|d|o|", ["j0", "o2", "d1"]),
        // Keys wait for nothing else.
        ("j||o|", ["j0", "o1"]), ("|d|j|", ["d0", "j1"]), ("|d|jo|", ["d0", "j1", "o2"]), ("|d||o", ["d0", "o1"]),
        // When no more files may be open, usual work behind an opening waits as well, but the last lane does not.
        ("||ooooj|j", ["o0", "o1", "o2", "j5"]), ("|d|oooo|", ["o1", "o2", "o3", "d0"]),
        ("||ooojooj|", ["o0", "o1", "o2", "j3"]), ("||cooooo|", ["c0", "o1", "o2", "o3", "o4"]),
        ("||ooocoo|", ["o0", "o1", "o2", "c3", "o4"]),
    ])
    func order(text: String, expected: [String]) throws {
        let notes = Notes<String>()
        let queue = PoolQueue(batches: .init(few: 4, many: 4, threadCount: 1), openFileLimit: 3) { _ in }
        let source = KeySource.known(try KeyPair.random())
        for (number, piece) in pieces(text).enumerated() {
            let note: @Sendable () -> Void = { [queue] in
                notes.add("\(piece.kind)\(number)")
                if piece.kind == "c" { _ = queue.closed() }
            }
            let work: PoolQueue.Work =
                switch piece.kind {
                case "d": .derivation(source) { _ in note() }
                case "o": .opening(note)
                default: .job(note)
                }
            _ = queue.append(work, to: piece.lane)
        }
        var steps: [String] = []
        var noted = 0
        while queue.runNext() {
            steps.append(notes.all.dropFirst(noted).joined())
            noted = notes.all.count
        }
        #expect(steps == expected)
        #expect(queue.count == pieces(text).count - noted)
    }

    /// Keys wait for at most as many openings as a batch has places: the opened files might need no derivation.
    @Test func openingsEnd() throws {
        let notes = Notes<String>()
        let queue = PoolQueue(batches: .init(few: 4, many: 4, threadCount: 1), openFileLimit: 100) { _ in }
        let source = KeySource.known(try KeyPair.random())
        for _ in 0..<2 { _ = queue.append(.derivation(source) { _ in notes.add("d") }, to: .fileKeys) }
        for _ in 0..<14 { _ = queue.append(.opening { notes.add("o") }, to: .usual) }
        while queue.runNext() {
            if notes.all.count == 8 { _ = queue.append(.derivation(source) { _ in notes.add("D") }, to: .fileKeys) }
        }
        #expect(notes.all.joined() == "ooooddooooooDoooo")
    }

    /// Many keys are derived together only if enough work is left for the other threads.
    @Test(arguments: [
        (1, [1: [1], 4: [4], 7: [4, 3], 8: [8], 11: [8, 3], 12: [8, 4], 20: [8, 8, 4]]),
        (2, [1: [1], 4: [4], 8: [4, 4], 11: [4, 4, 3], 12: [8, 4], 13: [8, 4, 1], 20: [8, 8, 4]]),
    ])
    func manyTogether(threadCount: Int, expected: [Int: [Int]]) throws {
        let source = KeySource.known(try KeyPair.random())
        for (count, batches) in expected {
            let notes = Notes<Int>()
            let queue = PoolQueue(
                batches: .init(few: 4, many: 8, threadCount: threadCount), openFileLimit: 3
            ) { notes.add($0) }
            for _ in 0..<count { _ = queue.append(.derivation(source) { _ in }, to: .usual) }
            while queue.runNext() {}
            #expect(notes.all == batches, "\(count) with \(threadCount) threads")
        }
    }

    /// Closing a file wakes a thread if another file waits to be opened, and only then.
    @Test func closedWhileOthersWait() {
        let queue = PoolQueue(batches: .init(few: 4, many: 4, threadCount: 1), openFileLimit: 3) { _ in }
        for _ in 0..<4 { _ = queue.append(.opening {}, to: .usual) }
        while queue.runNext() {}
        #expect(queue.count == 1)
        #expect(queue.closed())
        #expect(queue.runNext() && queue.count == 0)
        #expect(!queue.closed(), "nobody waits")
        for _ in 0..<3 { _ = queue.append(.opening {}, to: .usual) }
        while queue.runNext() {}
        #expect(queue.count == 2)
        // Both calls wake a thread, because both files can be opened now.
        #expect(queue.closed() && queue.closed())
        while queue.runNext() {}
        #expect(queue.count == 0 && !queue.closed())
    }

    /// Work that is taken back is not done, and work that has begun is not taken back.
    @Test(arguments: [PoolQueue.Lane.rest, .fileKeys, .usual, .last])
    func takenBack(lane: PoolQueue.Lane) {
        let notes = Notes<Int>()
        let queue = PoolQueue(batches: .init(few: 4, many: 4, threadCount: 1), openFileLimit: 3) { _ in }
        let tickets = (0..<4).map { number in queue.append(.job { notes.add(number) }, to: lane) }
        #expect(queue.runNext())
        #expect(queue.remove(tickets[0]) == nil)
        #expect(queue.remove(tickets[2]) != nil && queue.remove(tickets[2]) == nil)
        #expect(queue.count == 2)
        while queue.runNext() {}
        #expect(notes.all == [0, 1, 3])
    }
}
