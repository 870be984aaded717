package import CryptorFormat
import CryptorSystem

extension Cryptor {
    /// The longest message file that is read whole.
    fileprivate static let version0ByteLimit = 256 * 1024 * 1024

    /// Reads a message file whole, for the command, because it may be of version 0. Nothing is
    /// verified.
    /// - Throws: `messageTooLong` for more than 256 MiB, or the reason why the file cannot be read.
    package static func wholeMessage(
        at source: FileEndpoint, options: FileOptions, progress: ((FileProgress) throws -> Void)?
    ) throws(CryptorError) -> (message: [UInt8], isBase64: Bool) {
        try naming(source) { () throws(CryptorError) in
            var input = try InputFile.open(source, progress: ProgressReporter(progress))
            let message = try input.wholeMessage(options)
            return (message, input.isBase64)
        }
    }

    /// Reads a message file of version 0 whole, for the command, and verifies it. Then writes its
    /// plaintext or, with a new credential, a message of version 3. It replaces, removes and
    /// refuses files as do ``decryptFile(at:to:with:accepting:options:progress:)`` and
    /// ``rekeyFile(at:to:from:into:accepting:options:progress:)``.
    ///
    /// A message that turns out to have another version is read in the same way: if it can be read
    /// only once, its version shows too late to choose another way.
    /// - Parameters:
    ///   - destination: nil to write nothing.
    ///   - old: the credential that opens the message.
    ///   - new: nil to write the plaintext.
    ///   - accepting: the other versions to read.
    /// - Returns: the plaintext.
    /// - Throws: `messageTooLong` for more than 256 MiB, and the errors of those functions.
    @discardableResult
    package static func convertVersion0File(
        at source: FileEndpoint, to destination: FileEndpoint?, from old: Credential,
        into new: Credential? = nil, accepting: Acceptance, options: FileOptions,
        progress: ((FileProgress) throws -> Void)?
    ) throws(CryptorError) -> [UInt8] {
        try naming(source) { () throws(CryptorError) in
            let inPlace = destination.map { source.isSamePath(as: $0) } ?? false
            var input = try InputFile.open(source, progress: ProgressReporter(progress))
            if inPlace { try input.lockForReplacement() }
            guard let destination else {
                let message = try input.wholeMessage(options)
                return try plaintext(of: message, from: old, accepting: accepting)
            }
            var publication = try OutputFile.Publication(
                options, source: input, changingOwner: new != nil)
            publication.inPlace = inPlace
            // It is opened before anything is read: if it is refused, nothing of a pipe is lost.
            var output = try OutputFile.open(destination, publication, progress: input.progress)
            let plaintext: [UInt8]
            let contents: [UInt8]
            do throws(CryptorError) {
                let message = try input.wholeMessage(options)
                plaintext = try self.plaintext(of: message, from: old, accepting: accepting)
                contents = if let new { try encrypt(plaintext, with: new) } else { plaintext }
            } catch {
                throw output.abandoned(after: error)
            }
            if new != nil, let text = input.decoder {
                output.encoder = Base64Encoder(inLines: text.hasSeveralLines)
            }
            let isKept = try output.publish { (output) throws(CryptorError) in
                try output.write(contents)
            }
            if options.removingSource { try input.remove(outputIsKept: isKept) }
            return plaintext
        }
    }

    private static func plaintext(
        of message: [UInt8], from credential: Credential, accepting: Acceptance
    ) throws(CryptorError) -> [UInt8] {
        message.first == 0
            ? try decryptVersion0(message, with: credential)
            : try decrypt(message, with: credential, accepting: accepting)
    }
}

extension InputFile {
    /// All of the message.
    fileprivate mutating func wholeMessage(_ options: FileOptions) throws(CryptorError) -> [UInt8] {
        if options.base64 { try acceptBase64() }
        var message: [UInt8] = []
        try append(Cryptor.version0ByteLimit + 1, to: &message)
        guard message.count <= Cryptor.version0ByteLimit else {
            throw FileContext(.readingInput, name).failure(
                "It is larger than 256 MiB, the limit for a message that may be of version 0.",
                code: .messageTooLong)
        }
        try progress.complete()
        return message
    }
}
