/// A file of plaintext that is read once, to be encrypted.
struct PlaintextFile: ~Copyable {
    /// How much is read at a time.
    static let chunkByteCount = 256 * 1024

    private var input: InputFile
    private var progress: ProgressReporter

    init(opening source: FileEndpoint, progress handler: FileProgress.Handler?) throws(CryptorError) {
        let input = try InputFile(opening: source, progress: ProgressReporter(handler, totalBytes: nil))
        self.progress = ProgressReporter(handler, totalBytes: input.byteCount)
        self.input = input
    }

    consuming func encrypt(
        to destination: FileEndpoint, with credential: Credential, overwriting: Bool, asBase64: Bool
    ) throws(CryptorError) {
        var output = try MessageOutput(
            destination, overwriting: overwriting, source: input.status, asBase64: asBase64, progress)
        var encryptor = try Encryptor(credential)
        var chunk: [UInt8] = []
        var message: [UInt8] = []
        while true {
            try input.read(Self.chunkByteCount, into: &chunk, &progress)
            if chunk.isEmpty { break }
            message.removeAll(keepingCapacity: true)
            try encryptor.update(chunk, into: &message)
            try output.write(message, progress)
        }
        message.removeAll(keepingCapacity: true)
        try encryptor.finish(into: &message)
        try output.write(message, progress)
        try output.publish(progress)
    }
}
