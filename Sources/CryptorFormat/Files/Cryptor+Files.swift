// Functions for files of any size, in constant memory.
extension Cryptor {
    /// Encrypts a file into a message of version 3.
    ///
    /// The destination appears only when it is complete: it is written without a name or under a temporary one in the
    /// destination's folder, synchronised with the disk, and then named. Standard output, pipes and devices are written
    /// directly.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - destination: the file to create, or the stream to write to; another file than the source.
    ///   - credential: a password or keys.
    ///   - overwriting: whether a file at the destination may be replaced. The new file keeps owner, group,
    ///     permissions, access control list and extended attributes of the old one, as far as this user may set them,
    ///     and no special mode bit. Where something cannot be kept, other users only lose rights.
    ///   - takingAttributes: whether a new file gets owner, group, permissions and times of the source, as with `gzip`,
    ///     as far as this user may set them. A file that replaces another grants only the rights that both the source
    ///     and the replaced file grant.
    ///   - removingSource: whether the source is removed once the message is in a file and on the disk. It must still
    ///     be the very file that was read, unchanged, with no other name and not named by a symbolic link; otherwise
    ///     `sourceKept` is thrown at the end, and the message stays.
    ///   - asBase64: whether base64 text is written, in lines of 76 characters, instead of binary.
    ///   - concurrency: whether a second thread may take a part of the work on a large file.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Throws: `inputOutput`, `invalidPath`, `notInFolder`, `destinationExists`, `sameFile`, `sourceKept`,
    ///   `cancelled`, `randomnessUnavailable` or `cryptoLibraryFailure`. Nothing is left behind then, unless the
    ///   error's `isPublished` says that the output is complete.
    public static func encryptFile(
        at source: some FileLocation, to destination: some FileLocation, with credential: Credential,
        overwriting: Bool = false, takingAttributes: Bool = false, removingSource: Bool = false, asBase64: Bool = false,
        concurrency: Concurrency = .automatic, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        let (source, destination) = (try source.endpoint, try destination.endpoint)
        try PlaintextFile(
            opening: source, FileOptions(concurrency: concurrency, progress: progress, removesSource: removingSource)
        ).encrypt(
            to: destination, with: credential,
            OutputFile.Terms(overwriting: overwriting, takingAttributes: takingAttributes, changingOwner: true),
            asBase64: asBase64
        ).finish()
    }

    /// Decrypts a message file. No byte of plaintext can be seen, under any name or in any stream, before the HMAC of
    /// the message has matched.
    ///
    /// The destination appears only when it is complete and verified. For standard output, pipes and devices the
    /// message is read twice: the first pass verifies it; the second releases it segment by segment, each checked
    /// against the first pass. A source that cannot be read twice is copied, as ciphertext, to an unnamed private file
    /// in `$TMPDIR`. For the null device, where nothing is seen, one pass is enough.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - destination: the file to create, or the stream to write to; another file than the source.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - overwriting: whether a file at the destination may be replaced: see
    ///     ``encryptFile(at:to:with:overwriting:takingAttributes:removingSource:asBase64:concurrency:progress:)``.
    ///   - takingAttributes: whether a new file gets permissions and times of the source, as with `gzip`, and its group
    ///     if the message belongs to this user. No other user becomes its owner or gains a right that way. A file that
    ///     replaces another grants only the rights that both the source and the replaced file grant.
    ///   - removingSource: whether the source is removed once the plaintext is in a file and on the disk. It must still
    ///     be the very file that was read, unchanged, with no other name and not named by a symbolic link; otherwise
    ///     `sourceKept` is thrown at the end, and the plaintext stays.
    ///   - acceptingBase64: whether a message in base64 text is decoded. Both alphabets, line breaks, missing padding,
    ///     and spaces in place of plus signs are allowed.
    ///   - concurrency: whether a second thread may take a part of the work on a large file.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Throws: everything that ``decrypt(_:with:accepting:concurrency:)->[UInt8]`` throws, and `inputOutput`,
    ///   `invalidPath`, `notInFolder`, `destinationExists`, `sameFile`, `sourceKept`, `messageTooLong`,
    ///   `randomnessUnavailable` or `cancelled`. Nothing is left behind then, unless the error's `isPublished` says
    ///   that the output is complete.
    public static func decryptFile(
        at source: some FileLocation, to destination: some FileLocation, with credential: Credential,
        accepting: Acceptance = .default, overwriting: Bool = false, takingAttributes: Bool = false,
        removingSource: Bool = false, acceptingBase64: Bool = false, concurrency: Concurrency = .automatic,
        progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        let (source, destination) = (try source.endpoint, try destination.endpoint)
        try MessageFile(
            opening: source, ReadingTerms(credential: credential, accepting: accepting),
            FileOptions(
                concurrency: concurrency, progress: progress, removesSource: removingSource,
                acceptsBase64: acceptingBase64)
        ).decrypt(
            to: destination,
            OutputFile.Terms(overwriting: overwriting, takingAttributes: takingAttributes)
        ).finish()
    }

    /// Decrypts a message file and passes its plaintext on, chunk by chunk. No chunk is passed on before the HMAC of
    /// the message has matched: the message is read twice, as for any output that can be seen at once.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - acceptingBase64: whether a message in base64 text is decoded.
    ///   - concurrency: whether a second thread may take a part of the work on a large file.
    ///   - progress: called now and then on this thread; may throw to cancel.
    ///   - receive: called with the verified plaintext, in order, on this thread; may throw to cancel.
    /// - Throws: everything that ``decrypt(_:with:accepting:concurrency:)->[UInt8]`` throws, and `inputOutput`,
    ///   `invalidPath`, `notInFolder`, `messageTooLong`, `randomnessUnavailable` or `cancelled`.
    public static func decryptFile(
        at source: some FileLocation, with credential: Credential, accepting: Acceptance = .default,
        acceptingBase64: Bool = false, concurrency: Concurrency = .automatic, progress: FileProgress.Handler? = nil,
        receive: (_ verified: [UInt8]) throws -> Void
    ) throws(CryptorError) {
        let source = try source.endpoint
        let terms = ReadingTerms(credential: credential, accepting: accepting)
        let options = FileOptions(concurrency: concurrency, progress: progress, acceptsBase64: acceptingBase64)
        let result = withoutActuallyEscaping(receive) { receive in
            Result { () throws(CryptorError) in
                try MessageFile(opening: source, terms, options).decrypt(release: receive).finish()
            }
        }
        try result.get()
    }

    /// Reads a message file to its end and checks that it is authentic and its padding correct. Writes nothing.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - acceptingBase64: whether a message in base64 text is decoded.
    ///   - concurrency: whether a second thread may take a part of the work on a large file.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Returns: the length of the plaintext in bytes.
    /// - Throws: everything that ``decrypt(_:with:accepting:concurrency:)->[UInt8]`` throws, and `inputOutput`,
    ///   `invalidPath`, `notInFolder` or `cancelled`.
    @discardableResult
    public static func verifyFile(
        at source: some FileLocation, with credential: Credential, accepting: Acceptance = .default,
        acceptingBase64: Bool = false, concurrency: Concurrency = .automatic, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) -> Int {
        try MessageFile(
            opening: try source.endpoint, ReadingTerms(credential: credential, accepting: accepting),
            FileOptions(concurrency: concurrency, progress: progress, acceptsBase64: acceptingBase64)
        ).verify().finish()
    }

    /// Gives a message file another password or other keys: writes the same plaintext as a new message of version 3.
    /// This is how messages of old versions become safe.
    ///
    /// The old message is verified first. Then it is read again, decrypted and encrypted in memory, a segment at a
    /// time; no plaintext touches the disk. The new message appears, or takes the place of the old one, only when it is
    /// complete and the second reading has found the same bytes as the first.
    /// - Parameters:
    ///   - source: the message file to read.
    ///   - destination: the file to create, or the stream to write to. If it is the very address of the source, the
    ///     message is replaced, whatever `overwriting` says: a regular file with one name, and not a link, which is locked
    ///     meanwhile (`flock(2)`, where the file system has such locks) and must still be there, unchanged, at the end.
    ///   - old: the credential that opens the message now.
    ///   - new: the credential that will open the new message.
    ///   - accepting: the versions to read, and how.
    ///   - overwriting: whether another file at the destination may be replaced: see
    ///     ``encryptFile(at:to:with:overwriting:takingAttributes:removingSource:asBase64:concurrency:progress:)``.
    ///   - acceptingBase64: whether a message in base64 text is decoded. The new message is then base64 text, too, in
    ///     one line or in lines as long as the first line of the old text.
    ///   - concurrency: whether a second thread may take a part of the work on a large file.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Throws: everything that ``decrypt(_:with:accepting:concurrency:)->[UInt8]`` throws, and `inputOutput`,
    ///   `invalidPath`, `notInFolder`, `destinationExists`, `sameFile`, `severalNames`, `randomnessUnavailable`,
    ///   `messageTooLong` or `cancelled`. Nothing is left behind then, and the source is untouched, unless the error's
    ///   `isPublished` says that the new message has taken its place. `sameFile` also if the destination is another
    ///   address of the source, such as a link to it.
    public static func rekeyFile(
        at source: some FileLocation, to destination: some FileLocation, from old: Credential, into new: Credential,
        accepting: Acceptance = .default, overwriting: Bool = false, acceptingBase64: Bool = false,
        concurrency: Concurrency = .automatic, progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        let (source, destination) = (try source.endpoint, try destination.endpoint)
        try MessageFile(
            opening: source, ReadingTerms(credential: old, accepting: accepting),
            FileOptions(
                concurrency: concurrency, progress: progress, replacesSource: source.isReplaced(by: destination),
                acceptsBase64: acceptingBase64)
        ).rekey(to: destination, into: new, overwriting: overwriting).finish()
    }
}
