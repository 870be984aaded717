#if Foundation
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension CryptorError: LocalizedError {
    /// The ``description``, so that `localizedDescription` is that sentence as well.
    public var errorDescription: String? { description }
}
#endif
