import CryptorPrimitives

/// The work that waits for the threads of a pool: lane by lane, and within a lane in the order in which it came.
final class PoolQueue: Sendable {
    enum Work: Sendable {
        case job(@Sendable () -> Void)
        /// Opens a file, without waiting for anybody. `closed()` is called when the file is no longer open.
        case opening(@Sendable () -> Void)
        /// Derives the keys of a message, and calls the closure once, unless the work is taken back before.
        case derivation(KeySource, @Sendable (Result<KeyPair, CryptorError>) -> Void)

        var isOpening: Bool { if case .opening = self { true } else { false } }
    }

    enum Lane: Int, Sendable, CaseIterable {
        /// The rest of the work on open files and on long messages, once their keys have been derived.
        case rest
        /// The keys of files that are open.
        case fileKeys
        case usual
        /// Work that may have to wait for somebody else, such as the reader of a pipe.
        case last
    }

    struct Ticket: Sendable {
        fileprivate let lane: Lane
        fileprivate let number: UInt64
    }

    private struct State {
        var lanes = Lane.allCases.map { _ in TicketQueue<Work>() }
        var openFileCount = 0
        /// How many files were opened while the keys of open files waited.
        var openingsSinceKeys = 0

        subscript(lane: Lane) -> TicketQueue<Work> {
            get { lanes[lane.rawValue] }
            _modify { yield &lanes[lane.rawValue] }
        }
    }

    private let state = Lock(State())
    private let batches: Batches
    private let openFileLimit: Int
    private let willDerive: @Sendable (_ messageCount: Int) -> Void

    /// How many messages have their keys derived together.
    struct Batches {
        /// The number of messages whose keys take about as long as those of fewer.
        var few: Int
        /// The number that takes the least time per message, for when enough wait to keep the other threads busy, too.
        var many: Int
        /// How many messages have to wait before `many` are derived together.
        var fewestForMany: Int

        init(few: Int, many: Int, threadCount: Int) {
            self.few = few
            self.many = many
            fewestForMany = threadCount == 1 ? many : many + few
        }
    }

    /// - Parameters:
    ///   - batches: how many messages have their keys derived together, at most.
    ///   - openFileLimit: the most files that are open at a time.
    ///   - willDerive: for tests: called before each batch, on the thread that derives it.
    init(batches: Batches, openFileLimit: Int, willDerive: @escaping @Sendable (_ messageCount: Int) -> Void) {
        precondition(batches.few > 0 && batches.many >= batches.few && openFileLimit > 0)
        self.batches = batches
        self.openFileLimit = openFileLimit
        self.willDerive = willDerive
    }

    /// How much work waits.
    var count: Int { state.withLock { state in state.lanes.reduce(0) { $0 + $1.count } } }

    func append(_ new: Work, to lane: Lane = .usual) -> Ticket {
        Ticket(lane: lane, number: state.withLock { $0[lane].append(new) })
    }

    /// - Returns: the work; nil if a thread has begun it.
    func remove(_ ticket: Ticket) -> Work? { state.withLock { $0[ticket.lane].remove(ticket.number) } }

    /// Called when a file that was opened here is no longer open.
    /// - Returns: whether the next usual work is to open another file.
    func closed() -> Bool {
        state.withLock { state in
            state.openFileCount -= 1
            return state[.usual].head?.isOpening == true
        }
    }

    /// Does the work that comes next. Derivations that follow each other are done together, as a batch.
    /// - Returns: false if there is nothing that can be done now.
    func runNext() -> Bool {
        let work: (@Sendable () -> Void)? = state.withLock { state in next(in: &state) }
        work?()
        return work != nil
    }

    private func next(in state: inout State) -> (@Sendable () -> Void)? {
        if let rest = take(from: &state[.rest]) { return rest }
        let nextOpens = state[.usual].head?.isOpening == true
        let mayOpen = state.openFileCount < openFileLimit
        // The keys of more files could be derived together with those of the open ones, so more files are opened first.
        // Some of those may need no keys, so no more files are opened than a batch can have.
        let isWorthWaiting =
            max(state[.fileKeys].count, state.openingsSinceKeys) < batches.many && nextOpens && mayOpen
        if !isWorthWaiting, let keys = take(from: &state[.fileKeys]) {
            state.openingsSinceKeys = 0
            return keys
        }
        if nextOpens && !mayOpen { return take(from: &state[.last]) }
        if nextOpens {
            state.openFileCount += 1
            if !state[.fileKeys].isEmpty { state.openingsSinceKeys += 1 }
        }
        return take(from: &state[.usual]) ?? take(from: &state[.last])
    }

    private func take(from work: inout TicketQueue<Work>) -> (@Sendable () -> Void)? {
        switch work.head {
        case nil: return nil
        case .derivation:
            let batch = batch(in: &work)
            return { [self] in derive(batch) }
        case .job(let body), .opening(let body):
            _ = work.popFirst()
            return body
        }
    }

    private typealias Derivation = (source: KeySource, finish: @Sendable (Result<KeyPair, CryptorError>) -> Void)

    private func batch(in work: inout TicketQueue<Work>) -> [Derivation] {
        var batch: [Derivation] = []
        let count = work.count >= batches.fewestForMany ? batches.many : batches.few
        while batch.count < count, case .derivation(let source, let finish) = work.head {
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
            // One source may be to blame, and the others belong to other callers.
            for derivation in batch {
                derivation.finish(Result { () throws(CryptorError) in try derivation.source.keys() })
            }
        }
    }
}
