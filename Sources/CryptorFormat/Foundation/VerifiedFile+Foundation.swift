#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

internal import CryptorPrimitives

extension VerifiedFile {
    /// Reads a part of the plaintext: see ``read(_:)``, which throws the same.
    public func readData(_ range: Range<Int>) throws(CryptorError) -> Data {
        let capacity = try present(range).count
        return Data(
            try HeapBytes(capacity: capacity) { (output) throws(CryptorError) in try read(range, into: &output) })
    }
}
