import CryptorPrimitives

/// A message file that is read, perhaps twice: to verify it, to decrypt it, or to give it another credential.
struct MessageFile: ~Copyable {
    private var input: MessageInput
    private let status: FileStatus
    private var progress: ProgressReporter
    private var chunk: [UInt8] = []

    init(
        opening source: FileEndpoint, acceptingBase64: Bool, progress handler: FileProgress.Handler?
    ) throws(CryptorError) {
        let file = try InputFile(opening: source, progress: ProgressReporter(handler, totalBytes: nil))
        let status = file.status
        var progress = ProgressReporter(handler, totalBytes: file.byteCount)
        let input = try MessageInput(file, acceptingBase64: acceptingBase64, &progress)
        self.input = input
        self.status = status
        self.progress = progress
    }

    // MARK: Whole operations

    /// Writes the plaintext: into a file that nobody sees until it is verified or, to a stream, in a second pass.
    consuming func decrypt(
        to destination: FileEndpoint, _ terms: ReadingTerms, overwriting: Bool
    ) throws(CryptorError) {
        let output = try OutputFile.open(
            destination, overwriting: overwriting, source: status, progress: progress)
        do throws(CryptorError) {
            if output.isStream || needsTwoPasses(terms) {
                try decryptSeen(terms) { (plaintext, progress) throws(CryptorError) in
                    try output.write(plaintext, progress)
                }
            } else {
                try decryptUnseen(to: output, terms)
            }
        } catch {
            throw error.naming(input.name)
        }
        try output.publish()
    }

    /// Reads the message to its end and releases nothing of it.
    /// - Returns: the length of the plaintext.
    consuming func verify(_ terms: ReadingTerms) throws(CryptorError) -> Int {
        do throws(CryptorError) {
            return try firstPass(terms).plaintextByteCount
        } catch {
            throw error.naming(input.name)
        }
    }

    /// Writes the same plaintext as a new message of version 3, in the encoding that it had. Plaintext is in memory only,
    /// a segment at a time.
    consuming func rekey(
        to destination: FileEndpoint, from old: ReadingTerms, into new: Credential, overwriting: Bool
    ) throws(CryptorError) {
        var output = try MessageOutput(
            destination, overwriting: overwriting, source: status, allowingSameFile: true, asBase64: input.isBase64,
            progress)
        var encryptor = try Encryptor(new)
        var message: [UInt8] = []
        do throws(CryptorError) {
            try decryptSeen(old) { (plaintext, progress) throws(CryptorError) in
                message.removeAll(keepingCapacity: true)
                try encryptor.update(plaintext, into: &message)
                try output.write(message, progress)
            }
        } catch {
            throw error.naming(input.name)
        }
        message.removeAll(keepingCapacity: true)
        try encryptor.finish(into: &message)
        try output.write(message, progress)
        try output.publish(progress)
    }

    // MARK: Passes

    private mutating func decryptUnseen(
        to output: borrowing OutputFile, _ terms: ReadingTerms
    ) throws(CryptorError) {
        var decryptor = Decryptor(withLength(terms), heldBackByteLimit: 0)
        var plaintext: [UInt8] = []
        while try readChunk() {
            plaintext.removeAll(keepingCapacity: true)
            try decryptor.update(chunk, unverifiedInto: &plaintext)
            try output.write(plaintext, progress)
        }
        plaintext.removeAll(keepingCapacity: true)
        try decryptor.finish(into: &plaintext)
        try output.write(plaintext, progress)
    }

    /// Verifies in a first pass and releases in a second one. What can be read only once is kept for that, as
    /// ciphertext, in a private file without a name.
    private mutating func decryptSeen(
        _ terms: ReadingTerms, release: ([UInt8], ProgressReporter) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        let message: VerifiedMessage
        if input.canBeReadTwice {
            if let total = progress.totalBytes { progress.totalBytes = 2 * total }
            message = try firstPass(terms)
        } else {
            let name = input.name
            let spool = try TemporaryFile.spool(progress)
            message = try firstPass(terms) { (chunk, progress) throws(CryptorError) in
                try progress.write(chunk, to: spool, named: "the temporary copy of \(name)")
            }
            input = MessageInput(spooled: try InputFile(spooled: spool, name: name))
        }
        try message.readAgain(from: &input, &progress) { (plaintext, progress) throws(CryptorError) in
            try release(plaintext, progress)
        }
    }

    private mutating func firstPass(
        _ terms: ReadingTerms,
        keep: ([UInt8], ProgressReporter) throws(CryptorError) -> Void = { _, _ in }
    ) throws(CryptorError) -> VerifiedMessage {
        var verifier = MessageVerifier(withLength(terms))
        while try readChunk() {
            try verifier.add(chunk)
            try keep(chunk, progress)
        }
        return try verifier.finish()
    }

    /// Only the HMAC at the end of such a message tells which password was meant.
    private func needsTwoPasses(_ terms: ReadingTerms) -> Bool {
        guard let version = input.firstByte.flatMap(FormatVersion.init(rawValue:)) else { return false }
        return version.rules.passwordsWereTruncated && terms.credential.hasSeveralCandidates
    }

    private func withLength(_ terms: ReadingTerms) -> ReadingTerms {
        var terms = terms
        terms.messageByteCount = input.byteCount
        return terms
    }

    private mutating func readChunk() throws(CryptorError) -> Bool {
        try input.read(PlaintextFile.chunkByteCount, into: &chunk, &progress)
        return !chunk.isEmpty
    }
}
