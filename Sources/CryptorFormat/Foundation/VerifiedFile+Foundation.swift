#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

internal import CryptorPrimitives

extension VerifiedFile {
    /// Opens a message file and verifies it from start to end: see
    /// ``init(at:with:accepting:concurrency:progress:)-(String,_,_,_,_)``.
    public convenience init(
        at source: URL, with credential: Credential, accepting: Set<FormatVersion> = [.v3, .v2],
        concurrency: Concurrency = .automatic, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        try self.init(
            at: try source.endpoint, with: credential, accepting: accepting, concurrency: concurrency,
            progress: progress)
    }

    /// Reads a part of the plaintext: see ``read(_:)``, which throws the same.
    public func readData(_ range: Range<Int>) throws(CryptorError) -> Data {
        let capacity = try present(range).count
        return Data(
            try HeapBytes(capacity: capacity) { (output) throws(CryptorError) in try read(range, into: &output) })
    }
}
