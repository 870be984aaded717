#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension RNCryptor {
    /// Decrypts one password message of any version that RNCryptor 5 reads, which is version 3 only.
    ///
    /// After an error every later call throws that error again.
    public final class Decryptor: RNCryptorType {
        private let decryptor: DecryptorV3
        /// Whether the message is of version 3; nil before its first byte.
        private var isKnown: Bool?

        /// Begins to read a message. An empty password is wrong for every message.
        /// - Parameter password: a password, whose UTF-8 bytes are used without normalisation.
        public init(password: String) {
            decryptor = DecryptorV3(password: password)
        }

        /// Decrypts a whole message and ends the decryptor. Nothing is returned before the HMAC matched.
        ///
        /// Traps after a message was decrypted.
        /// - Throws: an ``Error``: `unknownHeader` for an empty message or one of another version, `messageTooShort`
        ///   for one of 1 to 33 bytes, `invalidCredentialType`, `hmacMismatch`, `memoryFailure`.
        public func decrypt(data: Data) throws -> Data {
            try result(for: data)
        }

        /// Decrypts a chunk of any size and returns **unverified** plaintext; the last 48 to 63 bytes stay held back.
        ///
        /// Traps after a message was decrypted.
        /// - Important: Anybody may have altered what this returns. Do not act on it until `finalData` has returned.
        /// - Throws: an ``Error``: `unknownHeader`, `invalidCredentialType`, `memoryFailure`, and `hmacMismatch` if the
        ///   password is empty.
        public func update(withData data: Data) throws -> Data {
            isKnown = isKnown ?? data.first.map { $0 == FormatV3.formatVersion }
            guard let isKnown else { return Data() }
            guard isKnown else { throw Error.unknownHeader }
            return try decryptor.update(withData: data)
        }

        /// Compares the HMAC, and only then returns the last 0 to 15 bytes of plaintext and ends the decryptor: a
        /// further call traps. Once this has returned, all plaintext that the decryptor returned is authentic.
        /// - Throws: an ``Error``: `hmacMismatch`, `messageTooShort`, `unknownHeader` if there was no byte,
        ///   `memoryFailure`, or the error that was thrown before. The plaintext that the decryptor returned must
        ///   not be used then.
        public func finalData() throws -> Data {
            isKnown = isKnown ?? false
            guard isKnown == true else { throw Error.unknownHeader }
            return try decryptor.finalData()
        }
    }
}
