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
        var writer = try RelayedMessageWriter(header, keys, concurrency)
        try output.write(header.bytes, progress)
        var chunk: MessageChunk? = MessageChunk()
        while var next = chunk.take() {
            next.input.removeAll(keepingCapacity: true)
            try input.append(MessageChunk.byteCount, to: &next.input, &progress)
            if next.input.isEmpty { break }
            let done = try writer.pass(next)
            if let done { try output.write(done.output, progress) }
            chunk = done ?? MessageChunk()
        }
        while let done = try writer.next() { try output.write(done.output, progress) }
        try output.write(try writer.finish(), progress)
        let isKept = try output.publish(progress)
        if removesSource { try input.remove(outputIsKept: isKept) }
    }
}
