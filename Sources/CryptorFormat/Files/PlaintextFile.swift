import CryptorPrimitives

/// A file of plaintext that is read once, to be encrypted.
struct PlaintextFile: ~Copyable {
    private var input: InputFile
    private let options: FileOptions
    private var progress: ProgressReporter

    init(opening source: FileEndpoint, _ options: FileOptions) throws(CryptorError) {
        let opening = ProgressReporter(options.progress, totalBytes: nil)
        let input = try InputFile(opening: source, settling: options.removesSource, progress: opening)
        if options.removesSource { try input.writeBackChanges() }
        self.progress = ProgressReporter(options.progress, totalBytes: input.byteCount)
        self.options = options
        self.input = input
    }

    consuming func encrypt(
        to destination: FileEndpoint, with credential: Credential, _ terms: OutputFile.Terms, asBase64: Bool
    ) throws(CryptorError) -> FileWork<Void> {
        var output = MessageOutput(try OutputFile.open(destination, terms, source: input, progress: progress))
        if asBase64 { output.writeText(.mail) }
        let header = try credential.freshHeader()
        let moved = (file: Moved(self), output: Moved(output))
        return FileWork(keySource: try credential.keySource(for: header)) { keys throws(CryptorError) in
            guard let keys else { preconditionFailure("a new message has keys") }
            var file = moved.file.take()
            try file.encrypt(header, keys, to: moved.output.take())
        }
    }

    private mutating func encrypt(
        _ header: Header, _ keys: KeyPair, to output: consuming MessageOutput
    ) throws(CryptorError) {
        var writer = try RelayedMessageWriter(header, keys: keys, concurrency: options.concurrency)
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
        try progress.complete()
        let isKept = try output.publish(progress)
        if options.removesSource { try input.remove(outputIsKept: isKept) }
    }
}
