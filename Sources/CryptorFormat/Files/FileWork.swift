import CryptorPrimitives

/// One file operation: where it reads, where it writes, and whom it tells.
struct FileWork: ~Copyable {
    /// How much is read at a time.
    private static let chunkByteCount = 256 * 1024

    private var input: InputFile
    private var output: OutputFile
    private var progress: ProgressReporter
    private var chunk: [UInt8] = []

    init(
        from source: FileEndpoint, to destination: FileEndpoint, overwriting: Bool,
        progress handler: FileProgress.Handler?
    ) throws(CryptorError) {
        let unstarted = ProgressReporter(handler, totalBytes: nil)
        let input = try InputFile(opening: source, progress: unstarted)
        let output = try OutputFile.open(
            destination, overwriting: overwriting, source: input.status, progress: unstarted)
        self.progress = ProgressReporter(handler, totalBytes: input.byteCount)
        self.input = input
        self.output = output
    }

    /// Reads plaintext, writes a message.
    consuming func encrypt(with credential: Credential) throws(CryptorError) {
        var encryptor = try Encryptor(credential)
        var message: [UInt8] = []
        while try readChunk() {
            message.removeAll(keepingCapacity: true)
            try encryptor.update(chunk, into: &message)
            try output.write(message, progress)
        }
        message.removeAll(keepingCapacity: true)
        try encryptor.finish(into: &message)
        try output.write(message, progress)
        try output.publish()
    }

    /// Reads a message, writes its plaintext: into a file that nobody sees until it is verified, or, to a stream, in a
    /// second pass.
    consuming func decrypt(with credential: Credential) throws(CryptorError) {
        do throws(CryptorError) {
            if output.isStream {
                try decryptToStream(with: credential)
            } else {
                try decryptUnseen(with: credential)
            }
        } catch {
            throw error.naming(input.name)
        }
        try output.publish()
    }

    private mutating func decryptUnseen(with credential: Credential) throws(CryptorError) {
        var decryptor = Decryptor(credential, messageByteCount: input.byteCount)
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

    private mutating func decryptToStream(with credential: Credential) throws(CryptorError) {
        if let total = progress.totalBytes { progress.totalBytes = 2 * total }
        var verifier = MessageVerifier(credential, messageByteCount: input.byteCount)
        if !input.canBeReadTwice {
            try spool(into: &verifier)
        } else {
            while try readChunk() { try verifier.add(chunk) }
        }
        let message = try verifier.finish()
        try message.readAgain(from: &input, &progress) { (plaintext, progress) throws(CryptorError) in
            try output.write(plaintext, progress)
        }
    }

    /// Keeps what can be read only once, as ciphertext, in a file without a name, and goes on with that.
    private mutating func spool(into verifier: inout MessageVerifier) throws(CryptorError) {
        let spool = try TemporaryFile.spool(progress)
        while try readChunk() {
            try verifier.add(chunk)
            try progress.write(chunk, to: spool, named: "temporary copy of \(input.name)")
        }
        input = try InputFile(spooled: spool, name: input.name)
    }

    private mutating func readChunk() throws(CryptorError) -> Bool {
        try input.read(Self.chunkByteCount, into: &chunk, &progress)
        return !chunk.isEmpty
    }
}
