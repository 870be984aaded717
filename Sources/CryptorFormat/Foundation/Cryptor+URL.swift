#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// The file functions for `URL`s of files, which are passed on as paths.
extension Cryptor {
    /// Encrypts a file: see ``encryptFile(at:to:with:overwriting:progress:)``.
    public static func encryptFile(
        at source: URL, to destination: URL, with credential: Credential, overwriting: Bool = false,
        progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        try encryptFile(
            at: source.filePath, to: destination.filePath, with: credential, overwriting: overwriting,
            progress: progress)
    }

    /// Decrypts a message file: see ``decryptFile(at:to:with:overwriting:progress:)``.
    public static func decryptFile(
        at source: URL, to destination: URL, with credential: Credential, overwriting: Bool = false,
        progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        try decryptFile(
            at: source.filePath, to: destination.filePath, with: credential, overwriting: overwriting,
            progress: progress)
    }

    /// Verifies a message file: see ``verifyFile(at:with:progress:)``.
    @discardableResult
    public static func verifyFile(
        at source: URL, with credential: Credential, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) -> Int {
        try verifyFile(at: source.filePath, with: credential, progress: progress)
    }

    /// Gives a message file another credential: see ``rekeyFile(at:to:from:into:overwriting:progress:)``.
    public static func rekeyFile(
        at source: URL, to destination: URL, from old: Credential, into new: Credential, overwriting: Bool = false,
        progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        try rekeyFile(
            at: source.filePath, to: destination.filePath, from: old, into: new, overwriting: overwriting,
            progress: progress)
    }
}

extension URL {
    fileprivate var filePath: String { path(percentEncoded: false) }
}
