import CryptorPrimitives

extension Credential {
    /// The same password with the keys of the messages in these files, derived together: where the processor has AVX-512
    /// that takes less time than one after the other. Four at a time are the least that is worth it, or a multiple.
    ///
    /// Only the start of each file is read, and only if it is a regular one. A file that cannot be read, is no message, or
    /// is another one when it is opened again has no keys prepared, or in vain: they are used for a message with the same
    /// salts only. They are cleansed with the last copy. Keys are returned as they are.
    /// - Parameters:
    ///   - sources: the files that will be read.
    ///   - accepting: the versions that will be read.
    ///   - acceptingBase64: whether a message in base64 text will be decoded.
    public func prepared(
        forMessagesAt sources: [FileEndpoint], accepting: Set<FormatVersion> = [.v3, .v2], acceptingBase64: Bool = false
    ) -> Credential {
        guard isPassword else { return self }
        let terms = ReadingTerms(credential: self, accepting: accepting)
        return prepared(for: sources.compactMap { try? terms.header(at: $0, acceptingBase64: acceptingBase64) })
    }
}

extension ReadingTerms {
    /// The header of a message in a file; nil if it is not certain that the file can be read again.
    fileprivate func header(at source: FileEndpoint, acceptingBase64: Bool) throws(CryptorError) -> Header? {
        guard let path = try source.filePath(), (try? FileSystem.status(of: path))?.kind == .regular else { return nil }
        // It may be a FIFO by now: what is interrupted while it waits gives up.
        var progress = ProgressReporter({ _ in throw CryptorError.cancelled }, totalBytes: nil)
        let file = try InputFile(opening: source, progress: progress)
        guard file.canBeReadTwice else { return nil }
        var input = try MessageInput(file, acceptingBase64: acceptingBase64, &progress)
        var start: [UInt8] = []
        try input.append(FormatSize.passwordHeader, to: &start, &progress)
        var terms = self
        terms.messageByteCount = input.byteCount
        return try withRawSpan(of: start) { (start) throws(CryptorError) in try terms.header(of: start) }
    }
}
