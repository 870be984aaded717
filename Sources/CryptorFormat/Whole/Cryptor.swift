import CryptorPrimitives
import CryptorSystem

/// Encrypts and decrypts whole messages and files in one call. These functions never release
/// unverified plaintext.
///
/// ```swift
/// let message = try Cryptor.encrypt(bytes, with: .password(password))
/// let plaintext = try Cryptor.decrypt(message, with: .password(password))
/// ```
public enum Cryptor {
    /// Encrypts `plaintext` into a message of version 3 with fresh salts and a fresh IV.
    ///
    /// - Parameters:
    ///   - plaintext: any number of bytes.
    ///   - credential: a password or keys.
    /// - Returns: the message: 67 to 82 bytes longer than the plaintext with a password, 51 to 66
    ///   with keys.
    /// - Throws: `cryptoLibraryFailure`; `invalidCredential` for a credential that can only
    ///   decrypt.
    public static func encrypt(
        _ plaintext: some Collection<UInt8>, with credential: Credential
    ) throws(CryptorError) -> [UInt8] {
        let (header, request) = try credential.newMessage()
        return try encrypt(plaintext, header: header, keys: try request.keys())
    }

    @inline(__always)
    package static func encrypt<Message: WrittenBytes>(
        _ plaintext: some Collection<UInt8>, header: MessageHeader, keys: MessageKeys
    ) throws(CryptorError) -> Message {
        try withRawSpan(of: plaintext) { (plaintext) throws(CryptorError) in
            try message(of: plaintext, header: header, keys: keys)
        }
    }

    private static func message<Message: WrittenBytes>(
        of plaintext: RawSpan, header: MessageHeader, keys: MessageKeys
    ) throws(CryptorError) -> Message {
        let capacity = header.version.messageByteCount(
            usingPassword: header.usesPassword, plaintextByteCount: plaintext.byteCount)
        return try Message(byteCapacity: capacity) { (output) throws(CryptorError) in
            guard plaintext.byteCount < LargeWork.firstByteCount else {
                var encryptor = try Encryptor(header, keys: keys)
                try encryptor.update(plaintext, into: &output)
                return try encryptor.finish(into: &output)
            }
            let start = output.byteCount
            withRawSpan(of: header.bytes) { header in header.append(to: &output) }
            let unhashed = header.version.authenticatesHeader ? start : output.byteCount
            try openSSL { () throws(OpenSSLError) in
                var cipher = try AESCipher(.encrypt, key: keys.encryptionKey, iv: header.iv)
                var hmac = try HMACAuthenticator(key: keys.hmacKey)
                try MessageEnd.seal(
                    plaintext, cipher: &cipher, hmac: &hmac, unhashedFrom: unhashed, into: &output)
            }
        }
    }

    /// Decrypts a whole message. The structure is checked before keys are derived, and the HMAC
    /// before the padding.
    ///
    /// - Parameters:
    ///   - message: a message of an accepted version (by default 3 or 2).
    ///   - credential: a password, keys, or a keyring.
    ///   - accepting: the versions to read.
    /// - Returns: the authentic plaintext.
    /// - Throws: `invalidMessageLength`, `unsupportedVersion`, `versionNotAccepted`,
    ///   `looksBase64Encoded`, `credentialMismatch`, `authenticationFailed`, `corruptPadding` or
    ///   `cryptoLibraryFailure`.
    public static func decrypt(
        _ message: some Collection<UInt8>, with credential: Credential,
        accepting: Acceptance = .default
    ) throws(CryptorError) -> [UInt8] {
        try open(message) { (message) throws(CryptorError) in
            try credential.reading(ofWhole: message, accepting: accepting)
        }.plaintext
    }

    /// Decrypts a whole message as ``decrypt(_:with:accepting:)->[UInt8]`` does, and says which
    /// credential opened it.
    /// - Parameters:
    ///   - message: a message of an accepted version (by default 3 or 2).
    ///   - keyring: the credentials: see ``Credential/keyring(primary:previous:)``.
    ///   - accepting: the versions to read.
    /// - Returns: the authentic plaintext, the index of the credential, and whether the message
    ///   should be rotated.
    /// - Throws: the errors of ``decrypt(_:with:accepting:)->[UInt8]``.
    public static func open(
        _ message: some Collection<UInt8>, with keyring: Credential,
        accepting: Acceptance = .default
    ) throws(CryptorError) -> OpenedMessage {
        OpenedMessage(
            try open(message) { (message) throws(CryptorError) in
                try keyring.reading(ofWhole: message, accepting: accepting)
            })
    }

    /// Re-encrypts a message with the primary credential of a keyring, unless that already opens
    /// it. The plaintext stays in memory.
    /// - Parameters:
    ///   - message: a message of an accepted version (by default 3 or 2).
    ///   - keyring: the credentials: see ``Credential/keyring(primary:previous:)``.
    ///   - accepting: the versions to read.
    /// - Returns: a message of version 3; nil if the primary opens `message`, whatever its version.
    /// - Throws: the errors of ``decrypt(_:with:accepting:)->[UInt8]``; `invalidCredential` if the
    ///   primary can only decrypt.
    public static func rotate(
        _ message: some Collection<UInt8>, with keyring: Credential,
        accepting: Acceptance = .default
    ) throws(CryptorError) -> [UInt8]? {
        let opened = try open(message, with: keyring, accepting: accepting)
        return opened.credentialIndex == 0 ? nil : try encrypt(opened.plaintext, with: keyring)
    }

    /// Opens a message.
    /// - Parameter reading: makes the reading of the message, or returns the one that was made.
    @inline(__always)
    package static func open<Plaintext: WrittenBytes>(
        _ message: some Collection<UInt8>,
        _ reading: (RawSpan) throws(CryptorError) -> Reading
    ) throws(CryptorError) -> Opened<Plaintext> {
        let mayChange = mayChange(message)
        return try withRawSpan(of: message) { (message) throws(CryptorError) in
            let reading = try reading(message)
            var index = 0
            let plaintext = try Plaintext(byteCapacity: message.byteCount) {
                (output) throws(CryptorError) in
                index = try reading.open(message, mayChange: mayChange, into: &output)
            }
            return (plaintext, index, reading.header.version)
        }
    }
}

extension Array: WrittenBytes where Element == UInt8 {}

extension Cryptor {
    /// The version of this library, of the format that it writes, and of the OpenSSL that it runs
    /// with: text for people, such as "0.1.0 (writes version 3, reads versions 0 to 3; OpenSSL
    /// 3.0.19 27 Jan 2026)".
    public static var version: String {
        let written = FormatVersion.written.rawValue
        return "0.1.0 (writes version \(written), reads versions 0 to \(written); "
            + "\(openSSLVersion()))"
    }

    /// Whether cipher and HMAC of a stream, a whole message or a file run in parallel from 256 KiB
    /// on, while this process has a free core for the second thread. The default is true. The
    /// setting applies to all work of this process, from the next chunk on.
    ///
    /// Without a second thread, encryption of large data takes about 1.6 times as long, and
    /// decryption 1.2 times. Set it to false if the process must not start threads, or if other
    /// programs need the cores more. The threads of a `CryptorPool` are not affected.
    public static var usesSecondThread: Bool {
        get { Cores.allowsSecondThread }
        set { Cores.allowsSecondThread = newValue }
    }

    /// Generates a password of 150 random bits from OpenSSL's generator for secrets: six groups of
    /// five letters and digits that are easy to tell apart and to type, such as `h4x9m-…`.
    /// - Throws: `cryptoLibraryFailure`.
    public static func generatePassword() throws(CryptorError) -> String {
        // Crockford's base 32 has no i, l, o and u.
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
        let random = try openSSL { () throws(OpenSSLError) in try RandomBytes.secret(count: 30) }
        return random.withRawSpan { bytes in
            var password = ""
            for index in bytes.byteOffsets {
                if index > 0 && index.isMultiple(of: 5) { password.append("-") }
                // Each letter is equally likely, because 256 is a multiple of 32.
                password.append(alphabet[Int(bytes.byte(at: index) % 32)])
            }
            return password
        }
    }
}

// Common first attempts, and their replacements.
extension Cryptor {
    /// Encrypt the bytes of the text.
    @available(
        *, unavailable,
        message: "Encrypt the bytes of the text: Cryptor.encrypt(text.utf8, with: credential)"
    )
    public static func encrypt(
        _ text: some StringProtocol, with credential: Credential
    ) throws(CryptorError) -> [UInt8] {
        preconditionFailure("it is unavailable")
    }

    /// Decode base64 text first.
    @available(
        *, unavailable,
        message: """
            Decode base64 text first: \
            Cryptor.decrypt(Cryptor.message(fromBase64: text.utf8), with: credential)
            """
    )
    public static func decrypt(
        _ text: some StringProtocol, with credential: Credential, accepting: Acceptance = .default
    ) throws(CryptorError) -> [UInt8] {
        preconditionFailure("it is unavailable")
    }

    /// The elements must be bytes.
    @available(*, unavailable, message: "The elements must be bytes (UInt8).")
    public static func encrypt(
        _ elements: some Collection, with credential: Credential
    ) throws(CryptorError) -> [UInt8] {
        preconditionFailure("it is unavailable")
    }

    /// The elements must be bytes.
    @available(*, unavailable, message: "The elements must be bytes (UInt8).")
    public static func decrypt(
        _ elements: some Collection, with credential: Credential, accepting: Acceptance = .default
    ) throws(CryptorError) -> [UInt8] {
        preconditionFailure("it is unavailable")
    }
}
