import CryptorPrimitives
import CryptorSystem

/// Derived keys, or a pair of keys, with engines for short messages.
final class KeptKeys: Sendable {
    let keys: MessageKeys
    /// Nil for a pair of keys.
    let place: KeyCache.Place?
    let candidate: Candidate
    /// No engine is made before one is used.
    let engines: EnginePool

    init(_ keys: MessageKeys, at place: KeyCache.Place?, of candidate: Candidate) {
        self.keys = keys
        self.place = place
        self.candidate = candidate
        engines = EnginePool(encryptionKey: keys.encryptionKey, hmacKey: keys.hmacKey)
    }
}
