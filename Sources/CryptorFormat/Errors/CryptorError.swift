/// The one error that this library throws.
///
/// Compare ``code``; ``description`` is a sentence for people: what happened, to which input, and what to do next. It
/// holds no secret and may change between releases.
public struct CryptorError: Error, Sendable {
    /// What kind of failure it is.
    public let code: Code

    /// What happened, without the name of the input.
    private(set) var sentence: String

    /// The file that was worked on, if it was one.
    var file: FileName?

    /// The path of the file that was worked on, if it was one. Bytes that are no UTF-8 have been replaced.
    public var path: String? { file?.path }

    /// Whether the output is in its place all the same, whole and as it should be: what failed came after that.
    public internal(set) var isPublished = false

    /// For errors of files: what was being done with it.
    public internal(set) var fileOperation: FileOperation?

    /// The system's error number (`errno(3)`), if a call of the system failed.
    public internal(set) var systemErrorNumber: Int32?

    /// For ``Code/authenticationFailed``: whether the message is of a version, and the password of a kind, of which some
    /// writers used only the beginning, so that ``Acceptance/shortenedPasswords`` may be what is missing. Says
    /// nothing of the message but its version: nobody has looked whether it would verify.
    public internal(set) var mayNeedShortenedPassword = false

    init(_ code: Code, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }

    /// The same error, and what stays behind all the same.
    func leaving(_ leftover: FileName) -> CryptorError {
        var error = self
        error.sentence += " \(leftover.shown) is left beside it, and cannot be removed."
        return error
    }

    /// The same error, and the name that somebody else's file has now.
    func renaming(_ other: FileName) -> CryptorError {
        var error = self
        error.sentence +=
            " A file that had the name is called \(other.shown) now: look at it, and give it its name again."
        return error
    }
}

extension CryptorError: CustomStringConvertible {
    /// A full sentence for people.
    public var description: String { file.map { "\($0.shown): \(sentence)" } ?? sentence }
}

extension CryptorError: Equatable {
    /// Two errors are equal if their codes are.
    public static func == (left: CryptorError, right: CryptorError) -> Bool { left.code == right.code }
}

extension CryptorError {
    /// The kinds of failure. More may come: a `switch` over them needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, such as "authenticationFailed".
        public let description: String

        private init(_ name: String) { self.description = name }

        /// The password has no bytes.
        public static let emptyPassword = Code("emptyPassword")
        /// A key does not have 32 bytes.
        public static let invalidKeyLength = Code("invalidKeyLength")
        /// There are fewer bytes than any message of this kind has.
        public static let messageTooShort = Code("messageTooShort")
        /// The ciphertext is not a multiple of 16 bytes.
        public static let invalidMessageLength = Code("invalidMessageLength")
        /// The first byte is not a version of the format that this library knows.
        public static let unsupportedVersion = Code("unsupportedVersion")
        /// The second byte has bits that the format does not define.
        public static let unsupportedOptions = Code("unsupportedOptions")
        /// The version is known, and the caller did not list it among those to accept.
        public static let versionNotAccepted = Code("versionNotAccepted")
        /// A password message was to be opened with keys, or a key message with a password.
        public static let credentialMismatch = Code("credentialMismatch")
        /// The input is text: what a message looks like after base64 encoding.
        public static let looksBase64Encoded = Code("looksBase64Encoded")
        /// Text that was to be base64 is not.
        public static let notBase64 = Code("notBase64")
        /// The HMAC does not match: wrong password or keys, or an altered message. The format cannot tell which.
        public static let authenticationFailed = Code("authenticationFailed")
        /// The HMAC matches and the padding is wrong: the message was made by a faulty program.
        public static let corruptPadding = Code("corruptPadding")
        /// The message exceeds a limit that the caller set.
        public static let messageTooLong = Code("messageTooLong")
        /// The span for the output has too little room. Nothing was consumed; this is the one error after which a
        /// stream goes on.
        public static let outputTooSmall = Code("outputTooSmall")
        /// A part of a plaintext was asked for that begins before it or after its end.
        public static let invalidRange = Code("invalidRange")
        /// OpenSSL has no random bytes to give.
        public static let randomnessUnavailable = Code("randomnessUnavailable")
        /// A call of OpenSSL failed.
        public static let cryptoLibraryFailure = Code("cryptoLibraryFailure")
        /// The system failed to open, read, write or publish a file.
        public static let inputOutput = Code("inputOutput")
        /// The destination exists and was not to be overwritten.
        public static let destinationExists = Code("destinationExists")
        /// Source and destination are the same file.
        public static let sameFile = Code("sameFile")
        /// A path holds a zero byte, or a URL is none of a file.
        public static let invalidPath = Code("invalidPath")
        /// The file has other names, which would go on with what was to be replaced.
        public static let severalNames = Code("severalNames")
        /// The output is complete, and the source was not removed as it should have been.
        public static let sourceKept = Code("sourceKept")
        /// Two tasks asked one asynchronous stream at the same time.
        public static let askedTwice = Code("askedTwice")
        /// The caller cancelled.
        public static let cancelled = Code("cancelled")
    }

    /// What was being done with a file when it failed.
    public enum FileOperation: Sendable {
        /// The source was being opened.
        case openingInput
        /// The source was being read.
        case readingInput
        /// The destination was being created.
        case creatingOutput
        /// The destination was being written or published.
        case writingOutput
    }
}
