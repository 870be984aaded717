public import CryptorFormat
import CryptorSystem

// Functions for files of any size, in constant memory. They wait for disks and pipes. In a task,
// use a `CryptorPool`.
extension Cryptor {
    /// Encrypts a file into a message of version 3.
    ///
    /// The destination appears only when it is complete and on disk. Standard output, pipes and
    /// devices are written directly. For the parameters and the errors see
    /// ``decryptFile(at:to:with:accepting:options:progress:)``.
    @available(
        *, noasync,
        message: "It blocks the thread. In a task, use encryptFile of CryptorPool.shared."
    )
    public static func encryptFile(
        at source: some FileLocation, to destination: some FileLocation,
        with credential: Credential,
        options: FileOptions = FileOptions(), progress: ((FileProgress) throws -> Void)? = nil
    ) throws(CryptorError) {
        let source = try source.endpoint
        let destination = try destination.endpoint
        let progress = ProgressReporter(progress)
        var input = try InputFile.open(source, progress: progress)
        let publication = try OutputFile.Publication(options, source: input, changingOwner: true)
        var output = try OutputFile.open(destination, publication, progress: progress)
        if options.base64 { output.encoder = Base64Encoder() }

        try output.publish(from: &input) { (input, output) throws(CryptorError) in
            let (header, request) = try credential.newMessage()
            var writer = try FileMessageWriter(header, keys: try request.keys())
            var work = LargeWork()
            try output.write(header.bytes)
            var chunk: MessageChunk? = MessageChunk()
            while var next = chunk.take() {
                next.input.removeAll(keepingCapacity: true)
                try input.append(MessageChunk.byteCount, to: &next.input)
                if next.input.isEmpty { break }
                let cores = work.reserveCores(forNext: next.input.count)
                let done = try writer.pass(next, besideCaller: cores.includeSecond)
                if let done { try output.write(done.output) }
                chunk = done ?? MessageChunk()
            }
            while let done = try writer.next() { try output.write(done.output) }
            // A signal may have ended the writer of the source: the handler is asked before the
            // message is completed.
            try progress.complete()
            try output.write(try writer.finish())
        }
    }

    /// Decrypts a message file. No byte of plaintext is visible, under any name or in any stream,
    /// before the HMAC of the message has matched.
    ///
    /// The destination appears only when it is complete and verified. For standard output, pipes
    /// and devices the message is read twice: the first pass verifies it; the second releases it
    /// segment by segment, each checked against the first pass. A source that cannot be read twice
    /// is copied, as ciphertext, to an unnamed private file in `$TMPDIR`. For the null device,
    /// where nothing is visible, one pass is enough.
    /// - Parameters:
    ///   - source: the file or stream to read.
    ///   - destination: the file to create, or the stream to write to; not the source.
    ///   - credential: a password, keys or a keyring.
    ///   - accepting: the versions to read.
    ///   - options: whether to overwrite, to remove the source, and more.
    ///   - progress: called regularly on this thread; may throw to end the work.
    /// - Throws: the errors of `Cryptor.decrypt(_:with:accepting:)`, and `inputOutput`,
    ///   `invalidPath`, `destinationExists`, `sameFile`, `messageTooLong`. If `progress` throws:
    ///   `cancelled` for a `CancellationError`, its own error for a `CryptorError`, and
    ///   `callbackFailed` for any other. No file is left behind then, unless the error's
    ///   `isPublished` says that the output is complete.
    @available(
        *, noasync,
        message: "It blocks the thread. In a task, use decryptFile of CryptorPool.shared."
    )
    public static func decryptFile(
        at source: some FileLocation, to destination: some FileLocation,
        with credential: Credential,
        accepting: Acceptance = .default, options: FileOptions = FileOptions(),
        progress: ((FileProgress) throws -> Void)? = nil
    ) throws(CryptorError) {
        let source = try source.endpoint
        let destination = try destination.endpoint
        try naming(source) { () throws(CryptorError) in
            let input = try InputFile.open(source, progress: ProgressReporter(progress))
            let publication = try OutputFile.Publication(
                options, source: input, changingOwner: false)
            // The output is opened before anything is read: if it is refused, nothing of a pipe is
            // lost.
            var output = try OutputFile.open(destination, publication, progress: input.progress)
            var file: MessageFile
            do throws(CryptorError) {
                var reading = try MessageFile.begin(
                    input, with: credential, accepting: accepting, options)
                try reading.decrypt(to: &output)
                file = reading
            } catch { throw output.abandoned(after: error) }
            try output.publish(removing: &file.input)
        }
    }

    /// Decrypts a message file and passes its plaintext on, chunk by chunk. No chunk is passed on
    /// before the HMAC of the message has matched: the message is read twice, as for any output
    /// that is visible at once.
    ///
    /// `receive` is called on this thread, and may throw as `progress` may. For the other
    /// parameters and the errors see ``decryptFile(at:to:with:accepting:options:progress:)``; of
    /// the options, only `base64` and `spoolByteLimit` apply.
    @available(
        *, noasync,
        message: "It blocks the thread. In a task, use decryptFile of CryptorPool.shared."
    )
    public static func decryptFile(
        at source: some FileLocation, with credential: Credential, accepting: Acceptance = .default,
        options: FileOptions = FileOptions(), progress: ((FileProgress) throws -> Void)? = nil,
        receive: (_ verified: [UInt8]) throws -> Void
    ) throws(CryptorError) {
        try withMessage(
            at: source, with: credential, accepting: accepting, options, progress: progress
        ) { (file) throws(CryptorError) in
            try VerifiedFile(file.firstPass()).readAll(file.input.progress) {
                (plaintext) throws(CryptorError) in
                do { try receive(plaintext) } catch { throw .fromCallback(error) }
            }
        }
    }

    /// Reads a message file to its end and checks that it is authentic and its padding correct.
    /// Writes nothing. For the parameters and the errors see
    /// ``decryptFile(at:to:with:accepting:options:progress:)``.
    /// - Returns: the length of the plaintext in bytes.
    @available(
        *, noasync,
        message: "It blocks the thread. In a task, use verifyFile of CryptorPool.shared."
    )
    @discardableResult
    public static func verifyFile(
        at source: some FileLocation, with credential: Credential, accepting: Acceptance = .default,
        options: FileOptions = FileOptions(), progress: ((FileProgress) throws -> Void)? = nil
    ) throws(CryptorError) -> Int {
        try withMessage(
            at: source, with: credential, accepting: accepting, options, progress: progress
        ) { (file) throws(CryptorError) in
            try file.verify().plaintextByteCount
        }
    }

    /// Re-encrypts a message file with another password or other keys, as a message of version 3.
    /// Use it also to convert messages of old versions.
    ///
    /// The old message is verified first. Then it is read again, decrypted and encrypted in memory,
    /// a segment at a time; no plaintext touches the disk. The new message appears, or takes the
    /// place of the old one, only when it is complete and the second reading has found the same
    /// bytes as the first.
    ///
    /// If the destination is the same path as the source, the message is replaced in place,
    /// whatever `overwriting` says. It must be a regular file with one name, not a link. It is
    /// locked meanwhile (`flock(2)`, where the file system has such locks) and must still be there,
    /// unchanged, at the end. Another path to the source, such as a link, throws `sameFile`.
    ///
    /// For the parameters and the errors see
    /// ``decryptFile(at:to:with:accepting:options:progress:)``. `old` opens the message now, and
    /// `new` will open the new one.
    @available(
        *, noasync, message: "It blocks the thread. In a task, use rekeyFile of CryptorPool.shared."
    )
    public static func rekeyFile(
        at source: some FileLocation, to destination: some FileLocation, from old: Credential,
        into new: Credential,
        accepting: Acceptance = .default, options: FileOptions = FileOptions(),
        progress: ((FileProgress) throws -> Void)? = nil
    ) throws(CryptorError) {
        _ = try rekeyFile(
            at: source.endpoint, to: destination.endpoint, from: old, accepting: accepting,
            into: new, options: options, progress: progress
        ) { (_, _) in false }
    }

    /// Re-encrypts a message file in place with the primary credential of a keyring, unless that
    /// already opens it: see `Credential.keyring(primary:previous:)`. It works and throws as
    /// ``rekeyFile(at:to:from:into:accepting:options:progress:)`` does.
    ///
    /// You may stop a job over many files at any moment and run it again. When it has ended without
    /// an error, every file on disk opens with the primary: file and directory are synchronised
    /// even if there was nothing to do.
    /// - Returns: whether the message was re-encrypted; false if the primary already opens it,
    ///   whatever its version.
    @available(
        *, noasync,
        message: "It blocks the thread. In a task, use rotateFile of CryptorPool.shared."
    )
    @discardableResult
    public static func rotateFile(
        at file: some FileLocation, with keyring: Credential, accepting: Acceptance = .default,
        options: FileOptions = FileOptions(), progress: ((FileProgress) throws -> Void)? = nil
    ) throws(CryptorError) -> Bool {
        let file = try file.endpoint
        return try rekeyFile(
            at: file, to: file, from: keyring, accepting: accepting, into: keyring,
            options: options, progress: progress
        ) { (_, credentialIndex) in credentialIndex == 0 }
    }

    /// - Parameter isDone: whether a message need not be re-encrypted, which one of version 0
    ///   always is. It gets the place in the keyring of the credential that opens it.
    /// - Returns: whether it was.
    package static func rekeyFile(
        at source: FileEndpoint, to destination: FileEndpoint, from credential: Credential,
        accepting: Acceptance, into new: Credential, options: FileOptions,
        progress: ((FileProgress) throws -> Void)?,
        unless isDone: (MessageHeader, _ credentialIndex: Int) -> Bool
    ) throws(CryptorError) -> Bool {
        // Two addresses that lead to one file are a mistake, and are refused.
        let inPlace = source.isSamePath(as: destination)
        return try naming(source) { () throws(CryptorError) in
            var input = try InputFile.open(source, progress: ProgressReporter(progress))
            let progress = input.progress
            if inPlace { try input.lockForReplacement() }
            let publication = OutputFile.Publication(
                options: FileOptions(overwriting: options.overwriting), source: input.status,
                inPlace: inPlace)
            // Before anything is read, as for decryption.
            var output = try OutputFile.open(destination, publication, progress: progress)

            let file: MessageFile
            let verified: VerifiedContents
            do throws(CryptorError) {
                var reading = try MessageFile.begin(
                    input, with: credential, accepting: accepting, options)
                verified = try reading.firstPass()
                file = reading
            } catch { throw output.abandoned(after: error) }
            if !file.wasVersion0, isDone(verified.header, verified.message.credentialIndex) {
                try output.discard()
                try file.input.synchronize()
                return false
            }

            if let text = file.input.decoder {
                output.encoder = Base64Encoder(inLines: text.hasSeveralLines)
            }
            let plaintext = VerifiedFile(verified)
            try output.publish { (output) throws(CryptorError) in
                var encryptor = try Encryptor(new)
                var message: [UInt8] = []
                try plaintext.readAll(progress) { (part) throws(CryptorError) in
                    try encryptor.update(part, into: &message)
                    try output.write(message)
                    message.removeAll(keepingCapacity: true)
                }
                try encryptor.finish(into: &message)
                try output.write(message)
            }
            // The old file stays open and locked until the new one has its name.
            withExtendedLifetime(file) {}
            return true
        }
    }

    /// Opens a message file, which stays open until `body` has ended.
    static func withMessage<Value: ~Copyable>(
        at source: some FileLocation, with credential: Credential, accepting: Acceptance,
        _ options: FileOptions, progress: ((FileProgress) throws -> Void)?,
        _ body: (inout MessageFile) throws(CryptorError) -> Value
    ) throws(CryptorError) -> Value {
        let source = try source.endpoint
        return try naming(source) { () throws(CryptorError) in
            let input = try InputFile.open(source, progress: ProgressReporter(progress))
            var file = try MessageFile.begin(
                input, with: credential, accepting: accepting, options)
            return try body(&file)
        }
    }

    /// Adds the name of the source to an error that names no file.
    static func naming<Value: ~Copyable>(
        _ source: FileEndpoint, _ work: () throws(CryptorError) -> Value
    ) throws(CryptorError) -> Value {
        do throws(CryptorError) { return try work() } catch { throw error.naming(source.name) }
    }
}
