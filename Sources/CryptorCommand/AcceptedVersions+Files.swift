import CryptorFiles

/// The library's functions for files. What may be of version 0, if that is accepted, is read whole.
extension AcceptedVersions {
    func decryptFile(
        at input: FileEndpoint, to output: FileEndpoint, with credential: Credential,
        options: FileOptions, progress: @escaping ProgressMeter.Handler
    ) throws(CryptorError) {
        if try mayBeVersion0(input) {
            try Cryptor.convertVersion0File(
                at: input, to: output, from: credential, accepting: inFull, options: options,
                progress: progress)
        } else {
            try Cryptor.decryptFile(
                at: input, to: output, with: credential, accepting: inFull, options: options,
                progress: progress)
        }
    }

    /// Decrypts a file into memory.
    /// - Returns: nil if the plaintext has more than `limit` bytes.
    func plaintext(
        ofFileAt input: FileEndpoint, with credential: Credential, atMost limit: Int,
        options: FileOptions, progress: @escaping ProgressMeter.Handler
    ) throws(CryptorError) -> [UInt8]? {
        var plaintext: [UInt8] = []
        if try mayBeVersion0(input) {
            plaintext = try Cryptor.convertVersion0File(
                at: input, to: nil, from: credential, accepting: inFull, options: options,
                progress: progress)
            return plaintext.count > limit ? nil : plaintext
        }
        do throws(CryptorError) {
            try Cryptor.decryptFile(
                at: input, with: credential, accepting: inFull, options: options,
                progress: progress
            ) { verified in
                plaintext += verified
                if plaintext.count > limit { throw CancellationError() }
            }
        } catch {
            guard plaintext.count > limit else { throw error }
            return nil
        }
        return plaintext
    }

    /// - Returns: the length of the plaintext.
    func verifyFile(
        at input: FileEndpoint, with credential: Credential, options: FileOptions,
        progress: @escaping ProgressMeter.Handler
    ) throws(CryptorError) -> Int {
        guard try mayBeVersion0(input) else {
            return try Cryptor.verifyFile(
                at: input, with: credential, accepting: inFull, options: options,
                progress: progress)
        }
        let plaintext = try Cryptor.convertVersion0File(
            at: input, to: nil, from: credential, accepting: inFull, options: options,
            progress: progress)
        return plaintext.count
    }

    /// Gives the message in a file another credential.
    /// - Parameters:
    ///   - reader: what opens the message; if `leavesNew`, first the new credential.
    ///   - leavesNew: whether a message that the new credential opens already stays as it is.
    /// - Returns: whether the message was written anew.
    func rekeyFile(
        at input: FileEndpoint, to output: FileEndpoint, from reader: Credential,
        into new: Credential, leavesNew: Bool, options: FileOptions,
        progress: @escaping ProgressMeter.Handler
    ) throws(CryptorError) -> Bool {
        if try mayBeVersion0(input) {
            try Cryptor.convertVersion0File(
                at: input, to: output, from: reader, into: new, accepting: inFull,
                options: options, progress: progress)
            return true
        }
        let opener = MessageOpener(credential: reader, accepting: inFull)
        return try Cryptor.rekeyFile(
            at: input, to: output, under: opener, into: new, options: options, progress: progress
        ) { message in
            leavesNew && message.credentialIndex == 0 && message.header.version == .written
        }
    }
}
