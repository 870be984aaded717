package import CryptorPrimitives

/// The one error that this library throws.
///
/// Compare ``code``; ``description`` is a sentence for people: what happened, to which input, and
/// what to do about it, if anything can be done. It contains no secret, and its wording may change
/// between releases.
///
/// ```swift
/// do {
///     return try Cryptor.decrypt(message, with: credential)
/// } catch .authenticationFailed {
///     print("Wrong password, or an altered message: nobody can tell which.")
/// } catch {
///     print(error.code, error)
/// }
/// ```
public struct CryptorError: Error, Equatable, CustomStringConvertible, Sendable {
    /// The kind of failure.
    public let code: Code

    /// What happened, without the name of the input.
    let sentence: String

    /// What a caller of this library can do about it, if a user of the command must do something
    /// else.
    let advice: String?

    /// The file that the error is about, if it is about a file.
    private(set) var file: FileName?

    /// The path of the file that the error is about, or a description such as `standard input` if
    /// the file has no path. Bytes that are not UTF-8 have been replaced.
    public var path: String? { file?.path }

    /// Whether the output is nevertheless complete, correct and in its place, because only a later
    /// step failed.
    public package(set) var isPublished = false

    /// An unfinished file that could not be removed; nil if nothing is left behind.
    package var leftBehind: FileName?

    /// For errors of files: the operation that failed.
    package var fileOperation: FileOperation?

    /// The system's error number (`errno(3)`), if a call of the system failed.
    public package(set) var systemErrorNumber: Int32?

    /// The error that the caller's closure threw, if the code is ``Code/callbackFailed``.
    /// ``description`` does not show it.
    public private(set) var underlyingError: (any Error)?

    /// Whether the caller's closure threw this very error. It is then not about a file of the call.
    private var isFromCallback = false

    /// For `versionNotAccepted`: the number of the version, if the whole message is known and
    /// nothing in it shows that it is something else. Accepting the version could then help.
    package var versionToAccept: UInt8?

    package init(_ code: Code, _ sentence: String, advice: String? = nil) {
        self.code = code
        self.sentence = sentence
        self.advice = advice
    }

    /// Creates an error as this library throws it, so that you can test how your program handles
    /// it.
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - path: the path of the file that it is about.
    ///   - systemErrorNumber: the system's error number (`errno(3)`), such as `ENOSPC`.
    ///   - isPublished: whether the output is complete despite the error.
    ///   - underlyingError: the error that a closure threw, for ``Code/callbackFailed``.
    public init(
        _ code: Code, path: String? = nil, systemErrorNumber: Int32? = nil,
        isPublished: Bool = false, underlyingError: (any Error)? = nil
    ) {
        self.init(code, "This error was made with the code '\(code)'.")
        file = path.map { FileName(path: $0.utf8) }
        self.systemErrorNumber = systemErrorNumber
        self.isPublished = isPublished
        self.underlyingError = underlyingError
    }

    /// The code of the `NSError` that Foundation makes of this error.
    public var _code: Int { code.number }

    /// A full sentence for people.
    public var description: String { advice.map { "\(whatHappened) \($0)" } ?? whatHappened }

    /// What happened, and to which input: ``description`` without the calls of this library that
    /// would help. It is for users of a program that has other words for these calls.
    package var whatHappened: String {
        let happened = file.map { "\($0.shown): \(sentence)" } ?? sentence
        guard let leftBehind else { return happened }
        return "\(happened) The unfinished \(leftBehind.shown) could not be removed: remove it."
    }

    /// What happened, without paths and without calls of this library: for clients, who must not
    /// learn how this machine is set up. It contains only what the client knows or has sent, such
    /// as the length of a message.
    public var summary: String {
        if file == nil { return sentence }
        guard sentence.hasPrefix("It ") else { return "A file: \(sentence)" }
        return "The file" + sentence.dropFirst(2)
    }

    /// Two errors are equal if their codes are.
    public static func == (left: CryptorError, right: CryptorError) -> Bool {
        left.code == right.code
    }
}

extension CryptorError {
    /// The kinds of failure. More may come: a `switch` over them needs a `default`.
    public struct Code: CaseIterable, Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, such as "authenticationFailed".
        public let description: String

        /// The code of the `NSError` that Foundation makes of the error. It does not change in
        /// later releases.
        let number: Int

        private init(_ name: String, _ number: Int) {
            self.description = name
            self.number = number
        }

        /// Lets `catch CryptorError.Code.authenticationFailed` compile even where other errors may
        /// be thrown.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? CryptorError)?.code == code
        }

        /// All codes of this release.
        public static let allCases: [Code] = [
            .invalidCredential, .invalidMessageLength, .unsupportedVersion, .versionNotAccepted,
            .credentialMismatch, .looksBase64Encoded, .notBase64, .authenticationFailed,
            .corruptPadding, .messageTooLong, .outputTooSmall, .invalidRange,
            .cryptoLibraryFailure, .inputOutput, .destinationExists, .sameFile, .invalidPath,
            .overloaded, .cancelled, .invalidKeyring, .callbackFailed, .concurrentUse,
        ]

        /// A password is empty, a key does not have 32 bytes, a number of iterations is out of
        /// range, or a credential that can only decrypt was used to encrypt.
        public static let invalidCredential = Code("invalidCredential", 1)
        /// No message of this kind has this length: it is too short, or its ciphertext is not a
        /// multiple of 16 bytes.
        public static let invalidMessageLength = Code("invalidMessageLength", 2)
        /// This library does not know the first two bytes, version and options.
        public static let unsupportedVersion = Code("unsupportedVersion", 3)
        /// The version is known, but the caller does not accept it.
        public static let versionNotAccepted = Code("versionNotAccepted", 4)
        /// Keys were given for a password message, a password for a key message, or only shortened
        /// readings for a message of version 3.
        public static let credentialMismatch = Code("credentialMismatch", 5)
        /// The input is text that looks like a base64-encoded message.
        public static let looksBase64Encoded = Code("looksBase64Encoded", 6)
        /// Text that should be base64 is not.
        public static let notBase64 = Code("notBase64", 7)
        /// The HMAC does not match: wrong password or keys, or an altered message. The format
        /// cannot tell which.
        public static let authenticationFailed = Code("authenticationFailed", 8)
        /// The HMAC matches, but the padding is wrong: a faulty program made the message. In
        /// version 1, somebody may instead have altered the IV or the encryption salt, which the
        /// HMAC does not cover. Reporting this error to an untrusted sender then reveals something
        /// about the plaintext.
        public static let corruptPadding = Code("corruptPadding", 9)
        /// The message exceeds a limit that the caller set.
        public static let messageTooLong = Code("messageTooLong", 10)
        /// The output span is too small. Neither `update` nor a function for whole messages has
        /// consumed anything, and this is the only error after which a stream can go on. `finish`
        /// into a span ends the stream even so.
        public static let outputTooSmall = Code("outputTooSmall", 11)
        /// A requested range begins before the plaintext or after its end.
        public static let invalidRange = Code("invalidRange", 12)
        /// An OpenSSL call failed, or OpenSSL has no random bytes.
        public static let cryptoLibraryFailure = Code("cryptoLibraryFailure", 13)
        /// The system failed to open, read, write or publish a file. If
        /// ``CryptorError/isPublished``, the output is complete, and only a later step failed: for
        /// example, the source could not be removed.
        public static let inputOutput = Code("inputOutput", 14)
        /// The destination exists, and the caller did not allow overwriting it.
        public static let destinationExists = Code("destinationExists", 15)
        /// Source and destination are the same file, or a file to be replaced has other names (hard
        /// links), which would keep its contents.
        public static let sameFile = Code("sameFile", 16)
        /// A path contains a zero byte, a URL is not a file URL, or a name in a `Directory` does
        /// not lead, or might not lead, to a regular file in that directory: there is a symbolic
        /// link, a `..`, a slash that is not allowed, or something that is not a file. Somebody may
        /// be trying to have another file read or written.
        public static let invalidPath = Code("invalidPath", 17)
        /// The pool is full, and refuses the work instead of queueing it.
        public static let overloaded = Code("overloaded", 18)
        /// The task was cancelled, or the caller's closure threw `CancellationError`.
        public static let cancelled = Code("cancelled", 19)
        /// The credentials do not form a keyring: see ``Credential/keyring(primary:previous:)``.
        public static let invalidKeyring = Code("invalidKeyring", 20)
        /// The caller's closure threw an error, which is in ``CryptorError/underlyingError``. A
        /// `CancellationError` becomes ``cancelled``, and a `CryptorError` is rethrown as it is,
        /// except for `isPublished`, which is about the output of this call.
        public static let callbackFailed = Code("callbackFailed", 21)
        /// Two tasks asked one asynchronous stream for its next bytes at the same time. They would
        /// get its pieces out of order, so the stream fails for both: let only one task ask.
        public static let concurrentUse = Code("concurrentUse", 22)
    }

    /// The operation on a file that failed, and the word for it: it cannot be "opened".
    package enum FileOperation: String, Sendable {
        /// The source was being opened.
        case openingInput = "opened"
        /// The source was being read.
        case readingInput = "read"
        /// The destination was being created.
        case creatingOutput = "created"
        /// The destination was being written or published.
        case writingOutput = "written"
        /// The file was being removed.
        case removing = "removed"
    }
}

// The sentences that are needed in several places. All others are where the error happens.
extension CryptorError {
    /// The error to throw for an error of the caller's closure.
    package static func fromCallback(_ thrown: any Error) -> CryptorError {
        if thrown is CancellationError { return .cancelled }
        if var own = thrown as? CryptorError {
            own.isFromCallback = true
            // The published output was not that of this call.
            own.isPublished = false
            return own
        }
        var error = CryptorError(
            .callbackFailed,
            "A closure that was passed in threw an error, which ended the operation.",
            advice: "See 'underlyingError'.")
        error.underlyingError = thrown
        return error
    }

    static func messageTooShort(byteCount: Int, minimum: Int) -> CryptorError {
        CryptorError(
            .invalidMessageLength,
            byteCount == 0
                ? """
                The message is empty: it was never written, or its contents were lost. Fetch \
                it again.
                """
                : """
                The message has \(byteCount.counted("byte")), but the shortest of its kind has \
                \(minimum). It is not an RNCryptor message, or its end is missing: fetch it again.
                """)
    }

    /// A failure of OpenSSL, with its reason.
    package static func openSSL(_ error: OpenSSLError) -> CryptorError {
        CryptorError(.cryptoLibraryFailure, "OpenSSL failed: \(error).")
    }

    /// The same error, naming the file that it happened to.
    package func naming(_ file: FileName) -> CryptorError {
        guard self.file == nil, !isFromCallback else { return self }
        var error = self
        error.file = file
        return error
    }
}

/// Calls OpenSSL through `body`, and throws its failures as errors of this library. OpenSSL's queue
/// of reasons stays as it was.
@inline(__always)
package func openSSL<Result: ~Copyable>(
    _ body: () throws(OpenSSLError) -> Result
) throws(CryptorError) -> Result {
    do throws(OpenSSLError) { return try keepingReasons(body) } catch { throw .openSSL(error) }
}

extension OutputRawSpan {
    /// - Throws: `outputTooSmall` unless there is room for `byteCount` bytes.
    @inline(__always)
    func requireRoom(for byteCount: Int) throws(CryptorError) {
        guard freeCapacity >= byteCount else {
            throw CryptorError(
                .outputTooSmall,
                """
                The output has room for \(freeCapacity.counted("byte")), but needs \(byteCount). \
                Pass a larger span.
                """
            )
        }
    }
}
