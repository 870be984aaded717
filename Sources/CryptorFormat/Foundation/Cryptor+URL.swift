#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// The file functions for `URL`s of files. Any other URL is refused with `invalidPath`.
extension Cryptor {
    /// Encrypts a file: see ``encryptFile(at:to:with:overwriting:concurrency:progress:)-(String,_,_,_,_,_)``.
    public static func encryptFile(
        at source: URL, to destination: URL, with credential: Credential, overwriting: Bool = false,
        concurrency: Concurrency = .automatic, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        try encryptFile(
            at: try source.endpoint, to: try destination.endpoint, with: credential, overwriting: overwriting,
            concurrency: concurrency, progress: progress)
    }

    /// Decrypts a message file: see ``decryptFile(at:to:with:accepting:overwriting:concurrency:progress:)-(String,_,_,_,_,_,_)``.
    public static func decryptFile(
        at source: URL, to destination: URL, with credential: Credential,
        accepting: Set<FormatVersion> = [.v3, .v2], overwriting: Bool = false, concurrency: Concurrency = .automatic,
        progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        try decryptFile(
            at: try source.endpoint, to: try destination.endpoint, with: credential, accepting: accepting,
            overwriting: overwriting, concurrency: concurrency, progress: progress)
    }

    /// Verifies a message file: see ``verifyFile(at:with:accepting:concurrency:progress:)-(String,_,_,_,_)``.
    @discardableResult
    public static func verifyFile(
        at source: URL, with credential: Credential, accepting: Set<FormatVersion> = [.v3, .v2],
        concurrency: Concurrency = .automatic, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) -> Int {
        try verifyFile(
            at: try source.endpoint, with: credential, accepting: accepting, concurrency: concurrency,
            progress: progress)
    }

    /// Gives a message file another credential: see ``rekeyFile(at:to:from:into:accepting:overwriting:concurrency:progress:)-(String,_,_,_,_,_,_,_)``.
    public static func rekeyFile(
        at source: URL, to destination: URL, from old: Credential, into new: Credential,
        accepting: Set<FormatVersion> = [.v3, .v2], overwriting: Bool = false, concurrency: Concurrency = .automatic,
        progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        try rekeyFile(
            at: try source.endpoint, to: try destination.endpoint, from: old, into: new, accepting: accepting,
            overwriting: overwriting, concurrency: concurrency, progress: progress)
    }
}

extension URL {
    /// The file, by the bytes of its path, which need not be UTF-8.
    /// - Throws: `invalidPath` unless it is the URL of a file.
    var endpoint: FileEndpoint {
        get throws(CryptorError) {
            guard isFileURL, ["", "localhost"].contains(host(percentEncoded: true) ?? "") else {
                throw .notFileURL(scheme: scheme)
            }
            let path = Self.decoded(path(percentEncoded: true).utf8)
            return String(validating: path, as: UTF8.self).map { .path($0) } ?? .pathBytes(path)
        }
    }

    /// RFC 3986, section 2.1. `path(percentEncoded: false)` has no way to give bytes that are no UTF-8.
    private static func decoded(_ text: some Sequence<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first?.hexadecimalDigit,
                let low = rest.dropFirst().first?.hexadecimalDigit
            {
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }
}

extension UInt8 {
    fileprivate var hexadecimalDigit: UInt8? {
        Character(Unicode.Scalar(self)).hexDigitValue.map(UInt8.init)
    }
}
