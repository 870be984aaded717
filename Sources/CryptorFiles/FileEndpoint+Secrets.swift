public import CryptorFormat
import CryptorPrimitives

// Small files that hold secrets, such as key files.
extension FileEndpoint {
    /// A longer file is not a password or key file, but the wrong file.
    private static let secretByteLimit = 64 * 1024

    /// Writes a new file that only its owner may read, whatever the umask says. It appears complete
    /// or not at all.
    /// - Throws: `destinationExists`, with nothing touched; `inputOutput`, `invalidPath` or
    ///   `cancelled`.
    package func writeSecret(
        _ bytes: [UInt8], progress: ((FileProgress) throws -> Void)?
    ) throws(CryptorError) {
        let file = try OutputFile.open(
            self, OutputFile.Publication(isPrivate: true), progress: ProgressReporter(progress))
        _ = try file.publish { (file) throws(CryptorError) in try file.write(bytes) }
    }

    /// Reads a password or keys, without one final newline (of Unix or Windows), which editors and
    /// `echo` write. In a directory that others may write to, another user's link is
    /// refused.
    /// - Returns: the secret, which the caller must cleanse; nil if the file has more than 64 KiB.
    package func secret(
        progress: ((FileProgress) throws -> Void)?
    ) throws(CryptorError) -> [UInt8]? {
        var input = try InputFile.open(
            self, requiringTrust: true, progress: ProgressReporter(progress))
        var bytes: [UInt8] = []
        // Growing would leave copies behind.
        bytes.reserveCapacity(Self.secretByteLimit + 1)
        do throws(CryptorError) { try input.append(Self.secretByteLimit + 1, to: &bytes) } catch {
            cleanse(&bytes)
            throw error
        }
        guard bytes.count <= Self.secretByteLimit else {
            cleanse(&bytes)
            return nil
        }
        // In place, because nobody would cleanse a copy.
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        return bytes
    }

    /// Makes a secret of the contents of a file.
    fileprivate func readSecret<Secret>(
        _ make: ([UInt8]) throws(CryptorError) -> Secret
    ) throws(CryptorError) -> Secret {
        guard var text = try secret(progress: nil) else {
            throw CryptorError(
                .invalidCredential, "It is larger than 64 KiB, so it is not a password or key file."
            ).naming(name)
        }
        defer { cleanse(&text) }
        do throws(CryptorError) { return try make(text) } catch { throw error.naming(name) }
    }
}

extension Credential {
    /// Reads a password from a file, as `rncryptor --password-file` does: all of its bytes, except
    /// one final newline. See `password(utf8:iterations:)`.
    ///
    /// In a directory that others may write to, a link of another user than root or the
    /// directory's owner is not followed.
    /// - Throws: `inputOutput` or `invalidPath` if it cannot be read; `invalidCredential` if it is
    ///   empty, has more than 64 KiB or is a terminal, or if the number of iterations is out of
    ///   range.
    public static func password(
        file: some FileLocation, iterations: Int = standardIterations
    ) throws(CryptorError) -> Credential {
        try file.endpoint.readSecret { (password) throws(CryptorError) in
            try .password(utf8: password, iterations: iterations)
        }
    }
}

extension MessageKeys {
    /// Reads both keys from a file that `rncryptor keygen` has written: see `init(hexadecimal:)`.
    ///
    /// In a directory that others may write to, a link of another user than root or the
    /// directory's owner is not followed.
    /// - Throws: `inputOutput` or `invalidPath` if it cannot be read; `invalidCredential` if it
    ///   holds no keys.
    public init(keyFile file: some FileLocation) throws(CryptorError) {
        self = try file.endpoint.readSecret { (text) throws(CryptorError) in
            try MessageKeys(hexadecimal: text)
        }
    }
}

extension MessageKeys {
    /// Writes both keys into a new key file, as `rncryptor keygen` does: 128 hexadecimal digits and
    /// a newline. ``init(keyFile:)`` reads it, and so does `rncryptor --key-file`.
    ///
    /// Only its owner may read it, whatever the umask says. It appears complete or not at all.
    /// Anybody who has it can read and forge all messages under these keys, and without it nobody
    /// can: keep a copy of it in a safe place.
    /// - Throws: `destinationExists` if there is a file of this name, which is not touched;
    ///   `inputOutput` or `invalidPath` if it cannot be written.
    public func writeKeyFile(to file: some FileLocation) throws(CryptorError) {
        var text = keyFileText()
        defer { cleanse(&text) }
        try file.endpoint.writeSecret(text, progress: nil)
    }

    /// The text of a key file, with a newline. The caller cleanses it.
    package func keyFileText() -> [UInt8] {
        var (encryptionKey, hmacKey) = copyKeys()
        defer {
            cleanse(&encryptionKey)
            cleanse(&hmacKey)
        }
        var text: [UInt8] = []
        // Growing would leave copies behind.
        text.reserveCapacity(2 * (encryptionKey.count + hmacKey.count) + 1)
        for byte in encryptionKey { text += byte.hexadecimal.utf8 }
        for byte in hmacKey { text += byte.hexadecimal.utf8 }
        text.append(UInt8(ascii: "\n"))
        return text
    }
}
