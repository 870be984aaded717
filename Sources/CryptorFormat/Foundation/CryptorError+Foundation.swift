#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension CryptorError: LocalizedError {
    /// ``description``, so that `localizedDescription` is the sentence, too.
    public var errorDescription: String? { description }
}
