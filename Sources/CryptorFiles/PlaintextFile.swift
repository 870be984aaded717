import CryptorSystem
import CryptorFormat
import CryptorPrimitives

/// A file of plaintext that is read once, to be encrypted.
enum PlaintextFile {
    static func encrypt(
        _ source: FileEndpoint, to destination: FileEndpoint, with credential: Credential, options: FileOptions,
        progress handler: FileProgress.Handler?
    ) throws(CryptorError) {
        var input = try InputFile(opening: source, progress: ProgressReporter(handler))
        var progress = ProgressReporter(handler, totalBytes: input.byteCount)
        let terms = OutputFile.Terms(
            overwriting: options.overwriting, takingAttributes: options.takingAttributes, changingOwner: true)
        var output = MessageOutput(try OutputFile.open(destination, terms, source: input, progress: progress))
        if options.base64 { output.writeText(.mail) }

        let header = try credential.freshHeader()
        var writer = try FileMessageWriter(header, keys: try credential.keys(for: header))
        var secondThread = SecondThread()
        try output.write(header.bytes, progress)
        var chunk: MessageChunk? = MessageChunk()
        while var next = chunk.take() {
            next.input.removeAll(keepingCapacity: true)
            try input.append(MessageChunk.byteCount, to: &next.input, &progress)
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
}
