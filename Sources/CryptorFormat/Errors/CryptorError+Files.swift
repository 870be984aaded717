import CryptorPrimitives

// The errors of files. The name of the file comes first in every description.
extension CryptorError {
    static func inputOutput(_ operation: FileOperation, _ name: FileName, because error: SystemError) -> CryptorError {
        let doing =
            switch operation {
            case .openingInput: "It cannot be opened"
            case .readingInput: "It cannot be read"
            case .creatingOutput: "It cannot be created"
            case .writingOutput: "It cannot be written"
            }
        return file(.inputOutput, while: operation, name: name, "\(doing): \(error).", number: error.number)
    }

    static func destinationExists(_ name: FileName) -> CryptorError {
        file(
            .destinationExists, while: .creatingOutput, name: name,
            "It exists and was not touched.", advice: "Choose another name, or allow it to be overwritten.")
    }

    /// The file that the output was to replace is no longer the one that was read.
    static func sourceChanged(_ name: FileName) -> CryptorError {
        file(
            .inputOutput, while: .writingOutput, name: name,
            "It was changed, moved or exchanged while it was being worked on, and was not replaced. Try again.")
    }

    static func sameFile(_ name: FileName) -> CryptorError {
        file(
            .sameFile, while: .creatingOutput, name: name,
            "It is both the source and the destination, and was not touched. Choose another destination.")
    }

    static func danglingLink(_ name: FileName) -> CryptorError {
        file(
            .inputOutput, while: .creatingOutput, name: name,
            "It is a symbolic link to a file that does not exist. Remove the link, or name the file itself.",
            number: SystemError.noSuchFile.number)
    }

    static func missingFolder(_ name: FileName) -> CryptorError {
        file(
            .inputOutput, while: .creatingOutput, name: name,
            "It would be in a folder that does not exist. Make the folder first, or name another.",
            number: SystemError.noSuchFile.number)
    }

    /// The path goes through another user's link in a folder that everybody can write to.
    static func foreignLink(_ operation: FileOperation, _ name: FileName) -> CryptorError {
        file(
            .inputOutput, while: operation, name: name,
            "It is, or its path goes through, a symbolic link that another user put into a folder that everybody may write to. "
                + "If it is the file that you mean, name the file itself.", number: SystemError.notPermitted.number)
    }

    /// The path has a link below a folder, where the caller allows none.
    static func linkBelowFolder(_ operation: FileOperation, _ name: FileName) -> CryptorError {
        file(
            .notInFolder, while: operation, name: name,
            "It is, or its path goes through, a symbolic link, and no link is followed below the folder that was named. If it "
                + "is the file that you mean, name the file itself.", number: SystemError.leadsElsewhere.number)
    }

    /// The file is not a regular one, and the caller allows no others below the folder.
    static func irregularBelowFolder(_ operation: FileOperation, _ name: FileName) -> CryptorError {
        file(
            .notInFolder, while: operation, name: name,
            "It is not a regular file, and nothing else is read or written below the folder that was named. If you mean it, name "
                + "it by itself.")
    }

    static func leased(_ operation: FileOperation, _ name: FileName) -> CryptorError {
        file(
            .inputOutput, while: operation, name: name,
            "Another program has a lease on it, and does not give it back. Try again later.",
            number: SystemError.busy.number)
    }

    static func folderWithoutPath(_ name: FileName) -> CryptorError {
        file(.invalidPath, while: .openingInput, name: name, "It is not a folder with a path. Give the path of one.")
    }

    /// The destination is another user's FIFO or device in a folder that everybody can write to.
    static func foreignStream(_ name: FileName) -> CryptorError {
        file(
            .inputOutput, while: .creatingOutput, name: name,
            "It is not a regular file, and another user put it into a folder that everybody may write to: that user might get all "
                + "that is written. Choose another name.", number: SystemError.notPermitted.number)
    }

    /// The output that is written beside a source has to be a regular file.
    static func notRegular(_ name: FileName) -> CryptorError {
        file(
            .inputOutput, while: .creatingOutput, name: name,
            "It exists, is not a regular file, and was not touched: an output beside its source is a regular file. If you mean "
                + "it, name it as the output.", number: SystemError.exists.number)
    }

    /// The file was removed and is still open somewhere, or never had a name.
    static func nameless(_ name: FileName) -> CryptorError {
        file(
            .inputOutput, while: .creatingOutput, name: name,
            "It is an open file without a name, so no other file can take its place. Name its descriptor, or another file.",
            number: SystemError.noSuchFile.number)
    }

    /// Another file has taken the name since the destination was looked up.
    static func destinationChanged(_ name: FileName) -> CryptorError {
        file(
            .inputOutput, while: .creatingOutput, name: name,
            "Another file came to have the name meanwhile, and was not touched. Look at it, and try again.",
            number: SystemError.exists.number)
    }

    /// The file system lets other users read a file that only its owner may read.
    static func notPrivate(_ name: FileName) -> CryptorError {
        file(
            .inputOutput, while: .creatingOutput, name: name,
            "The file system lets others read it, whatever its permissions are to be. Choose a folder on another one.",
            number: SystemError.notPermitted.number)
    }

    static func invalidPath(
        _ operation: FileOperation, _ name: FileName, because error: SystemError
    ) -> CryptorError {
        switch error {
        case .leadsElsewhere:
            return file(
                .notInFolder, while: operation, name: name,
                "It would lead out of its folder, by a slash or '..'. Check where the name comes from."
            )
        case .holdsZero:
            return file(
                .invalidPath, while: operation, name: name,
                "It contains a zero byte, which no file name does. Check where the name comes from.")
        default: return inputOutput(operation, name, because: error)
        }
    }

    /// The error names only the scheme of the URL, because the rest may hold a password.
    static func notFileURL(scheme: String?) -> CryptorError {
        CryptorError(
            .invalidPath,
            "\(scheme.map { "A URL that begins with \($0):" } ?? "A relative URL") was given, and it names no file. Give one "
                + "that begins with file:, or a path.")
    }

    static func severalNames(_ name: FileName, count: Int) -> CryptorError {
        file(
            .severalNames, while: .openingInput, name: name,
            "It has \(count) names (hard links), and was not touched: under the others the old password or keys would go on to "
                + "open it. Choose another destination.")
    }

    /// The path of a file that is to be replaced in place is that of a link.
    static func linkInPlace(_ name: FileName) -> CryptorError {
        file(
            .inputOutput, while: .openingInput, name: name,
            "It is a symbolic link, and was not touched: only a file itself can be replaced. Name the file that it leads to.",
            number: SystemError.tooManyLinks.number)
    }

    static func notRegularInPlace(_ name: FileName) -> CryptorError {
        file(
            .inputOutput, while: .openingInput, name: name,
            "It is not a regular file, so no other can take its place. Choose another destination.")
    }

    /// Somebody else holds the lock of a file that is to be replaced in place.
    static func locked(_ name: FileName) -> CryptorError {
        file(
            .inputOutput, while: .openingInput, name: name,
            "It is being replaced by another program at this moment, and was not touched. Try again.",
            number: SystemError.wouldBlock.number)
    }

    // MARK: After the output is in its place

    /// The name of the output could not be made durable.
    static func notDurable(_ name: FileName, _ error: SystemError) -> CryptorError {
        file(
            .inputOutput, while: .writingOutput, name: name,
            "It is complete and has its name. Whether the name outlives a power failure is not certain: \(error).",
            number: error.number, isPublished: true)
    }

    /// The temporary name of the output cannot be removed. It has one if the system has no files without names.
    static func secondNameStays(_ name: FileName, second: FileName, because error: SystemError) -> CryptorError {
        file(
            .inputOutput, while: .writingOutput, name: name,
            "It is complete and has its name. In the same folder it also has the name \(second.shown), which cannot be "
                + "removed: \(error). Remove that one.", number: error.number, isPublished: true)
    }

    enum SourceKept {
        case descriptor, notRegular, outputIsStream, changed, exchanged, otherNames(Int), failure(SystemError)
        /// The source still has the other name that it was given in order to be removed.
        case renamed(FileName)

        fileprivate var reason: String {
            switch self {
            case .descriptor: "it was given as a descriptor, whose name is not known"
            case .notRegular: "it is a link, or not a regular file"
            case .outputIsStream: "the output is not a regular file, so nobody knows where it is kept"
            case .changed: "it was changed meanwhile, and the output may not have all of that"
            case .exchanged: "another file has its name now"
            case .otherNames(let count): "it has \(count) names (hard links), and would go on under the others"
            case .failure(let error): "\(error)"
            case .renamed(let other): "it is called \(other.shown) now, and another file has its name"
            }
        }
    }

    static func sourceKept(_ name: FileName, _ cause: SourceKept) -> CryptorError {
        var number: Int32?
        if case .failure(let error) = cause { number = error.number }
        return file(
            .sourceKept, while: .readingInput, name: name,
            "Its output is complete. It was not removed: \(cause.reason).", number: number, isPublished: true)
    }

    // MARK: While the source is read

    static func messageTooLong(spooling limit: Int, in folder: FileName) -> CryptorError {
        CryptorError(
            .messageTooLong,
            "The message is read from what can be read once only, so it is kept in \(folder.shown) until it is verified, and "
                + "it is longer than the limit of \(limit) bytes for that.",
            advice: "Raise the limit, set TMPDIR to a folder with more room, or read the message from a file.")
    }

    static func shrankWhileRead(_ name: FileName, byteCount: Int, expected: Int) -> CryptorError {
        file(
            .inputOutput, while: .readingInput, name: name,
            "It had \(expected) bytes and ended after \(byteCount): something shortened it meanwhile. Nothing of the "
                + "output may be used; try again.")
    }

    /// The system reports a length that the file does not have, as it does for those of sysfs(5).
    static func shorterThanItSays(_ name: FileName, byteCount: Int, expected: Int) -> CryptorError {
        file(
            .inputOutput, while: .readingInput, name: name,
            "It says that it has \(expected) bytes and ended after \(byteCount), as files of the kernel's own do. Nothing of the "
                + "output may be used; pass it through a pipe.")
    }

    /// The second pass did not read what the first had verified. The caller names the file.
    static var changedWhileRead: CryptorError {
        file(
            .authenticationFailed, while: .readingInput, name: nil,
            "It was changed while it was being decrypted, after it had been verified. What came out before that is "
                + "authentic, and incomplete.")
    }

    /// A ``VerifiedFile`` did not read what had been verified.
    static func changedSinceOpened(_ name: FileName) -> CryptorError {
        file(
            .authenticationFailed, while: .readingInput, name: name,
            "It was changed after it had been opened and verified. What was read before that is authentic; open it anew to "
                + "read more.")
    }

    static func invalidRange(_ range: Range<Int>, of name: FileName, plaintextByteCount: Int) -> CryptorError {
        CryptorError(
            .invalidRange,
            "The range begins at \(range.lowerBound), and the plaintext has \(plaintextByteCount) bytes, counted from 0. "
                + "Ask for a range that begins within it."
        ).naming(name)
    }

    private static func file(
        _ code: Code, while operation: FileOperation, name: FileName?, _ sentence: String, advice: String? = nil,
        number: Int32? = nil, isPublished: Bool = false
    ) -> CryptorError {
        var error = CryptorError(code, sentence, advice: advice)
        error.file = name
        error.fileOperation = operation
        error.systemErrorNumber = number
        error.isPublished = isPublished
        return error
    }
}

extension SystemError {
    static let exists = SystemError(number: EEXIST)
    static let tooManyLinks = SystemError(number: ELOOP)
    static let noSuchFile = SystemError(number: ENOENT)
    static let wouldBlock = SystemError(number: EAGAIN)
    static let busy = SystemError(number: EBUSY)
    static let hasNoReader = SystemError(number: ENXIO)
}
