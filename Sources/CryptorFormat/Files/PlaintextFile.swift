import CryptorPrimitives

/// A file of plaintext that is read once, to be encrypted.
struct PlaintextFile: ~Copyable {
    /// How much is read at a time.
    static let chunkByteCount = 256 * 1024

    private var input: InputFile
    private let concurrency: Concurrency
    private var progress: ProgressReporter

    init(
        opening source: FileEndpoint, concurrency: Concurrency, progress handler: FileProgress.Handler?
    ) throws(CryptorError) {
        let input = try InputFile(opening: source, progress: ProgressReporter(handler, totalBytes: nil))
        self.progress = ProgressReporter(handler, totalBytes: input.byteCount)
        self.concurrency = concurrency
        self.input = input
    }

    consuming func encrypt(
        to destination: FileEndpoint, with credential: Credential, overwriting: Bool, asBase64: Bool
    ) throws(CryptorError) {
        var output = try MessageOutput(
            destination, overwriting: overwriting, source: input.status, asBase64: asBase64, progress)
        let header = try credential.freshHeader()
        let keys = try credential.keys(for: header)
        var authenticator = try openSSL { () throws(OpenSSLError) in
            try MessageAuthenticator(hmacKey: keys.hmacKey, header: header)
        }
        // The cipher takes the longest: all else is done here, meanwhile.
        let cipher = try openSSL { () throws(OpenSSLError) in
            try MessageCipher(.encrypt, key: keys.encryptionKey, header: header)
        }
        var relay = Relay(Encipherment(cipher), isSerial: concurrency == .serial)
        try output.write(HeaderWriter.bytes(of: header), progress)

        var chunk = Encipherment.Chunk()
        while true {
            chunk.plaintext.removeAll(keepingCapacity: true)
            try input.append(Self.chunkByteCount, to: &chunk.plaintext, &progress)
            if chunk.plaintext.isEmpty { break }
            if let done = try relay.pass(chunk) {
                try Self.write(done.ciphertext, to: &output, &authenticator, progress)
                chunk = done
            } else {
                chunk = Encipherment.Chunk()
            }
        }
        while let done = try relay.next() {
            try Self.write(done.ciphertext, to: &output, &authenticator, progress)
        }
        try output.write(Self.tail(of: relay.finish().cipher, &authenticator), progress)
        try output.publish(progress)
    }

    private static func write(
        _ ciphertext: [UInt8], to output: inout MessageOutput, _ authenticator: inout MessageAuthenticator,
        _ progress: ProgressReporter
    ) throws(CryptorError) {
        try openSSL { () throws(OpenSSLError) in
            try withRawSpan(of: ciphertext) { (ciphertext) throws(OpenSSLError) in
                try authenticator.update(ciphertext)
            }
        }
        try output.write(ciphertext, progress)
    }

    /// The last block and the HMAC.
    private static func tail(
        of cipher: consuming MessageCipher, _ authenticator: inout MessageAuthenticator
    ) throws(CryptorError) -> [UInt8] {
        var tail: [UInt8] = []
        try openSSL { () throws(OpenSSLError) in
            try tail.appendBytes(capacity: cipher.tailByteCount) { (output) throws(OpenSSLError) in
                try cipher.finishEncryption(into: &output, &authenticator)
            }
        }
        return tail
    }
}

/// The part of an encryption that a second thread can take over.
private struct Encipherment: RelayStage, ~Copyable {
    struct Chunk: Sendable {
        var plaintext: [UInt8] = []
        var ciphertext: [UInt8] = []
    }

    var cipher: MessageCipher

    init(_ cipher: consuming MessageCipher) {
        self.cipher = cipher
    }

    mutating func process(_ chunk: inout Chunk) throws(CryptorError) {
        try cipher.update(chunk.plaintext, replacing: &chunk.ciphertext)
    }
}
