// Errors are equal if their codes are, so each of these stands for all errors with its code: in
// `catch CryptorError.authenticationFailed`, `error == .authenticationFailed`, and Swift Testing's
// `#expect(throws: CryptorError.authenticationFailed)`.
extension CryptorError {
    // Disfavoured, so that `catch .authenticationFailed` has one meaning where errors are typed.
    /// Lets `catch CryptorError.authenticationFailed` compile even where other errors may be
    /// thrown.
    @_disfavoredOverload
    public static func ~= (pattern: CryptorError, error: any Error) -> Bool {
        error as? CryptorError == pattern
    }

    /// Any error with the code ``Code/invalidCredential``.
    public static let invalidCredential = CryptorError(.invalidCredential)
    /// Any error with the code ``Code/invalidMessageLength``.
    public static let invalidMessageLength = CryptorError(.invalidMessageLength)
    /// Any error with the code ``Code/unsupportedVersion``.
    public static let unsupportedVersion = CryptorError(.unsupportedVersion)
    /// Any error with the code ``Code/versionNotAccepted``.
    public static let versionNotAccepted = CryptorError(.versionNotAccepted)
    /// Any error with the code ``Code/credentialMismatch``.
    public static let credentialMismatch = CryptorError(.credentialMismatch)
    /// Any error with the code ``Code/looksBase64Encoded``.
    public static let looksBase64Encoded = CryptorError(.looksBase64Encoded)
    /// Any error with the code ``Code/notBase64``.
    public static let notBase64 = CryptorError(.notBase64)
    // One text for both causes: the format cannot tell them apart, and an error must not pretend
    // that it can.
    /// Any error with the code ``Code/authenticationFailed``.
    public static let authenticationFailed = CryptorError(
        .authenticationFailed, "Wrong password or keys, or the message was altered.")
    /// Any error with the code ``Code/corruptPadding``.
    public static let corruptPadding = CryptorError(
        .corruptPadding,
        """
        The HMAC matches, but the padding is wrong: the program that wrote the message is faulty \
        or, in version 1, somebody altered the start of the message. Do not use any of it.
        """)
    /// Any error with the code ``Code/messageTooLong``.
    public static let messageTooLong = CryptorError(.messageTooLong)
    /// Any error with the code ``Code/outputTooSmall``.
    public static let outputTooSmall = CryptorError(.outputTooSmall)
    /// Any error with the code ``Code/invalidRange``.
    public static let invalidRange = CryptorError(.invalidRange)
    /// Any error with the code ``Code/cryptoLibraryFailure``.
    public static let cryptoLibraryFailure = CryptorError(.cryptoLibraryFailure)
    /// Any error with the code ``Code/inputOutput``.
    public static let inputOutput = CryptorError(.inputOutput)
    /// Any error with the code ``Code/destinationExists``.
    public static let destinationExists = CryptorError(.destinationExists)
    /// Any error with the code ``Code/sameFile``.
    public static let sameFile = CryptorError(.sameFile)
    /// Any error with the code ``Code/invalidPath``.
    public static let invalidPath = CryptorError(.invalidPath)
    /// Any error with the code ``Code/overloaded``.
    public static let overloaded = CryptorError(.overloaded)
    /// Any error with the code ``Code/cancelled``.
    public static let cancelled = CryptorError(.cancelled, "The call was cancelled.")
    /// Any error with the code ``Code/invalidKeyring``.
    public static let invalidKeyring = CryptorError(.invalidKeyring)
    /// Any error with the code ``Code/callbackFailed``.
    public static let callbackFailed = CryptorError(.callbackFailed)
    /// Any error with the code ``Code/concurrentUse``.
    public static let concurrentUse = CryptorError(.concurrentUse)
}
