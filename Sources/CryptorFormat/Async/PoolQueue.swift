import CryptorPrimitives

/// What waits for the threads of a pool: lane after lane, and in each in the order in which it came.
final class PoolQueue: Sendable {
    enum Work: Sendable {
        case job(@Sendable () -> Void)
        /// Opens a file, and does not wait for anybody in that.
        case opening(@Sendable () -> Void)
        /// The keys of a message that somebody waits for. They are given once, unless the work is taken back before.
        case derivation(KeySource, @Sendable (Result<KeyPair, CryptorError>) -> Void)

        var isDerivation: Bool { if case .derivation = self { true } else { false } }
        var isOpening: Bool { if case .opening = self { true } else { false } }
    }

    enum Lane: Sendable {
        /// What goes on with files that are open.
        case first
        case usual
        /// What may have to wait for somebody else, as whoever reads a pipe.
        case last
    }

    struct Ticket: Sendable {
        fileprivate let lane: Lane
        fileprivate let number: UInt64
    }

    private struct State {
        var first = TicketQueue<Work>()
        var usual = TicketQueue<Work>()
        var last = TicketQueue<Work>()

        subscript(lane: Lane) -> TicketQueue<Work> {
            get { lane == .first ? first : lane == .usual ? usual : last }
            _modify {
                switch lane {
                case .first: yield &first
                case .usual: yield &usual
                case .last: yield &last
                }
            }
        }
    }

    private let state = Lock(State())
    private let batchCount: Int
    private let willDerive: @Sendable (_ messageCount: Int) -> Void

    /// - Parameters:
    ///   - batchCount: how many messages have their keys derived together, at most.
    ///   - willDerive: for tests: called before each batch, on the thread that derives it.
    init(batchCount: Int, willDerive: @escaping @Sendable (_ messageCount: Int) -> Void) {
        precondition(batchCount > 0)
        self.batchCount = batchCount
        self.willDerive = willDerive
    }

    /// For tests: how much waits.
    var count: Int { state.withLock { $0.first.count + $0.usual.count + $0.last.count } }

    func append(_ new: Work, to lane: Lane = .usual) -> Ticket {
        Ticket(lane: lane, number: state.withLock { $0[lane].append(new) })
    }

    /// - Returns: false if a thread has begun with it.
    func remove(_ ticket: Ticket) -> Bool { state.withLock { $0[ticket.lane].remove(ticket.number) } != nil }

    /// Does what comes next; of derivations a batch, those that follow each other.
    /// - Returns: false if nothing waits.
    func runNext() -> Bool {
        switch state.withLock({ state in next(in: &state) }) {
        case nil: return false
        case .one(let body): body()
        case .batch(let batch): derive(batch)
        }
        return true
    }

    private enum Next {
        case one(@Sendable () -> Void)
        case batch([Derivation])
    }

    private func next(in state: inout State) -> Next? {
        // More files may have their keys derived with those that are open.
        let isWorthWaiting =
            state.first.head?.isDerivation == true && state.first.count < batchCount
            && state.usual.head?.isOpening == true
        if !isWorthWaiting, let next = take(from: &state.first) { return next }
        return take(from: &state.usual) ?? take(from: &state.last)
    }

    private func take(from work: inout TicketQueue<Work>) -> Next? {
        switch work.head {
        case nil: return nil
        case .derivation: return .batch(batch(in: &work))
        case .job(let body), .opening(let body):
            _ = work.popFirst()
            return .one(body)
        }
    }

    private typealias Derivation = (source: KeySource, finish: (Result<KeyPair, CryptorError>) -> Void)

    private func batch(in work: inout TicketQueue<Work>) -> [Derivation] {
        var batch: [Derivation] = []
        while batch.count < batchCount, case .derivation(let source, let finish) = work.head {
            batch.append((source, finish))
            _ = work.popFirst()
        }
        return batch
    }

    private func derive(_ batch: [Derivation]) {
        willDerive(batch.count)
        do throws(CryptorError) {
            let keys = try KeyDerivation.keys(for: batch.map(\.source))
            for (derivation, keys) in zip(batch, keys) { derivation.finish(.success(keys)) }
        } catch {
            for derivation in batch { derivation.finish(.failure(error)) }
        }
    }
}
