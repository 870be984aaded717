import CryptorFiles
import CryptorPrimitives
import CryptorSystem

// What the command uses beyond the public API of CryptorFormat and CryptorFiles, by purpose. All
// else it uses as any program could. CryptorSystem is for the command as well, and is not listed.
// No file of the command but this one and Trial.swift imports CryptorPrimitives.
//
// - Files before they are used: `FileEndpoint` with `descriptor`, `changingPath`, `status`,
//   `isUnfinished` and `firstBytes`; `Directory` with `init(atTrusted:)`, `identity`, `isRemoved`,
//   `attributes` and `entries`.
// - Directories for outputs: `FileEndpoint` with `makeDirectory`, `removeDirectory` and
//   `synchronizeName`.
// - Secrets in files, which a signal interrupts: `FileEndpoint.secret` and `writeSecret`.
// - Outputs that exist: `ExistingOutput`.
// - Version 0, which the public functions for files refuse: `FileOptions.readsVersion0` and
//   `Cryptor.inspect`. Rekeying that leaves some messages alone: `Cryptor.rekeyFile`.
// - Errors in the words of the command: `CryptorError` with `whatHappened`, `fileOperation`,
//   `leftBehind`, `versionToAccept` and `cancelled`.
// - Lines: `KeyedCryptor.openAtOnce`, which waits for no derivation, and `OutputFile` with `open`,
//   `write`, `publish` and `discard`.
// - `diagnose`: `Credential` with `password`, `messageKeys` and `reading`; `Reading`, `KeyRequest`,
//   `MessageReader` and `openSSL` in Trial.swift; `digest` of passwords.
// - Sizes and starts of messages, for `diagnose` and version 0: `FormatSize`,
//   `FormatVersion.heldBackByteCount`, and `MessageHeader` with `isBase64Text`,
//   `base64ProbeByteCount`, `decidingEndByteCount` and `checkMessageByteCount`.
// - Base64 text in memory: `Base64Decoder`, for `diagnose` and key files.
// - Hexadecimal digits: `UInt8.hexadecimal`, and `MessageKeys.init(hexadecimal:)` of bytes.

/// The hash of a secret, which the caller cleanses; nil if OpenSSL does not allow the algorithm.
func digest(of bytes: [UInt8], named name: String) -> [UInt8]? {
    CryptorPrimitives.digest(of: bytes, named: name)
}

extension Credential {
    /// Of the password that writes; nil for keys.
    var passwordIterations: Int? { password?.iterations }

    /// The bytes of the password that writes, none for keys. The caller cleanses them, and nobody
    /// else has them: a copy of the array would be cleansed in its place.
    func copyPassword() -> [UInt8] {
        password?.bytes.withRawSpan { bytes in Array(copying: bytes) } ?? []
    }
}
