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
    ///   - leavesNew: whether a message of the latest version, in its place, stays as it is if the
    ///     new credential opens it already.
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
        if leavesNew {
            let isRewritten = try Cryptor.rotateFile(
                at: input, with: reader, accepting: inFull, options: options, progress: progress)
            if isRewritten { return true }
            // The new credential opens it, whatever its version is.
            let inspection = try Cryptor.inspectFile(
                at: input, options: options, progress: Interruption.check)
            if inspection.header.version == .written { return false }
        }
        try Cryptor.rekeyFile(
            at: input, to: output, from: reader, into: new, accepting: inFull, options: options,
            progress: progress)
        return true
    }
}
