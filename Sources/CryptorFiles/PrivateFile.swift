public import CryptorFormat
import CryptorPrimitives

/// Small files that hold secrets, such as key files.
package enum PrivateFile {
    /// A longer file is no password or key file, but the wrong file.
    package static let maximumByteCount = 64 * 1024

    /// Writes a new file that only its owner may read, whatever the umask says. It appears complete
    /// or not at all.
    /// - Throws: `destinationExists`, with nothing touched; `inputOutput`, `invalidPath` or
    ///   `cancelled`.
    package static func write(
        _ bytes: [UInt8], toNew endpoint: FileEndpoint, progress: ((FileProgress) throws -> Void)?
    ) throws(CryptorError) {
        let file = try OutputFile.open(
            endpoint, OutputFile.Publication(isPrivate: true),
            progress: ProgressReporter(progress))
        _ = try file.publish { (file) throws(CryptorError) in try file.write(bytes) }
    }

    /// Makes a secret of the contents of a file.
    fileprivate static func read<Secret>(
        _ file: some FileLocation, _ make: (inout [UInt8]) throws(CryptorError) -> Secret
    ) throws(CryptorError) -> Secret {
        let endpoint = try file.endpoint
        var text = try endpoint.firstBytes(isSecret: true, progress: nil)
        defer { cleanse(&text) }
        do throws(CryptorError) { return try make(&text) } catch {
            throw error.naming(endpoint.name)
        }
    }

    /// Removes one newline, of Unix or of Windows, from the end of a password that an editor or
    /// `echo` has written.
    package static func removeNewline(from password: inout [UInt8]) {
        // In place, since nobody would cleanse a copy.
        if password.last == UInt8(ascii: "\n") { password.removeLast() } else { return }
        if password.last == UInt8(ascii: "\r") { password.removeLast() }
    }
}

extension FileEndpoint {
    /// Reads the first `count` bytes of a file, fewer only if it is shorter.
    /// - Parameter isSecret: whether the caller cleanses them. In a directory for everybody,
    ///   another user's link is refused.
    package func firstBytes(
        _ count: Int = PrivateFile.maximumByteCount + 1, isSecret: Bool = false,
        progress: ((FileProgress) throws -> Void)?
    ) throws(CryptorError) -> [UInt8] {
        var input = try InputFile.open(
            self, requiringTrust: isSecret, progress: ProgressReporter(progress))
        var bytes: [UInt8] = []
        // Growing would leave copies of a secret behind.
        if isSecret { bytes.reserveCapacity(count) }
        do throws(CryptorError) { try input.append(count, to: &bytes) } catch {
            cleanse(&bytes)
            throw error
        }
        return bytes
    }
}

extension Credential {
    /// Reads a password from a file, as `rncryptor --password-file` does: all of its bytes, but for
    /// one newline at the end. See ``password(utf8:iterations:)``.
    ///
    /// In a directory that everybody may write to, a link of another user is not followed.
    /// - Throws: `inputOutput` or `invalidPath` if it cannot be read; `invalidCredential` if it is
    ///   empty, has more than 64 KiB or is a terminal, or if the number of iterations is out of
    ///   range.
    public static func password(
        file: some FileLocation, iterations: Int = standardIterations
    ) throws(CryptorError) -> Credential {
        try PrivateFile.read(file) { (password) throws(CryptorError) in
            guard password.count <= PrivateFile.maximumByteCount else {
                throw CryptorError(
                    .invalidCredential, "It has more than 64 KiB, and is no password file.")
            }
            PrivateFile.removeNewline(from: &password)
            return try .password(utf8: password, iterations: iterations)
        }
    }
}

extension MessageKeys {
    /// Reads both keys from a file that `rncryptor keygen` has written: see ``init(hexadecimal:)``.
    ///
    /// In a directory that everybody may write to, a link of another user is not followed.
    /// - Throws: `inputOutput` or `invalidPath` if it cannot be read; `invalidCredential` if it
    ///   holds no keys.
    public init(keyFile file: some FileLocation) throws(CryptorError) {
        self = try PrivateFile.read(file) { (text) throws(CryptorError) in
            try MessageKeys(hexadecimal: text)
        }
    }
}
