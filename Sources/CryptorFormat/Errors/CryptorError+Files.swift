import CryptorPrimitives

// What is said of files. The name of the file comes first in every description.
extension CryptorError {
    static func inputOutput(_ operation: FileOperation, _ name: String, _ error: SystemError) -> CryptorError {
        let doing =
            switch operation {
            case .openingInput: "It cannot be opened"
            case .readingInput: "It cannot be read"
            case .creatingOutput: "It cannot be created"
            case .writingOutput: "It cannot be written"
            }
        return file(.inputOutput, operation, name, "\(doing): \(error).", error.number)
    }

    static func destinationExists(_ name: String) -> CryptorError {
        file(
            .destinationExists, .creatingOutput, name,
            "It exists and was not touched. Choose another name, or allow it to be overwritten.")
    }

    static func sameFile(_ name: String) -> CryptorError {
        file(
            .sameFile, .creatingOutput, name,
            "It is both the source and the destination, and was not touched. Choose another destination.")
    }

    static func danglingLink(_ name: String) -> CryptorError {
        file(
            .inputOutput, .creatingOutput, name,
            "It is a symbolic link to a file that does not exist. Remove the link, or name the file itself.",
            SystemError.noSuchFile.number)
    }

    static func shrankWhileRead(_ name: String, byteCount: Int, expected: Int) -> CryptorError {
        file(
            .inputOutput, .readingInput, name,
            "It had \(expected) bytes and ended after \(byteCount): something shortened it meanwhile. Nothing of the "
                + "output may be used; try again.")
    }

    /// The second pass did not read what the first had verified.
    static func changedWhileRead(_ name: String) -> CryptorError {
        file(
            .authenticationFailed, .readingInput, name,
            "It was changed while it was being decrypted, after it had been verified. What came out before that is "
                + "authentic, and incomplete.")
    }

    /// A ``VerifiedFile`` did not read what had been verified.
    static func changedSinceOpened(_ name: String) -> CryptorError {
        file(
            .authenticationFailed, .readingInput, name,
            "It was changed after it had been opened and verified. What was read before that is authentic; open it anew to "
                + "read more.")
    }

    static func invalidRange(_ range: Range<Int>, of name: String, plaintextByteCount: Int) -> CryptorError {
        CryptorError(
            .invalidRange,
            "The range begins at \(range.lowerBound), and the plaintext has \(plaintextByteCount) bytes, counted from 0. "
                + "Ask for a range that begins within it."
        ).naming(name)
    }

    private static func file(
        _ code: Code, _ operation: FileOperation, _ name: String, _ sentence: String, _ number: Int32? = nil
    ) -> CryptorError {
        var error = CryptorError(code, sentence)
        error.path = name
        error.fileOperation = operation
        error.systemErrorNumber = number
        return error
    }
}

extension SystemError {
    static let exists = SystemError(number: EEXIST)
    static let isFolder = SystemError(number: EISDIR)
    static let noSuchFile = SystemError(number: ENOENT)
    static let wouldBlock = SystemError(number: EAGAIN)
}
