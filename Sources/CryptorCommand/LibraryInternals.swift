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

/// Overwrites the bytes of a secret.
func cleanse(_ bytes: inout [UInt8]) { CryptorPrimitives.cleanse(&bytes) }

/// The hash of a secret, which the caller cleanses; nil if OpenSSL does not allow the algorithm.
func digest(of bytes: [UInt8], named name: String) -> [UInt8]? {
    CryptorPrimitives.digest(of: bytes, named: name)
}

extension Credential {
    /// Whether messages are written under a password.
    var writesUnderPassword: Bool { password != nil }

    /// Of the password that writes; nil for keys.
    var passwordIterations: Int? { password?.iterations }

    /// The bytes of the password that writes, none for keys. The caller cleanses them, and nobody
    /// else has them: a copy of the array would be cleansed in its place.
    func copyPassword() -> [UInt8] {
        password?.bytes.withRawSpan { bytes in Array(copying: bytes) } ?? []
    }
}

// MARK: Lines, without a copy of each

extension [UInt8] {
    /// Appends a message in base64 text, on one line.
    mutating func append(base64 message: [UInt8]) {
        Base64Blocks.append(message.rawSpan(message.indices), to: &self)
    }

    /// Puts the message that a part of `text` stands for in place of these bytes.
    mutating func replace(
        withBase64 text: [UInt8], _ part: Range<Int>
    ) throws(CryptorError) {
        removeAll(keepingCapacity: true)
        try Cryptor.message(fromBase64: text.rawSpan(part), into: &self)
    }
}

// MARK: Descriptors

extension FileDescriptor {
    /// Writes some of the bytes from `start` on.
    /// - Returns: how many.
    func write(_ bytes: [UInt8], from start: Int) throws(SystemError) -> Int {
        try write(bytes.rawSpan(start..<bytes.count))
    }

    /// Reads up to `limit` bytes and appends them.
    /// - Returns: how many; 0 at the end.
    func read(upTo limit: Int, appendingTo bytes: inout [UInt8]) throws(SystemError) -> Int {
        let start = bytes.count
        try bytes.appendBytes(capacity: limit) { (output) throws(SystemError) in
            _ = try read(upTo: limit, into: &output)
        }
        return bytes.count - start
    }
}
