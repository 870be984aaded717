package import CryptorPrimitives

// The sentences of the library: what happened, and what to do next.
extension CryptorError {
    static let emptyPassword = CryptorError(
        .emptyPassword, "The password is empty. Give a password of at least one byte.")

    static func messageTooShort(byteCount: Int, minimum: Int) -> CryptorError {
        guard byteCount > 0 else {
            return CryptorError(
                .messageTooShort, "The message is empty: it was never written, or lost. Fetch it again.")
        }
        return CryptorError(
            .messageTooShort,
            "The message has \(byteCount) bytes, and the shortest of its kind has \(minimum). It is not a message of "
                + "this format or its end is missing: fetch it again.")
    }

    static func invalidMessageLength(byteCount: Int) -> CryptorError {
        CryptorError(
            .invalidMessageLength,
            "The message has \(byteCount) bytes, so its ciphertext is not a multiple of 16. Bytes were lost or added: "
                + "fetch it again, in binary.")
    }

    static func unsupportedVersion(_ byte: UInt8) -> CryptorError {
        CryptorError(
            .unsupportedVersion,
            "The first byte is \(byte), which is not a supported version of the format (0 to 3). The input is something else, "
                + "was damaged, or was written by a newer program.")
    }

    /// - Parameter name: what the input is, with an article, such as "a gzip file".
    static func foreign(_ name: String, advice: String) -> CryptorError {
        CryptorError(
            .unsupportedVersion, "The input starts like \(name), and unlike any message of this format. \(advice)")
    }

    static let onlyZeros = CryptorError(
        .unsupportedVersion,
        "The input starts with zeros only, and no message does: its contents were lost, or never written. Fetch it again."
    )

    static func messageTooLong(limit: Int) -> CryptorError {
        CryptorError(
            .messageTooLong,
            "The message is of an old version, and shortened readings of the password are accepted, so it has to be held back "
                + "to its end, and it is longer than the limit of \(limit) bytes. Raise the limit, decrypt it as a file, or "
                + "give the password as the bytes that were used.")
    }

    package static func messageTooLong(collecting limit: Int) -> CryptorError {
        CryptorError(
            .messageTooLong,
            "The message is longer than the limit of \(limit) bytes that it was to be collected up to. Raise the limit, or "
                + "decrypt it as a file.")
    }

    static let draftVersion = CryptorError(
        .unsupportedVersion,
        "The message starts as version 4, and version 4 is a draft that is not supported. Write it again as version 3.")

    static func unsupportedOptions(_ byte: UInt8) -> CryptorError {
        CryptorError(
            .unsupportedOptions,
            "The options byte is \(byte), and the format defines 0 (keys) and 1 (password) only. The message was "
                + "damaged or written by a faulty program.")
    }

    static let needsPassword = CryptorError(
        .credentialMismatch,
        "The message was encrypted with a password, and keys were given to open it. Give the password.")

    static let needsKeys = CryptorError(
        .credentialMismatch,
        "The message was encrypted with keys, and a password was given to open it. Give the two keys.")

    static let looksBase64Encoded = CryptorError(
        .looksBase64Encoded, "The input looks base64-encoded. Decode it first, then decrypt the bytes.",
        advice: "'Cryptor.message(fromBase64:)' decodes it.")

    package static func brokenBase64(offset: Int) -> CryptorError {
        CryptorError(
            .looksBase64Encoded,
            "The input starts as base64 text, but what is at byte \(offset) is not base64. Part of it was lost or altered: "
                + "fetch it again.")
    }

    static func notBase64(offset: Int) -> CryptorError {
        CryptorError(
            .notBase64,
            "What is at byte \(offset), counted from 0, is not base64. The text is not a message, or a part of it was lost or "
                + "altered: fetch it again.")
    }

    /// One text for both causes: the format cannot tell them apart, and an error must not pretend that it can.
    static let authenticationFailed = CryptorError(
        .authenticationFailed,
        "The HMAC does not match: the password or keys are wrong, or the message was altered. Check the credential, "
            + "then fetch the message again.")

    /// The same error for an old version and a password that is not ASCII. It also gives another possible cause, and
    /// what to do about it.
    static let authenticationFailedUnderAllBytes: CryptorError = {
        var error = CryptorError(
            .authenticationFailed,
            authenticationFailed.sentence
                + " Some writers of version 2 and older used only the beginning of a password that is not ASCII, as this one "
                + "is. Who reads their messages reads ones that anybody can forge as well: do so if you trust where the "
                + "message comes from, and encrypt it anew.",
            advice: "'Acceptance.shortenedPasswords' reads them.")
        error.mayNeedShortenedPassword = true
        return error
    }()

    static let corruptPadding = CryptorError(
        .corruptPadding,
        "The HMAC is right, and the padding is wrong: the program that wrote the message is faulty or, if the message is of "
            + "version 1, somebody altered its start. Nothing was decrypted.")

    static func outputTooSmall(needed: Int, available: Int) -> CryptorError {
        CryptorError(
            .outputTooSmall,
            "The output has room for \(available) bytes, and \(needed) are needed. Pass a larger span; "
                + "maximumOutputByteCount(for:) tells how large.")
    }

    package static let askedTwice = CryptorError(
        .askedTwice, "Two tasks asked the stream for its next bytes at the same time. Let one of them do so.")

    package static let overloaded = CryptorError(
        .overloaded, "The pool is full, and refuses what it has no place for. Nothing was begun. Try again later.")

    package static let cancelled = CryptorError(.cancelled, "It was cancelled, and no file was left behind.")

    /// An OpenSSL failure with its reason.
    static func cryptoLibraryFailure(_ error: OpenSSLError) -> CryptorError {
        let advice =
            error.isOfShortSalt
            ? " This OpenSSL refuses the 8-byte salts of the format: use keys, or a provider that takes them." : ""
        return CryptorError(.cryptoLibraryFailure, "OpenSSL failed: \(error).\(advice)")
    }

    static func randomnessUnavailable(_ error: OpenSSLError) -> CryptorError {
        CryptorError(
            .randomnessUnavailable,
            "OpenSSL has no random bytes: \(error). Nothing was encrypted. Check the system's random source.")
    }

    /// A failure of OpenSSL, or of its generators of random bytes.
    package static func openSSL(_ error: OpenSSLError) -> CryptorError {
        error.isOfRandomness ? .randomnessUnavailable(error) : .cryptoLibraryFailure(error)
    }

    /// The same error, naming the file that it happened to.
    package func naming(_ file: FileName) -> CryptorError {
        guard self.file == nil else { return self }
        var error = self
        error.file = file
        return error
    }
}

/// Calls OpenSSL through `body`, and throws its failure as an error of the library.
@inline(__always)
package func openSSL<Result: ~Copyable>(
    _ body: () throws(OpenSSLError) -> Result
) throws(CryptorError) -> Result {
    do throws(OpenSSLError) { return try body() } catch { throw .openSSL(error) }
}

extension OutputRawSpan {
    /// - Throws: `outputTooSmall` unless there is room for `byteCount` bytes.
    @inline(__always)
    package func requireRoom(for byteCount: Int) throws(CryptorError) {
        guard freeCapacity >= byteCount else { throw .outputTooSmall(needed: byteCount, available: freeCapacity) }
    }
}
