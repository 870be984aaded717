import CryptorPrimitives
import Testing

@testable import CryptorFormat

/// What comes next, with four messages a batch.
@Suite struct PoolQueueTests {
    /// A piece of work: its lane, and what it is.
    private struct Piece: CustomTestStringConvertible {
        let lane: PoolQueue.Lane
        let kind: Character
        var testDescription: String { "\(kind) in \(lane)" }
    }

    /// `d` for a derivation, `o` for an opening, `j` for a job; lanes with bars between.
    private func pieces(_ text: String) -> [Piece] {
        zip([PoolQueue.Lane.first, .usual, .last], text.split(separator: "|", omittingEmptySubsequences: false))
            .flatMap { lane, kinds in kinds.map { Piece(lane: lane, kind: $0) } }
    }

    /// How each piece is noted: its kind and its number, counted from 0.
    @Test(arguments: [
        ("", [] as [String]),
        // One lane after the other.
        ("j|j|j", ["j0", "j1", "j2"]), ("d|d|d", ["d0", "d1", "d2"]), ("|o|j", ["o0", "j1"]),
        ("jj|jj|", ["j0", "j1", "j2", "j3"]), ("|jdj|", ["j0", "d1", "j2"]),
        // Four at a time, of those that follow each other.
        ("dddddd||", ["d0d1d2d3", "d4d5"]), ("|ddjdd|", ["d0d1", "j2", "d3d4"]), ("||ddddd", ["d0d1d2d3", "d4"]),
        // Files are opened while more keys may be derived together.
        ("d|o|", ["o1", "d0"]), ("ddd|oo|", ["o3", "o4", "d0d1d2"]), ("dddd|o|", ["d0d1d2d3", "o4"]),
        ("ddddd|o|", ["d0d1d2d3", "o5", "d4"]), ("dd|ooj|", ["o2", "o3", "d0d1", "j4"]),
        // Nothing else is worth waiting for.
        ("j|o|", ["j0", "o1"]), ("d|j|", ["d0", "j1"]), ("d|jo|", ["d0", "j1", "o2"]), ("d|d|", ["d0", "d1"]),
        ("d||o", ["d0", "o1"]), ("jd|o|", ["j0", "o2", "d1"]), ("dj|o|", ["o2", "d0", "j1"]),
    ])
    func order(text: String, expected: [String]) throws {
        let notes = Notes<String>()
        let queue = PoolQueue(batchCount: 4) { _ in }
        let source = KeySource.known(try KeyPair.random())
        for (number, piece) in pieces(text).enumerated() {
            let note: @Sendable () -> Void = { notes.add("\(piece.kind)\(number)") }
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
        #expect(queue.count == 0)
    }

    /// What is taken back is not done, and what has begun is not taken back.
    @Test(arguments: [PoolQueue.Lane.first, .usual, .last])
    func takenBack(lane: PoolQueue.Lane) {
        let notes = Notes<Int>()
        let queue = PoolQueue(batchCount: 4) { _ in }
        let tickets = (0..<4).map { number in queue.append(.job { notes.add(number) }, to: lane) }
        #expect(queue.runNext())
        #expect(!queue.remove(tickets[0]))
        #expect(queue.remove(tickets[2]) && !queue.remove(tickets[2]))
        #expect(queue.count == 2)
        while queue.runNext() {}
        #expect(notes.all == [0, 1, 3])
    }
}
