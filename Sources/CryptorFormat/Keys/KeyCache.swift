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

    private struct State {
        var entries: [Place: (kept: KeptKeys, lastUse: Int)] = [:]
        /// Messages with the same salts often follow each other.
        var newest: KeptKeys?
        var useCount = 0
    }

    /// The keys of new messages; nil under a pair of keys, and if nothing can be written.
    private let own: KeptKeys?
    private let state = Lock(State())
    /// The process of this cache. In a forked child, a thread that does not exist there may hold
    /// the lock, so nothing is found.
    private let process = ProcessIdentity()

    init(own: KeptKeys?) { self.own = own?.place == nil ? nil : own }

    /// The salts of new messages; nil if there are none.
    var writtenSalts: MessageHeader.Salts? { own?.place?.salts }

    /// - Returns: the keys, if they are here, and whether `keep` would change nothing.
    @inline(__always)
    func find(_ place: Place) -> (kept: KeptKeys?, isNewest: Bool) {
        if place == own?.place { return (own, true) }
        guard process.isCurrent else { return (nil, true) }
        return state.withLock { state in
            if let newest = state.newest, newest.place == place { return (newest, true) }
            return (state.entries[place]?.kept, false)
        }
    }

    /// Called once a message under these keys was authentic, so that no forged one decides which
    /// keys stay.
    @inline(__always)
    func keep(_ kept: KeptKeys) {
        guard let place = kept.place, place != own?.place, process.isCurrent else { return }
        // Evicted keys are cleansed, and their engines freed, after the lock is released.
        let leaving = state.withLock { state -> KeptKeys? in
            guard state.newest !== kept else { return nil }
            state.useCount += 1
            state.entries[place] = (kept, state.useCount)
            state.newest = kept
            guard state.entries.count > Self.limit else { return nil }
            let oldest = state.entries.min { $0.value.lastUse < $1.value.lastUse }
            return oldest.flatMap { state.entries.removeValue(forKey: $0.key)?.kept }
        }
        withExtendedLifetime(leaving) {}
    }

    /// Keeps the keys of a candidate under which the message with this header was authentic.
    func keep(_ keys: MessageKeys, of candidate: Candidate, for header: MessageHeader) {
        // In version 1 the HMAC does not cover the salts: anybody could fill the cache with others.
        guard let place = Place(header), header.version.authenticatesHeader else { return }
        if let kept = find(place).kept, kept.candidate.index == candidate.index {
            keep(kept)
        } else {
            keep(KeptKeys(keys, at: place, of: candidate))
        }
    }
}
