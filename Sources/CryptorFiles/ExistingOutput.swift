package import CryptorFormat
import CryptorSystem

/// An output that exists before the work, for example after an interrupted run, and its source.
package struct ExistingOutput {
    private let output: FileEndpoint
    private let source: FileEndpoint
    private let options: FileOptions
    private let progress: ((FileProgress) throws -> Void)?

    /// - Parameter options: how the output would be written.
    package init(
        at output: FileEndpoint, of source: FileEndpoint, options: FileOptions,
        progress: ((FileProgress) throws -> Void)?
    ) {
        self.output = output
        self.source = source
        self.options = options
        self.progress = progress
    }

    // MARK: Is it finished?

    /// Whether the output begins like the message that encryption would write, and has its length.
    /// No credential is needed for that, so nothing shows whether the message is authentic.
    /// - Returns: why it is not finished, or not known to be, as a sentence; nil if it is.
    /// - Throws: the reason why the source cannot be read.
    package func flaw(ofMessageUsingPassword usingPassword: Bool) throws(CryptorError) -> String? {
        guard try hasRegularSource else { return unknownLength }
        var input = try InputFile.open(source, progress: ProgressReporter(progress))
        // Some of the kernel's own files report a length of 0, too.
        let byteCount: Int
        if let known = input.byteCount {
            byteCount = known
        } else {
            byteCount = try input.countToEnd()
        }

        let messageByteCount = FormatVersion.written.messageByteCount(
            usingPassword: usingPassword, plaintextByteCount: byteCount)
        let expected =
            options.base64 ? Base64Encoder.textByteCount(of: messageByteCount) : messageByteCount
        return try flaw { (file) throws(CryptorError) in
            guard file.status.byteCount > 0 else { return "it is empty" }
            guard try beginsLikeMessage(&file, usingPassword: usingPassword) else {
                let secret = usingPassword ? "a password" : "keys"
                let text = options.base64 ? ", in base64 text" : ""
                let version = FormatVersion.written.rawValue
                return
                    "it does not begin like a message of version \(version) under \(secret)\(text)"
            }
            let byteCount = file.status.byteCount
            guard byteCount == expected else {
                let count = byteCount.counted("byte")
                return "it has \(count), but a message of \(source) has \(expected)"
            }
            // An output has the time of its source, or a later one. Where the source is to be
            // removed, the contents are compared.
            let isStale = input.status.isNewer(than: file.status) && !options.removingSource
            return isStale ? "\(source) was changed later" : nil
        }
    }

    /// Whether the output has the length of a plaintext that decryption would write.
    /// - Parameter accepting: the versions to read.
    /// - Returns: why it is not finished, or not known to be, as a sentence; nil if it is.
    /// - Throws: the reason why the source cannot be decrypted.
    package func flaw(ofPlaintextAccepting accepting: Acceptance) throws(CryptorError) -> String? {
        guard try hasRegularSource else { return unknownLength }
        let found = try Cryptor.inspectAnyVersion(
            source, accepting: accepting, options, progress: progress)
        guard case .message(let inspection) = found else {
            return """
                It already exists and was not changed. Its source is of version 0, so only \
                decryption could tell whether it is finished.
                """
        }
        guard let range = inspection.plaintextByteCount else {
            if let error = inspection.shapeError { throw error.naming(source.name) }
            return unknownLength
        }
        return try flaw { (file) throws(CryptorError) in
            let byteCount = file.status.byteCount
            guard !range.contains(byteCount) else { return nil }
            return """
                it has \(byteCount.counted("byte")), but the plaintext of \(source) has \
                \(range.lowerBound) to \(range.upperBound)
                """
        }
    }

    /// Only a regular file has a length, and waits for nobody when it is opened.
    private var hasRegularSource: Bool {
        get throws(CryptorError) { try source.status()?.kind == .regular }
    }

    private var unknownLength: String { unknown("its source has no known length.") }

    private func unknown(_ reason: String) -> String {
        "It already exists and was not changed. It is unclear whether it is finished: \(reason)"
    }

    private func beginsLikeMessage(
        _ file: inout InputFile, usingPassword: Bool
    ) throws(CryptorError) -> Bool {
        do throws(CryptorError) { if options.base64 { try file.acceptBase64() } } catch {
            guard error.code == .looksBase64Encoded else { throw error }
            return false
        }
        var start: [UInt8] = []
        try file.append(FormatVersion.longestHeaderByteCount, to: &start)
        guard let header = try? MessageHeader(parsing: start), header.version == .written else {
            return false
        }
        return header.usesPassword == usingPassword && file.isBase64 == options.base64
    }

    /// Opens the output and looks at it.
    /// - Parameter fault: that of the output; nil if it is as it would be written.
    private func flaw(
        _ fault: (inout InputFile) throws(CryptorError) -> String?
    ) throws(CryptorError) -> String? {
        let found: String?
        do throws(CryptorError) {
            var file = try InputFile.open(
                output, requiringTrust: true, progress: ProgressReporter(progress))
            // No output beside its source is written through a link.
            let isItself = try file.isUnchanged()
            if options.takingAttributes, !isItself {
                found = "it is a link or not a regular file"
            } else {
                found = try fault(&file)
            }
        } catch {
            guard error.code != .cancelled else { throw error }
            return unknown(error.whatHappened)
        }
        return found.map {
            "It already exists and was not changed, but is not the expected output: \($0)."
        }
    }

    // MARK: Removing the source

    /// Removes the source, a plaintext, if the output is a message of it: authentic under the
    /// credential, with the very contents of the source. The message is read once, under a keyring
    /// perhaps twice.
    /// - Returns: whether it was removed; false if its contents differ.
    /// - Throws: `inputOutput` if the source was kept for another reason.
    package func removePlaintextSource(with credential: Credential) throws(CryptorError) -> Bool {
        try keepingUnlessProved { () throws(CryptorError) in
            var plaintext = try open(source)
            return try Cryptor.withMessage(
                at: output, with: credential, accepting: Acceptance([.written]), options,
                progress: progress
            ) { (message) throws(CryptorError) in
                try requireTrust(message.input)
                try message.input.synchronize()
                guard try areEqual(&message, &plaintext) else { return false }
                try lockUnchanged(&message.input)
                try plaintext.remove { nil }
                return true
            }
        }
    }

    /// Removes the source, a message, if it is authentic under the credential, and the output has
    /// the very contents of its plaintext. The message is read once, under a keyring perhaps twice.
    /// - Returns: whether it was removed; false if the contents differ.
    /// - Throws: `inputOutput` if the source was kept for another reason.
    package func removeMessageSource(
        with credential: Credential, accepting: Acceptance
    ) throws(CryptorError) -> Bool {
        try keepingUnlessProved { () throws(CryptorError) in
            try Cryptor.withMessage(
                at: source, with: credential, accepting: accepting, options, progress: progress
            ) { (message) throws(CryptorError) in
                var plaintext = try open(output)
                try requireTrust(plaintext)
                try plaintext.synchronize()
                guard try areEqual(&message, &plaintext) else { return false }
                try lockUnchanged(&plaintext)
                try message.input.remove { nil }
                return true
            }
        }
    }

    /// Decrypts the message, and compares its plaintext with the other file, to the end of both.
    /// The verdict comes after the HMAC has matched, so nothing is concluded from unverified
    /// plaintext.
    private func areEqual(
        _ message: inout MessageFile, _ plaintext: inout InputFile
    ) throws(CryptorError) -> Bool {
        var isEqual = true
        var expected: [UInt8] = []
        try message.decrypt(verifyingFirst: false) { (part) throws(CryptorError) in
            expected.removeAll(keepingCapacity: true)
            try plaintext.append(part.count, to: &expected)
            isEqual = isEqual && part == expected
        }
        expected.removeAll(keepingCapacity: true)
        try plaintext.append(1, to: &expected)
        return isEqual && expected.isEmpty
    }

    /// Opens one of the two files, which was a regular one before the credential was read. A FIFO
    /// that took its place would wait for its writer.
    private func open(_ file: FileEndpoint) throws(CryptorError) -> InputFile {
        let context = FileContext(.openingInput, file.name)
        guard let status = try file.status() else { throw context.failure(of: .missing) }
        guard status.kind == .regular else {
            throw context.failure("It is no longer a regular file.")
        }
        let progress = progress
        return try InputFile.open(
            file,
            progress: ProgressReporter { _ in
                try progress?(FileProgress(bytesDone: 0, totalBytes: nil))
            })
    }

    /// In a directory for everybody, another user may have put an output there, and may remove it
    /// again.
    private func requireTrust(_ file: borrowing InputFile) throws(CryptorError) {
        guard try file.isTrusted() else {
            throw FileContext(.readingInput, output.name).failure(
                "Everybody can write to its directory, so another user may take it away again.")
        }
    }

    /// Locks the output and checks it once more. The function that removes the source does the same
    /// with the source.
    private func lockUnchanged(_ file: inout InputFile) throws(CryptorError) {
        let context = FileContext(.readingInput, output.name)
        do throws(SystemError) { try file.lock() } catch {
            guard error == .wouldBlock else { throw context.failure(of: error) }
            throw context.failure(
                "Another program is replacing or removing it right now.", because: error)
        }
        guard try file.isUnchanged() else {
            throw context.failure("It is a link, or was changed or replaced meanwhile.")
        }
    }

    /// Calls `work`, which removes the source, and says that the source was kept if it fails.
    private func keepingUnlessProved(
        _ work: () throws(CryptorError) -> Bool
    ) throws(CryptorError) -> Bool {
        do throws(CryptorError) { return try work() } catch {
            // If the output is complete, the error says itself why the source was kept.
            guard error.code != .cancelled, !error.isPublished else { throw error }
            throw FileContext(.readingInput, source.name).failure(
                "It was not removed, because the comparison with its output failed: "
                    + error.whatHappened)
        }
    }
}
