public import CryptorFormat
import CryptorPrimitives
import CryptorSystem

// Functions for files of any size, in constant memory. They wait for disks and pipes. In a task, use a `CryptorPool`.
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
    ///   - options: whether to overwrite, to remove the source, and more.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Throws: `inputOutput`, `invalidPath`, `destinationExists`, `sameFile`, `sourceKept`,
    ///   `cancelled`, `cryptoLibraryFailure`. Nothing is left behind then, unless the
    ///   error's `isPublished` says that the output is complete.
    @available(*, noasync, message: "It blocks the thread. In a task, use encryptFile of CryptorPool.shared.")
    public static func encryptFile(
        at source: some FileLocation, to destination: some FileLocation, with credential: Credential,
        options: FileOptions = FileOptions(), progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        let (source, destination, progress) = (
            try source.endpoint, try destination.endpoint, ProgressReporter(progress)
        )
        var input = try InputFile(opening: source, progress: progress)
        let terms = try OutputFile.Terms(options, source: input, changingOwner: true)
        var output = MessageOutput(try OutputFile.open(destination, terms, progress: progress))
        if options.base64 { output.writeText(.mail) }

        let header = try credential.freshHeader()
        var writer = try FileMessageWriter(header, keys: try credential.keySource(forWriting: header).keys())
        var secondThread = SecondThread()
        try output.write(header.bytes, progress)
        var chunk: MessageChunk? = MessageChunk()
        while var next = chunk.take() {
            next.input.removeAll(keepingCapacity: true)
            try input.append(MessageChunk.byteCount, to: &next.input)
            if next.input.isEmpty { break }
            let cores = secondThread.reserveCores(forNext: next.input.count)
            let done = try writer.pass(next, besideCaller: cores.includeSecond)
            if let done { try output.write(done.output, progress) }
            chunk = done ?? MessageChunk()
        }
        while let done = try writer.next() { try output.write(done.output, progress) }
        try output.write(try writer.finish(), progress)
        try progress.complete()
        let isKept = try output.publish(progress)
        if options.removingSource { try input.remove(outputIsKept: isKept) }
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
    ///   - options: whether to overwrite, to remove the source, and more.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Throws: everything that ``decrypt(_:with:accepting:)->[UInt8]`` throws, and `inputOutput`,
    ///   `invalidPath`, `destinationExists`, `sameFile`, `sourceKept`, `messageTooLong`,
    ///   or `cancelled`. Nothing is left behind then, unless the error's `isPublished` says
    ///   that the output is complete.
    @available(*, noasync, message: "It blocks the thread. In a task, use decryptFile of CryptorPool.shared.")
    public static func decryptFile(
        at source: some FileLocation, to destination: some FileLocation, with credential: Credential,
        accepting: Acceptance = .default, options: FileOptions = FileOptions(), progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        let (source, destination) = (try source.endpoint, try destination.endpoint)
        try source.naming { () throws(CryptorError) in
            var file = try MessageFile.open(
                source, under: ReadingTerms(credential: credential, accepting: accepting), options: options,
                progress: progress
            )
            let terms = try OutputFile.Terms(options, source: file.input.file, changingOwner: false)
            let output = try OutputFile.open(destination, terms, progress: file.progress)
            if output.isSeenAtOnce || file.hasSeveralCandidates { file.expectAnotherPass() }

            let start = try file.readStart()
            if let keys = start.keys, !output.isSeenAtOnce {
                try file.onlyPass(start, keys, to: output)
            } else {
                let verified = try file.firstPass(start)
                let progress = file.progress
                try file.secondPass(verified) { (plaintext) throws(CryptorError) in
                    try output.write(plaintext, progress)
                }
            }
            let isKept = try output.publish()
            if options.removingSource { try file.input.file.remove(outputIsKept: isKept) }
        }
    }

    /// Decrypts a message file and passes its plaintext on, chunk by chunk. No chunk is passed on before the HMAC of
    /// the message has matched: the message is read twice, as for any output that can be seen at once.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - options: whether a message in base64 text is decoded.
    ///   - progress: called now and then on this thread; may throw to cancel.
    ///   - receive: called with the verified plaintext, in order, on this thread; may throw to cancel.
    /// - Throws: everything that ``decrypt(_:with:accepting:)->[UInt8]`` throws, and `inputOutput`,
    ///   `invalidPath`, `messageTooLong` or `cancelled`.
    @available(*, noasync, message: "It blocks the thread. In a task, use verifiedFile of CryptorPool.shared.")
    public static func decryptFile(
        at source: some FileLocation, with credential: Credential, accepting: Acceptance = .default,
        options: FileOptions = FileOptions(), progress: FileProgress.Handler? = nil,
        receive: (_ verified: [UInt8]) throws -> Void
    ) throws(CryptorError) {
        let source = try source.endpoint
        try source.naming { () throws(CryptorError) in
            var file = try MessageFile.open(
                source, under: ReadingTerms(credential: credential, accepting: accepting), options: options,
                progress: progress
            )
            file.expectAnotherPass()
            let verified = try file.firstPass(try file.readStart())
            try file.secondPass(verified) { (plaintext) throws(CryptorError) in
                do { try receive(plaintext) } catch { throw .cancelled }
            }
        }
    }

    /// Reads a message file to its end and checks that it is authentic and its padding correct. Writes nothing.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - options: whether a message in base64 text is decoded.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Returns: the length of the plaintext in bytes.
    /// - Throws: everything that ``decrypt(_:with:accepting:)->[UInt8]`` throws, and `inputOutput`,
    ///   `invalidPath` or `cancelled`.
    @available(*, noasync, message: "It blocks the thread. In a task, use verifyFile of CryptorPool.shared.")
    @discardableResult
    public static func verifyFile(
        at source: some FileLocation, with credential: Credential, accepting: Acceptance = .default,
        options: FileOptions = FileOptions(), progress: FileProgress.Handler? = nil
    ) throws(CryptorError) -> Int {
        let source = try source.endpoint
        return try source.naming { () throws(CryptorError) in
            var file = try MessageFile.open(
                source, under: ReadingTerms(credential: credential, accepting: accepting), options: options,
                progress: progress
            )
            return try file.onlyPass(try file.readStart()).plaintextByteCount
        }
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
    ///     message is replaced, whatever `overwriting` says: a regular file with one name, and not a link,
    ///     which is locked meanwhile (`flock(2)`, where the file system has such locks) and must still be there,
    ///     unchanged, at the end.
    ///   - old: the credential that opens the message now.
    ///   - new: the credential that will open the new message.
    ///   - accepting: the versions to read, and how.
    ///   - options: whether another file at the destination may be replaced, and whether base64 text is decoded.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Throws: everything that ``decrypt(_:with:accepting:)->[UInt8]`` throws, and `inputOutput`,
    ///   `invalidPath`, `destinationExists`, `sameFile`,
    ///   `messageTooLong` or `cancelled`. Nothing is left behind then, and the source is untouched, unless the error's
    ///   `isPublished` says that the new message has taken its place. `sameFile` also if the destination is another
    ///   address of the source, such as a link to it.
    @available(*, noasync, message: "It blocks the thread. In a task, use rekeyFile of CryptorPool.shared.")
    public static func rekeyFile(
        at source: some FileLocation, to destination: some FileLocation, from old: Credential, into new: Credential,
        accepting: Acceptance = .default, options: FileOptions = FileOptions(), progress: FileProgress.Handler? = nil
    ) throws(CryptorError) {
        _ = try rekeyFile(
            at: try source.endpoint, to: try destination.endpoint,
            under: ReadingTerms(credential: old, accepting: accepting),
            into: new, options: options, progress: progress
        ) { _ in false }
    }

    /// Gives a message file the primary credential of a keyring, in its place, unless that opens it already: see
    /// ``rekeyFile(at:to:from:into:accepting:options:progress:)``, which does it.
    ///
    /// A job over many files may be stopped at any moment and run again. When it has ended without an error, every file
    /// opens under the primary, and that is on the disk: file and folder are synchronised even if nothing was to be
    /// done.
    /// - Parameters:
    ///   - file: the message file: a regular file with one name, and no link.
    ///   - keyring: the credentials: see ``Credential/keyring(primary:previous:)``.
    ///   - accepting: the versions to read.
    ///   - options: whether base64 text is decoded.
    ///   - progress: called now and then on this thread; may throw to cancel.
    /// - Returns: whether the message was written anew; false if the primary opens it already, whatever its version.
    /// - Throws: what ``rekeyFile(at:to:from:into:accepting:options:progress:)`` throws.
    @available(*, noasync, message: "It blocks the thread. In a task, use rotateFile of CryptorPool.shared.")
    @discardableResult
    public static func rotateFile(
        at file: some FileLocation, with keyring: Credential, accepting: Acceptance = .default,
        options: FileOptions = FileOptions(), progress: FileProgress.Handler? = nil
    ) throws(CryptorError) -> Bool {
        let file = try file.endpoint
        return try rekeyFile(
            at: file, to: file, under: ReadingTerms(credential: keyring, accepting: accepting), into: keyring,
            options: options, progress: progress
        ) { $0.credentialIndex == 0 }
    }

    /// - Parameter isDone: whether a message need not be written anew.
    /// - Returns: whether it was.
    package static func rekeyFile(
        at source: FileEndpoint, to destination: FileEndpoint, under terms: ReadingTerms, into new: Credential,
        options: FileOptions, progress: FileProgress.Handler?, unless isDone: (VerifiedMessage) -> Bool
    ) throws(CryptorError) -> Bool {
        try source.naming { () throws(CryptorError) in
            // Two addresses that lead to one file are a mistake, and refused.
            let inPlace = source == destination && source.descriptor == nil
            var file = try MessageFile.open(
                source, under: terms, options: options, inPlace: inPlace, progress: progress)
            let progress = file.progress
            let terms = OutputFile.Terms(
                overwriting: options.overwriting, source: file.input.file.status, inPlace: inPlace)
            var output = MessageOutput(try OutputFile.open(destination, terms, progress: progress))
            file.expectAnotherPass()

            let verified = try file.firstPass(try file.readStart())
            if isDone(verified.message) {
                try file.input.file.synchronize()
                return false
            }
            if let layout = file.input.layout { output.writeText(layout) }
            var encryptor = try Encryptor(new)
            var message: [UInt8] = []
            try file.secondPass(verified) { (plaintext) throws(CryptorError) in
                message.removeAll(keepingCapacity: true)
                try encryptor.update(plaintext, into: &message)
                try output.write(message, progress)
            }
            message.removeAll(keepingCapacity: true)
            try encryptor.finish(into: &message)
            try output.write(message, progress)
            _ = try output.publish(progress)
            // A file that was replaced in its place is locked until here.
            _ = consume file
            return true
        }
    }
}

extension FileEndpoint {
    /// Adds the name of this file to an error of `body` that names none.
    func naming<Value: ~Copyable>(_ body: () throws(CryptorError) -> Value) throws(CryptorError) -> Value {
        do throws(CryptorError) { return try body() } catch { throw error.naming(name) }
    }
}
