import CryptorPrimitives

/// A file of plaintext that is read once, to be encrypted.
struct PlaintextFile: ~Copyable {
    private var input: InputFile
    private let removesSource: Bool
    private let concurrency: Concurrency
    private let progress: ProgressReporter

    /// - Parameter removingSource: whether the plaintext is removed once its message is in a file.
    init(
        opening source: FileEndpoint, removingSource: Bool, concurrency: Concurrency,
        progress handler: FileProgress.Handler?
    ) throws(CryptorError) {
        let opening = ProgressReporter(handler, totalBytes: nil)
        self.removesSource = removingSource
        let input = try InputFile(opening: source, progress: opening)
        if removingSource { try input.writeBackChanges() }
        self.progress = ProgressReporter(handler, totalBytes: input.byteCount)
        self.concurrency = concurrency
        self.input = input
    }

    consuming func encrypt(
        to destination: FileEndpoint, with credential: Credential, _ terms: OutputFile.Terms, asBase64: Bool
    ) throws(CryptorError) {
        var progress = progress
        var output = try MessageOutput(destination, terms, source: input, progress)
        if asBase64 { output.writeText(.mail) }
        let header = try credential.freshHeader()
        let keys = try credential.keys(for: header)
        var authenticator = try openSSL { () throws(OpenSSLError) in
            try MessageAuthenticator(hmacKey: keys.hmacKey, header: header)
        }
        let cipher = try openSSL { () throws(OpenSSLError) in
            try MessageCipher(.encrypt, key: keys.encryptionKey, header: header)
        }
        // The cipher takes longest: a helper does that, and this thread all else.
        var relay = Relay(CipherStep(cipher))
        var seat = HelperSeat(isSerial: concurrency == .serial)
        try output.write(HeaderWriter.bytes(of: header), progress)

        var chunk: FileChunk? = FileChunk()
        while var next = chunk.take() {
            next.input.removeAll(keepingCapacity: true)
            try input.append(FileChunk.byteCount, to: &next.input, &progress)
            if next.input.isEmpty { break }
            let done = try relay.pass(next, besideCaller: seat.isTaken())
            if let done { try Self.write(done.output, to: &output, &authenticator, progress) }
            chunk = done ?? FileChunk()
        }
        while let done = try relay.next() { try Self.write(done.output, to: &output, &authenticator, progress) }
        let tail = try relay.withStep { (encryption) throws(CryptorError) in
            try encryption.cipher.tail(&authenticator)
        }
        try output.write(tail, progress)
        let isKept = try output.publish(progress)
        if removesSource { try input.remove(outputIsKept: isKept) }
    }
}

extension PlaintextFile {
    private static func write(
        _ ciphertext: [UInt8], to output: inout MessageOutput, _ authenticator: inout MessageAuthenticator,
        _ progress: ProgressReporter
    ) throws(CryptorError) {
        try openSSL { () throws(OpenSSLError) in
            _ = try authenticator.update(ciphertext, besideCaller: false)
        }
        try output.write(ciphertext, progress)
    }
}

extension MessageCipher {
    /// The last block and the HMAC.
    fileprivate mutating func tail(_ authenticator: inout MessageAuthenticator) throws(CryptorError) -> [UInt8] {
        try Array(byteCapacity: tailByteCount) { (output) throws(CryptorError) in
            try openSSL { () throws(OpenSSLError) in
                try finishEncryption(into: &output, &authenticator)
            }
        }
    }
}
