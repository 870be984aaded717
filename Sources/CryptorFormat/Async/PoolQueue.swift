import CryptorPrimitives

/// What waits for the threads of a pool, in the order in which it came.
final class PoolQueue: Sendable {
    enum Work: Sendable {
        case job(@Sendable () -> Void)
        case derivation(PoolDerivation)
    }

    private let work = Lock(TicketQueue<Work>())
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
    var count: Int { work.withLock { $0.count } }

    func append(_ new: Work) -> UInt64 { work.withLock { $0.append(new) } }

    /// - Returns: false if a thread has begun with it.
    func remove(_ ticket: UInt64) -> Bool { work.withLock { $0.remove(ticket) } != nil }

    /// Does what comes next; of derivations a batch, those that follow each other.
    /// - Returns: false if nothing waits.
    func runNext() -> Bool {
        switch work.withLock({ $0.popFirst() }) {
        case nil:
            return false
        case .job(let body):
            body()
        case .derivation(let first):
            derive([first] + work.withLock { work in more(in: &work) })
        }
        return true
    }

    private func more(in work: inout TicketQueue<Work>) -> [PoolDerivation] {
        var batch: [PoolDerivation] = []
        while batch.count + 1 < batchCount, case .derivation(let next) = work.head {
            batch.append(next)
            _ = work.popFirst()
        }
        return batch
    }

    private func derive(_ batch: [PoolDerivation]) {
        willDerive(batch.count)
        do throws(CryptorError) {
            let keys = try KeyDerivation.keys(for: batch.map { ($0.password, $0.salts) })
            for (derivation, keys) in zip(batch, keys) { derivation.finish(.success(keys)) }
        } catch {
            for derivation in batch { derivation.finish(.failure(error)) }
        }
    }
}

/// The two keys of a message that somebody waits for.
struct PoolDerivation: Sendable {
    let password: SecretBytes
    let salts: Header.Salts
    /// Called once, on a thread of the pool, unless the derivation is taken back before.
    let finish: @Sendable (Result<KeyPair, CryptorError>) -> Void
}
