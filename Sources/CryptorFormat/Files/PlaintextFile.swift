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
        let authenticator = try openSSL { () throws(OpenSSLError) in
            try MessageAuthenticator(hmacKey: keys.hmacKey, header: header)
        }
        let cipher = try openSSL { () throws(OpenSSLError) in
            try MessageCipher(.encrypt, key: keys.encryptionKey, header: header)
        }
        var relay = Relay(
            CipherStep(cipher), then: AuthenticationStep(authenticator), isSerial: concurrency == .serial)
        try output.write(HeaderWriter.bytes(of: header), progress)

        var chunk = FileChunk()
        while true {
            chunk.input.removeAll(keepingCapacity: true)
            try input.append(FileChunk.byteCount, to: &chunk.input, &progress)
            if chunk.input.isEmpty { break }
            if let done = try relay.pass(chunk) {
                try output.write(done.output, progress)
                chunk = done
            } else {
                chunk = FileChunk()
            }
        }
        while let done = try relay.next() { try output.write(done.output, progress) }
        let tail = try relay.finish { (encryption, authentication) throws(CryptorError) in
            var encryption = encryption
            return try encryption.cipher.tail(&authentication.authenticator)
        }
        try output.write(tail, progress)
        let isKept = try output.publish(progress)
        if removesSource { try input.remove(outputIsKept: isKept) }
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
