#if Foundation
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

import CryptorSystem

public import CryptorFormat
internal import CryptorPrimitives

extension VerifiedFile {
    /// Reads a part of the plaintext: see ``read(_:)``, which throws the same errors.
    @available(*, noasync, message: "It blocks the thread. In a task, use chunks(of:).")
    public func readData(_ range: Range<Int>) throws(CryptorError) -> Data {
        try Data(byteCapacity: try present(range).count) { (output) throws(CryptorError) in
            try read(range, into: &output)
        }
    }
}
#endif
