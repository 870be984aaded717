import CryptorFormat
import Synchronization

/// Counts key derivations.
package final class DerivationCounter: Sendable {
    private let count = Atomic(0)

    /// How many keys were derived during `body`. A password message takes two.
    package static func count(during body: () throws -> Void) rethrows -> Int {
        let counter = DerivationCounter()
        let witness = KeyDerivation.Witness { counter.count.add(1, ordering: .relaxed) }
        try KeyDerivation.$willDerive.withValue(witness, operation: body)
        return counter.count.load(ordering: .relaxed)
    }
}
