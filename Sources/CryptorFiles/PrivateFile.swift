public import CryptorFormat
import CryptorPrimitives

/// Small files that hold secrets, such as key files.
package enum PrivateFile {
    /// A longer file is no password or key file, but the wrong file.
    package static let maximumByteCount = 64 * 1024

    /// Writes a new file that only its owner may read, whatever the umask says. It appears complete or not at all.
    /// - Parameter progress: may cancel by throwing, as with ``Cryptor``'s functions for files.
    /// - Throws: `destinationExists`, with nothing touched; `inputOutput`, `invalidPath` or `cancelled`.
    package static func write(
        _ bytes: [UInt8], toNew endpoint: FileEndpoint, progress: ((FileProgress) throws -> Void)?
    ) throws(CryptorError) {
        let progress = ProgressReporter(progress)
        var file = try OutputFile.open(endpoint, OutputFile.Publication(isPrivate: true), progress: progress)
        try file.write(bytes, progress)
        _ = try file.publish(progress)
    }

    /// Reads a file. In a folder for everybody, a link of another user is not followed.
    /// - Parameter progress: may cancel by throwing.
    /// - Returns: the contents, which the caller cleanses. If they are too long, more than ``maximumByteCount`` bytes.
    package static func read(
        _ endpoint: FileEndpoint, progress: ((FileProgress) throws -> Void)? = nil
    ) throws(CryptorError) -> [UInt8] {
        var input = try InputFile.open(endpoint, isSecret: true, progress: ProgressReporter(progress))
        var text: [UInt8] = []
        // Growing would leave copies behind.
        text.reserveCapacity(maximumByteCount + 1)
        do throws(CryptorError) { try input.append(maximumByteCount + 1, to: &text) } catch {
            cleanse(&text)
            throw error
        }
        return text
    }

    /// Removes one newline, of Unix or of Windows, from the end of a password that an editor or `echo` has written.
    package static func removeNewline(from password: inout [UInt8]) {
        // In place, since nobody would cleanse a copy.
        if password.last == UInt8(ascii: "\n") { password.removeLast() } else { return }
        if password.last == UInt8(ascii: "\r") { password.removeLast() }
    }
}

extension FileEndpoint {
    /// Reads the first `count` bytes of a file, fewer only if it is shorter.
    /// - Parameter progress: may cancel by throwing.
    package func firstBytes(
        _ count: Int, progress: ((FileProgress) throws -> Void)? = nil
    ) throws(CryptorError) -> [UInt8] {
        var input = try InputFile.open(self, progress: ProgressReporter(progress))
        var bytes: [UInt8] = []
        try input.append(count, to: &bytes)
        return bytes
    }
}

extension Credential {
    /// Reads a password from a file, as `rncryptor --password-file` does: all of its bytes, but for one newline at the
    /// end. See ``password(utf8:iterations:)``.
    ///
    /// In a folder that everybody may write to, a link of another user is not followed.
    /// - Throws: `inputOutput` or `invalidPath` if it cannot be read; `invalidCredential` if it is empty, has more than
    ///   64 KiB or is a terminal, or if the number of iterations is out of range.
    public static func password(file: some FileLocation, iterations: Int = 10_000) throws(CryptorError) -> Credential {
        let endpoint = try file.endpoint
        var password = try PrivateFile.read(endpoint)
        defer { cleanse(&password) }
        do throws(CryptorError) {
            guard password.count <= PrivateFile.maximumByteCount else {
                throw CryptorError(.invalidCredential, "It has more than 64 KiB, and is no password file.")
            }
            PrivateFile.removeNewline(from: &password)
            return try .password(utf8: password, iterations: iterations)
        } catch {
            throw error.naming(endpoint.name)
        }
    }
}

extension KeyPair {
    /// Reads both keys from a file that `rncryptor keygen` has written: see ``init(hexadecimal:)``.
    ///
    /// In a folder that everybody may write to, a link of another user is not followed.
    /// - Throws: `inputOutput` or `invalidPath` if it cannot be read; `invalidCredential` if it holds no keys.
    public init(keyFile file: some FileLocation) throws(CryptorError) {
        let endpoint = try file.endpoint
        var text = try PrivateFile.read(endpoint)
        defer { cleanse(&text) }
        do throws(CryptorError) { try self.init(hexadecimal: text) } catch { throw error.naming(endpoint.name) }
    }
}
