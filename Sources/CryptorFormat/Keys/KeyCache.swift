import CryptorPrimitives
import CryptorSystem

/// The most recently used keys that were derived from passwords, each for an authentic message, and
/// the keys of new messages.
final class KeyCache: Sendable {
    static let limit = 256

    /// What decides, besides the password, which keys a message has: its salts and its version,
    /// which tells how keys are derived, and from how much of a password.
    struct Place: Hashable {
        let version: FormatVersion
        let salts: MessageHeader.Salts

        /// Nil for a message under keys.
        @inline(__always)
        init?(_ header: MessageHeader) {
            guard let salts = header.salts else { return nil }
            version = header.version
            self.salts = salts
        }
    }

    /// The keys of one candidate for the messages of one place.
    struct Answer: Sendable {
        /// The candidate's place in the keyring.
        let credentialIndex: Int
        let keys: MessageKeys
        /// Whether `keep` would change nothing.
        fileprivate(set) var isNewest = false
    }

    private struct State {
        var entries: [Place: (answer: Answer, lastUse: Int)] = [:]
        /// Messages with the same salts often follow each other.
        var newest: (place: Place, answer: Answer)?
        var useCount = 0
    }

    /// The keys of new messages, those of the primary; nil under a pair of keys, and if nothing can
    /// be written.
    let own: (place: Place, keys: MessageKeys)?
    private let state = Lock(State())
    /// The process of this cache. In a forked child, a thread that does not exist there may hold
    /// the lock, so nothing is found.
    private let process = ProcessIdentity()

    init(own: (place: Place, keys: MessageKeys)?) { self.own = own }

    @inline(__always)
    func answer(at place: Place) -> Answer? {
        if let own, place == own.place {
            return Answer(credentialIndex: 0, keys: own.keys, isNewest: true)
        }
        guard process.isCurrent else { return nil }
        return state.withLock { state in
            if let newest = state.newest, newest.place == place { return newest.answer }
            return state.entries[place]?.answer
        }
    }

    /// Keeps the keys of a candidate under which the message with this header was authentic. No
    /// forged one decides which keys stay.
    func keep(_ keys: MessageKeys, of credentialIndex: Int, for header: MessageHeader) {
        // In version 1 the HMAC does not cover the salts: anybody could fill the cache with others.
        guard let place = Place(header), header.version.authenticatesHeader, place != own?.place,
            process.isCurrent
        else { return }
        // Evicted keys are cleansed, and their engines freed, after the lock is released.
        let leaving = state.withLock { state -> Answer? in
            let kept = state.entries[place]?.answer
            var answer =
                if let kept, kept.credentialIndex == credentialIndex { kept } else {
                    Answer(credentialIndex: credentialIndex, keys: keys.forManyMessages)
                }
            state.useCount += 1
            state.entries[place] = (answer, state.useCount)
            answer.isNewest = true
            state.newest = (place, answer)
            guard state.entries.count > Self.limit else { return nil }
            let oldest = state.entries.min { $0.value.lastUse < $1.value.lastUse }
            return oldest.flatMap { state.entries.removeValue(forKey: $0.key)?.answer }
        }
        withExtendedLifetime(leaving) {}
    }
}
