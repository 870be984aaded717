/// The one error that this library throws.
///
/// Compare ``code``; ``description`` is a sentence for people: what happened, to which input, and what to do about
/// it where something can be done. It holds no secret and may change between releases.
public struct CryptorError: Error, Sendable {
    /// What kind of failure it is.
    public let code: Code

    /// What happened, without the name of the input.
    private(set) var sentence: String

    /// What a caller of this library can do about it, where that differs for a user of the command.
    let advice: String?

    /// The file that was worked on, if it was one.
    var file: FileName?

    /// The path of the file that was worked on, or what it is called if it has none, such as `standard input`. Bytes that are
    /// no UTF-8 have been replaced.
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

    /// Whether somebody else's file came to have the name of the output meanwhile.
    var isOfAnotherFile = false

    init(_ code: Code, _ sentence: String, advice: String? = nil) {
        self.code = code
        self.sentence = sentence
        self.advice = advice
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

extension CryptorError {
    /// What Foundation takes for the code of an `NSError`: ``Code/number``.
    public var _code: Int { code.number }
}

extension CryptorError: CustomStringConvertible {
    /// A full sentence for people.
    public var description: String { advice.map { "\(whatHappened) \($0)" } ?? whatHappened }

    /// What happened, and to which input: ``description`` without the calls of this library that would help, for users of a
    /// program that has other words for them.
    public var whatHappened: String { file.map { "\($0.shown): \(sentence)" } ?? sentence }
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

        /// For where only a number fits, such as the code of an `NSError`. It stays what it is in later releases.
        public let number: Int

        private init(_ name: String, _ number: Int) {
            self.description = name
            self.number = number
        }

        /// So that this compiles, whatever else may be thrown: `catch CryptorError.Code.authenticationFailed`.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? CryptorError)?.code == code }

        /// The password has no bytes.
        public static let emptyPassword = Code("emptyPassword", 1)
        /// A key does not have 32 bytes.
        public static let invalidKeyLength = Code("invalidKeyLength", 2)
        /// There are fewer bytes than any message of this kind has.
        public static let messageTooShort = Code("messageTooShort", 3)
        /// The ciphertext is not a multiple of 16 bytes.
        public static let invalidMessageLength = Code("invalidMessageLength", 4)
        /// The first byte is not a version of the format that this library knows.
        public static let unsupportedVersion = Code("unsupportedVersion", 5)
        /// The second byte has bits that the format does not define.
        public static let unsupportedOptions = Code("unsupportedOptions", 6)
        /// The version is known, and the caller did not list it among those to accept.
        public static let versionNotAccepted = Code("versionNotAccepted", 7)
        /// A password message was to be opened with keys, or a key message with a password.
        public static let credentialMismatch = Code("credentialMismatch", 8)
        /// The input is text: what a message looks like after base64 encoding.
        public static let looksBase64Encoded = Code("looksBase64Encoded", 9)
        /// Text that was to be base64 is not.
        public static let notBase64 = Code("notBase64", 10)
        /// The HMAC does not match: wrong password or keys, or an altered message. The format cannot tell which.
        public static let authenticationFailed = Code("authenticationFailed", 11)
        /// The HMAC matches and the padding is wrong: the message was made by a faulty program. In version 1 its IV or its
        /// encryption salt may have been altered as well, which the HMAC does not cover: who tells a stranger of it there tells
        /// him something of the plaintext.
        public static let corruptPadding = Code("corruptPadding", 12)
        /// The message exceeds a limit that the caller set.
        public static let messageTooLong = Code("messageTooLong", 13)
        /// The span for the output has too little room. Of `update` and of whole messages, nothing was consumed, and this is
        /// the one error after which a stream goes on. A `finish` into a span ends the stream all the same.
        public static let outputTooSmall = Code("outputTooSmall", 14)
        /// A part of a plaintext was asked for that begins before it or after its end.
        public static let invalidRange = Code("invalidRange", 15)
        /// OpenSSL has no random bytes to give.
        public static let randomnessUnavailable = Code("randomnessUnavailable", 16)
        /// A call of OpenSSL failed.
        public static let cryptoLibraryFailure = Code("cryptoLibraryFailure", 17)
        /// The system failed to open, read, write or publish a file.
        public static let inputOutput = Code("inputOutput", 18)
        /// The destination exists and was not to be overwritten.
        public static let destinationExists = Code("destinationExists", 19)
        /// Source and destination are the same file.
        public static let sameFile = Code("sameFile", 20)
        /// A path holds a zero byte, or a URL is none of a file.
        public static let invalidPath = Code("invalidPath", 21)
        /// The file has other names, which would go on with what was to be replaced.
        public static let severalNames = Code("severalNames", 22)
        /// The output is complete, and the source was not removed as it should have been.
        public static let sourceKept = Code("sourceKept", 23)
        /// Two tasks asked one asynchronous stream at the same time.
        public static let askedTwice = Code("askedTwice", 24)
        /// A pool that refuses what it has no place for was full.
        public static let overloaded = Code("overloaded", 26)
        /// A deadline passed before the work was done.
        public static let timedOut = Code("timedOut", 27)
        /// What was named in an ``OpenFolder`` is not, or need not be, a regular file in it: there is a symbolic link, a `..`, a slash
        /// where there is to be none, or something else that is no file. Somebody may want something else to be read or written.
        public static let notInFolder = Code("notInFolder", 28)
        /// The caller cancelled.
        public static let cancelled = Code("cancelled", 25)
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
