// Files of any size, in constant memory.
extension Cryptor {
    /// Encrypts a file into a message of version 3.
    ///
    /// The destination appears only when it is whole: it is written without a name or under a temporary one in the
    /// destination's folder, synchronised with the disk, and then named. Standard output, pipes and devices are written
    /// directly.
    /// - Parameters:
    ///   - source: the file to read.
    ///   - destination: the file to create; another file than the source.
    ///   - credential: a password or keys.
    ///   - overwriting: whether a file at the destination may be replaced. It keeps its permissions.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Throws: `inputOutput`, `destinationExists`, `sameFile`, `cancelled`, `randomnessUnavailable` or
    ///   `cryptoLibraryFailure`. Nothing is left behind then.
    public static func encryptFile(
        at source: String, to destination: String, with credential: Credential, overwriting: Bool = false,
        progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        try encryptFile(
            at: .path(source), to: .path(destination), with: credential, overwriting: overwriting, progress: progress)
    }

    /// Encrypts what one endpoint gives and writes the message to the other: see
    /// ``encryptFile(at:to:with:overwriting:progress:)-(String,_,_,_,_)``.
    public static func encryptFile(
        at source: FileEndpoint, to destination: FileEndpoint, with credential: Credential, overwriting: Bool = false,
        progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        let work = try FileWork(from: source, to: destination, overwriting: overwriting, progress: progress)
        try work.encrypt(with: credential)
    }

    /// Decrypts a message file. No byte of plaintext is seen, under any name or in any stream, before the HMAC of the
    /// whole message matched.
    ///
    /// The destination appears only when it is whole and verified. To standard output, pipes and devices the message is
    /// read twice: the first pass verifies it; the second releases it segment by segment, each checked against the first
    /// pass. A source that cannot be read twice is kept, as ciphertext, in an unnamed private file in `$TMPDIR`.
    /// - Parameters:
    ///   - source: the file to read.
    ///   - destination: the file to create; another file than the source.
    ///   - credential: a password or keys.
    ///   - overwriting: whether a file at the destination may be replaced. It keeps its permissions.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Throws: everything that ``decrypt(_:with:)`` throws, and `inputOutput`, `destinationExists`, `sameFile` or
    ///   `cancelled`. Nothing is left behind then.
    public static func decryptFile(
        at source: String, to destination: String, with credential: Credential, overwriting: Bool = false,
        progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        try decryptFile(
            at: .path(source), to: .path(destination), with: credential, overwriting: overwriting, progress: progress)
    }

    /// Decrypts the message that one endpoint gives and writes the plaintext to the other: see
    /// ``decryptFile(at:to:with:overwriting:progress:)-(String,_,_,_,_)``.
    public static func decryptFile(
        at source: FileEndpoint, to destination: FileEndpoint, with credential: Credential, overwriting: Bool = false,
        progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        let work = try FileWork(from: source, to: destination, overwriting: overwriting, progress: progress)
        try work.decrypt(with: credential)
    }
}
