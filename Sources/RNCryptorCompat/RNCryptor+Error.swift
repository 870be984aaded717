import CryptorFormat

extension RNCryptor {
    /// The errors of decryption. Encryption throws nothing.
    public enum Error: Int, Swift.Error {
        /// The password or keys are wrong, or the message was altered, cut off or made by a faulty program. The format
        /// cannot tell a wrong credential from an altered message, and this error does not tell them from the other
        /// causes.
        case hmacMismatch = 1

        /// The first byte is not 3, or there is none: the input is not a message, is one of another version, or is
        /// still base64-encoded.
        case unknownHeader = 2

        /// The message ended within its header: 34 bytes with a password, 18 with keys.
        case messageTooShort

        /// OpenSSL failed, probably because memory ran out: no other cause is known.
        case memoryFailure

        /// A key message was to be opened with a password, or a password message with keys.
        case invalidCredentialType

        /// What RNCryptor throws for a message whose header is complete and known, where CryptorFormat throws `error`.
        ///
        /// RNCryptor checks only the HMAC then, so a length that no message has is a mismatch. Wrong padding under a
        /// right HMAC, which RNCryptor accepts, is a mismatch as well: code that handles that case does not trust the
        /// data.
        init(_ error: CryptorError) {
            switch error.code {
            case .authenticationFailed, .corruptPadding, .invalidMessageLength: self = .hmacMismatch
            default: self = .memoryFailure
            }
        }
    }
}
