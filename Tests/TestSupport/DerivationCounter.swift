import CryptorFormat
import Synchronization

/// Counts key derivations.
package final class DerivationCounter: Sendable {
    private let count = Atomic(0)

    /// How many keys were derived during `body`. A password message takes two.
    package static func count(during body: () throws -> Void) rethrows -> Int {
        let counter = DerivationCounter()
        try KeyDerivation.$willDerive.withValue({ counter.count.add(1, ordering: .relaxed) }, operation: body)
        return counter.count.load(ordering: .relaxed)
    }
}
