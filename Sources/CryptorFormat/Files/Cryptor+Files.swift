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
    ///   - overwriting: whether a file at the destination may be replaced. It keeps owner, group,
    ///     permissions, access control list and extended attributes, as far as this user may give them, and no special mode bit.
    ///     What cannot be kept only ever narrows the rights of others.
    ///   - concurrency: whether a second thread may take a part of the work on a large file.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Throws: `inputOutput`, `destinationExists`, `sameFile`, `cancelled`, `randomnessUnavailable` or
    ///   `cryptoLibraryFailure`. Nothing is left behind then, unless the error's `isPublished` says that the output is complete.
    public static func encryptFile(
        at source: String, to destination: String, with credential: Credential, overwriting: Bool = false,
        concurrency: Concurrency = .automatic, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        try encryptFile(
            at: .path(source), to: .path(destination), with: credential, overwriting: overwriting,
            concurrency: concurrency, progress: progress)
    }

    /// Encrypts what one endpoint gives and writes the message to the other: see
    /// ``encryptFile(at:to:with:overwriting:concurrency:progress:)-(String,_,_,_,_,_)``.
    ///
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - destination: the file to create, or the stream to write to.
    ///   - credential: a password or keys.
    ///   - overwriting: whether a file at the destination may be replaced.
    ///   - takingAttributes: whether a new file gets owner, group, permissions and times of the source, as far as this user may
    ///     give them, as `gzip` does it. One that takes the place of another has the rights that both have.
    ///   - removingSource: whether the source is removed once the message is in a file and on the disk. It must be the very file
    ///     that was read, unchanged, with no other name and under no link; otherwise `sourceKept` is thrown at the end, and
    ///     the message stays.
    ///   - asBase64: whether base64 text is written, in lines of 76 characters, and not binary.
    ///   - concurrency: whether a second thread may take a part of the work on a large file.
    ///   - progress: called now and then on this thread; may throw to cancel.
    public static func encryptFile(
        at source: FileEndpoint, to destination: FileEndpoint, with credential: Credential, overwriting: Bool = false,
        takingAttributes: Bool = false, removingSource: Bool = false, asBase64: Bool = false,
        concurrency: Concurrency = .automatic, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        let file = try PlaintextFile(
            opening: source, removingSource: removingSource, concurrency: concurrency, progress: progress)
        let terms = OutputFile.Terms(overwriting: overwriting, takingAttributes: takingAttributes, givingAway: true)
        try file.encrypt(to: destination, with: credential, terms, asBase64: asBase64)
    }

    /// Decrypts a message file. No byte of plaintext is seen, under any name or in any stream, before the HMAC of the
    /// whole message matched.
    ///
    /// The destination appears only when it is whole and verified. To standard output, pipes and devices the message is
    /// read twice: the first pass verifies it; the second releases it segment by segment, each checked against the first
    /// pass. A source that cannot be read twice is kept, as ciphertext, in an unnamed private file in `$TMPDIR`. For the
    /// null device, where nothing is seen, one pass is enough.
    /// - Parameters:
    ///   - source: the file to read.
    ///   - destination: the file to create; another file than the source.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read. Those before 2 are accepted by names that say what is wrong with them.
    ///   - overwriting: whether a file at the destination may be replaced. It keeps owner, group,
    ///     permissions, access control list and extended attributes, as far as this user may give them, and no special mode bit.
    ///     What cannot be kept only ever narrows the rights of others.
    ///   - concurrency: whether a second thread may take a part of the work on a large file.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Throws: everything that ``decrypt(_:with:accepting:concurrency:)->[UInt8]`` throws, and `inputOutput`, `destinationExists`, `sameFile` or
    ///   `cancelled`. Nothing is left behind then, unless the error's `isPublished` says that the output is complete.
    public static func decryptFile(
        at source: String, to destination: String, with credential: Credential,
        accepting: Set<FormatVersion> = [.v3, .v2], overwriting: Bool = false, concurrency: Concurrency = .automatic,
        progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        try decryptFile(
            at: .path(source), to: .path(destination), with: credential, accepting: accepting, overwriting: overwriting,
            concurrency: concurrency, progress: progress)
    }

    /// Decrypts the message that one endpoint gives and writes the plaintext to the other: see
    /// ``decryptFile(at:to:with:accepting:overwriting:concurrency:progress:)-(String,_,_,_,_,_,_)``.
    ///
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - destination: the file to create, or the stream to write to.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read. Those before 2 are accepted by names that say what is wrong with them.
    ///   - overwriting: whether a file at the destination may be replaced.
    ///   - takingAttributes: whether a new file gets permissions and times of the source, as `gzip` does it, and its group if the
    ///     message belongs to this user. Nobody else becomes its owner, nor gets a right by that. One that takes the place of
    ///     another has the rights that both have.
    ///   - removingSource: whether the source is removed once the plaintext is in a file and on the disk. It must be the very
    ///     file that was read, unchanged, with no other name and under no link; otherwise `sourceKept` is thrown at the
    ///     end, and the plaintext stays.
    ///   - acceptingBase64: whether a message in base64 text is decoded: either alphabet, with line breaks, without padding,
    ///     with spaces for plus signs.
    ///   - spoolByteLimit: for what can be read once only and is written where it is seen at once: the most bytes to keep in
    ///     `$TMPDIR`, `messageTooLong` beyond; nil for half of what is free there.
    ///   - concurrency: whether a second thread may take a part of the work on a large file.
    ///   - progress: called now and then on this thread; may throw to cancel.
    public static func decryptFile(
        at source: FileEndpoint, to destination: FileEndpoint, with credential: Credential,
        accepting: Set<FormatVersion> = [.v3, .v2], overwriting: Bool = false, takingAttributes: Bool = false,
        removingSource: Bool = false, acceptingBase64: Bool = false, spoolByteLimit: Int? = nil,
        concurrency: Concurrency = .automatic, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        let file = try MessageFile(
            opening: source, acceptingBase64: acceptingBase64, removingSource: removingSource,
            spoolByteLimit: spoolByteLimit, concurrency: concurrency, progress: progress)
        let terms = OutputFile.Terms(overwriting: overwriting, takingAttributes: takingAttributes)
        try file.decrypt(to: destination, ReadingTerms(credential: credential, accepting: accepting), terms)
    }

    /// Decrypts the message that an endpoint gives and passes its plaintext on, chunk by chunk. No chunk is passed on before
    /// the HMAC of the whole message matched: it is read twice, as for any output that is seen at once.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read. Those before 2 are accepted by names that say what is wrong with them.
    ///   - acceptingBase64: whether a message in base64 text is decoded.
    ///   - spoolByteLimit: for what can be read once only: the most bytes to keep in `$TMPDIR`; nil for half of what is free
    ///     there.
    ///   - concurrency: whether a second thread may take a part of the work on a large file.
    ///   - progress: called now and then on this thread; may throw to cancel.
    ///   - receive: gets the plaintext in its order, verified, on this thread; may throw to cancel.
    /// - Throws: everything that ``decrypt(_:with:accepting:concurrency:)->[UInt8]`` throws, and `inputOutput`,
    ///   `messageTooLong` or `cancelled`.
    public static func decryptFile(
        at source: FileEndpoint, with credential: Credential, accepting: Set<FormatVersion> = [.v3, .v2],
        acceptingBase64: Bool = false, spoolByteLimit: Int? = nil, concurrency: Concurrency = .automatic,
        progress: FileProgress.Handler? = nil, receive: (_ verified: [UInt8]) throws -> Void
    ) throws(CryptorError) {
        let file = try MessageFile(
            opening: source, acceptingBase64: acceptingBase64, spoolByteLimit: spoolByteLimit, concurrency: concurrency,
            progress: progress)
        try file.decrypt(ReadingTerms(credential: credential, accepting: accepting), release: receive)
    }

    /// Reads a message file to its end and checks that it is authentic, its padding too. Writes nothing.
    /// - Parameters:
    ///   - source: the file to read.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read. Those before 2 are accepted by names that say what is wrong with them.
    ///   - concurrency: whether a second thread may take a part of the work on a large file.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Returns: the length of the plaintext in bytes.
    /// - Throws: everything that ``decrypt(_:with:accepting:concurrency:)->[UInt8]`` throws, and `inputOutput` or `cancelled`.
    @discardableResult
    public static func verifyFile(
        at source: String, with credential: Credential, accepting: Set<FormatVersion> = [.v3, .v2],
        concurrency: Concurrency = .automatic, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) -> Int {
        try verifyFile(
            at: .path(source), with: credential, accepting: accepting, concurrency: concurrency, progress: progress)
    }

    /// Reads the message that an endpoint gives: see ``verifyFile(at:with:accepting:concurrency:progress:)-(String,_,_,_,_)``.
    ///
    /// With `acceptingBase64` a message in base64 text is decoded.
    @discardableResult
    public static func verifyFile(
        at source: FileEndpoint, with credential: Credential, accepting: Set<FormatVersion> = [.v3, .v2],
        acceptingBase64: Bool = false, concurrency: Concurrency = .automatic, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) -> Int {
        let file = try MessageFile(
            opening: source, acceptingBase64: acceptingBase64, concurrency: concurrency, progress: progress)
        return try file.verify(ReadingTerms(credential: credential, accepting: accepting))
    }

    /// Gives a message file another password or other keys: the same plaintext as a new message of version 3. This is
    /// how old versions become safe.
    ///
    /// The old message is verified first. Then it is read again, decrypted and encrypted in memory, a segment at a time;
    /// no plaintext touches the disk. The new message appears, or takes the place of the old one, only when it is whole
    /// and the second reading found the bytes of the first.
    /// - Parameters:
    ///   - source: the message file to read.
    ///   - destination: the file to create. It may be the source, which is then replaced, whatever `overwriting` says,
    ///     unless it was changed or another file has its name by then.
    ///   - old: what opens the message now.
    ///   - new: what will open it.
    ///   - accepting: the versions to read. Those before 2 are accepted by names that say what is wrong with them.
    ///   - overwriting: whether another file at the destination may be replaced. It keeps owner, group,
    ///     permissions, access control list and extended attributes, as far as this user may give them, and no special mode bit.
    ///     What cannot be kept only ever narrows the rights of others.
    ///   - concurrency: whether a second thread may take a part of the work on a large file.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Throws: everything that ``decrypt(_:with:accepting:concurrency:)->[UInt8]`` throws, and `inputOutput`, `destinationExists`,
    ///   `randomnessUnavailable` or `cancelled`. Nothing is left behind then, and the source is untouched, unless the
    ///   error's `isPublished` says that the new message has taken its place. `severalNames` for a source that is to be replaced
    ///   and has hard links, unless `overwriting`.
    public static func rekeyFile(
        at source: String, to destination: String, from old: Credential, into new: Credential,
        accepting: Set<FormatVersion> = [.v3, .v2], overwriting: Bool = false, concurrency: Concurrency = .automatic,
        progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        try rekeyFile(
            at: .path(source), to: .path(destination), from: old, into: new, accepting: accepting,
            overwriting: overwriting, concurrency: concurrency, progress: progress)
    }

    /// Gives the message that one endpoint has another credential and writes it to the other: see
    /// ``rekeyFile(at:to:from:into:accepting:overwriting:concurrency:progress:)-(String,_,_,_,_,_,_,_)``.
    ///
    /// With `acceptingBase64` a message in base64 text is decoded; it is then written as base64 text, too, in one line or in
    /// lines as long as its first. `spoolByteLimit` is
    /// for what can be read once only: the most bytes to keep in `$TMPDIR`, `messageTooLong` beyond; nil for half of what
    /// is free there.
    public static func rekeyFile(
        at source: FileEndpoint, to destination: FileEndpoint, from old: Credential, into new: Credential,
        accepting: Set<FormatVersion> = [.v3, .v2], overwriting: Bool = false, acceptingBase64: Bool = false,
        spoolByteLimit: Int? = nil, concurrency: Concurrency = .automatic, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        let file = try MessageFile(
            opening: source, acceptingBase64: acceptingBase64, spoolByteLimit: spoolByteLimit, concurrency: concurrency,
            progress: progress)
        let terms = ReadingTerms(credential: old, accepting: accepting)
        try file.rekey(to: destination, from: terms, into: new, overwriting: overwriting)
    }
}
