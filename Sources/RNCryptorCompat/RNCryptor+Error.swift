import CryptorFormat

extension RNCryptor {
    /// What decryption throws. Encryption throws nothing.
    public enum Error: Int, Swift.Error {
        /// Wrong password or keys, or a message that was altered, cut off or made by a faulty program. The format cannot
        /// tell the first from the second, and this does not tell them from the others.
        case hmacMismatch = 1

        /// The first byte is not 3, or there is none: not a message, one of another version, or one that is still
        /// base64-encoded.
        case unknownHeader = 2

        /// The message ended within its header: 34 bytes with a password, 18 with keys.
        case messageTooShort

        /// OpenSSL failed: for want of memory, as nothing else is known to make it fail.
        case memoryFailure

        /// A key message was to be opened with a password, or a password message with keys.
        case invalidCredentialType

        /// What RNCryptor throws for a message whose header is complete and known, where CryptorFormat throws `error`.
        ///
        /// RNCryptor looks at nothing but the HMAC then, so a length that no message has is a mismatch. Wrong padding
        /// under a right HMAC, which RNCryptor lets pass, is one as well: whoever handles that case distrusts the data.
        init(_ error: CryptorError) {
            switch error.code {
            case .authenticationFailed, .corruptPadding, .messageTooShort, .invalidMessageLength: self = .hmacMismatch
            default: self = .memoryFailure
            }
        }
    }
}
