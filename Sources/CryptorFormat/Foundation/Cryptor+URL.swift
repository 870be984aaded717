#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// The file functions for `URL`s of files, which are passed on as paths.
extension Cryptor {
    /// Encrypts a file: see ``encryptFile(at:to:with:overwriting:concurrency:progress:)-(String,_,_,_,_,_)``.
    public static func encryptFile(
        at source: URL, to destination: URL, with credential: Credential, overwriting: Bool = false,
        concurrency: Concurrency = .automatic, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        try encryptFile(
            at: source.filePath, to: destination.filePath, with: credential, overwriting: overwriting,
            concurrency: concurrency, progress: progress)
    }

    /// Decrypts a message file: see ``decryptFile(at:to:with:accepting:overwriting:concurrency:progress:)-(String,_,_,_,_,_,_)``.
    public static func decryptFile(
        at source: URL, to destination: URL, with credential: Credential,
        accepting: Set<FormatVersion> = [.v3, .v2], overwriting: Bool = false, concurrency: Concurrency = .automatic,
        progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        try decryptFile(
            at: source.filePath, to: destination.filePath, with: credential, accepting: accepting,
            overwriting: overwriting, concurrency: concurrency, progress: progress)
    }

    /// Verifies a message file: see ``verifyFile(at:with:accepting:concurrency:progress:)-(String,_,_,_,_)``.
    @discardableResult
    public static func verifyFile(
        at source: URL, with credential: Credential, accepting: Set<FormatVersion> = [.v3, .v2],
        concurrency: Concurrency = .automatic, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) -> Int {
        try verifyFile(
            at: source.filePath, with: credential, accepting: accepting, concurrency: concurrency, progress: progress)
    }

    /// Gives a message file another credential: see ``rekeyFile(at:to:from:into:accepting:overwriting:concurrency:progress:)-(String,_,_,_,_,_,_,_)``.
    public static func rekeyFile(
        at source: URL, to destination: URL, from old: Credential, into new: Credential,
        accepting: Set<FormatVersion> = [.v3, .v2], overwriting: Bool = false, concurrency: Concurrency = .automatic,
        progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        try rekeyFile(
            at: source.filePath, to: destination.filePath, from: old, into: new, accepting: accepting,
            overwriting: overwriting, concurrency: concurrency, progress: progress)
    }
}

extension URL {
    var filePath: String { path(percentEncoded: false) }
}
