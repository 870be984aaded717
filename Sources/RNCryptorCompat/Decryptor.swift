import CryptorFormat

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension RNCryptor {
    /// Decrypts one password message of any version that RNCryptor 5 reads: only version 3.
    ///
    /// It cannot be used again: after a message was decrypted, every later call throws
    /// `hmacMismatch`; after an error, it throws that error again.
    public final class Decryptor: RNCryptorType {
        private let decryptor: DecryptorV3
        /// Whether the message is of version 3; nil before its first byte.
        private var isKnown: Bool?

        /// Begins to read a message. An empty password is wrong for every message.
        /// - Parameter password: a password, whose UTF-8 bytes are used without normalisation.
        public init(password: String) {
            decryptor = DecryptorV3(password: password)
        }

        /// Decrypts a whole message and ends the decryptor. Nothing is returned before the HMAC
        /// matched.
        /// - Throws: an ``Error``: `unknownHeader` for an empty message or one of another version,
        ///   `messageTooShort` for one of 1 to 33 bytes, `invalidCredentialType`, `hmacMismatch`,
        ///   `memoryFailure`.
        public func decrypt(data: Data) throws -> Data {
            try result(for: data)
        }

        /// See ``DecryptorV3/update(withData:)``. It also throws `unknownHeader` as soon as the
        /// first byte is not 3.
        public func update(withData data: Data) throws -> Data {
            isKnown = isKnown ?? data.first.map { $0 == FormatV3.formatVersion }
            guard let isKnown else { return Data() }
            guard isKnown else { throw Error.unknownHeader }
            return try decryptor.update(withData: data)
        }

        /// See ``DecryptorV3/finalData()``. It also throws `unknownHeader` if there was no byte.
        public func finalData() throws -> Data {
            isKnown = isKnown ?? false
            guard isKnown == true else { throw Error.unknownHeader }
            return try decryptor.finalData()
        }
    }

    /// Decrypts one message of version 3, with a password or with keys.
    ///
    /// It cannot be used again: after a message was decrypted, every later call throws
    /// `hmacMismatch`; after an error, it throws that error again.
    public final class DecryptorV3: RNCryptorType {
        private enum State {
            /// The header is incomplete; these bytes of it have arrived.
            case header([UInt8])
            case body
            /// Every further call throws this.
            case ended(Error)
        }

        /// Nil for an empty password.
        private let credential: Credential?
        private let options: UInt8
        private let headerSize: Int
        private var state = State.header([])
        /// Set from the state `body` on, until the decryptor has finished.
        private var decryptor: CryptorFormat.Decryptor?

        /// Begins to read a message. An empty password is wrong for every message.
        /// - Parameter password: a password, whose UTF-8 bytes are used without normalisation.
        public init(password: String) {
            credential = password.isEmpty ? nil : Credential(password: password)
            options = 1
            headerSize = FormatV3.passwordHeaderSize
        }

        /// Traps unless each key has `FormatV3.keySize` bytes, 32.
        public init(encryptionKey: Data, hmacKey: Data) {
            credential = Credential(encryptionKey: encryptionKey, hmacKey: hmacKey)
            options = 0
            headerSize = FormatV3.keyHeaderSize
        }

        /// Decrypts a whole message and ends the decryptor. Nothing is returned before the HMAC
        /// matched.
        /// - Throws: an ``Error``: `messageTooShort` for a message shorter than its header, 34
        ///   bytes with a password and 18 with keys, `unknownHeader`, `invalidCredentialType`,
        ///   `hmacMismatch`, `memoryFailure`.
        public func decrypt(data: Data) throws -> Data {
            try result(for: data)
        }

        /// Decrypts a chunk of any size and returns **unverified** plaintext; the last 48 to 63
        /// bytes stay held back.
        /// - Important: Anybody may have altered this plaintext. Do not act on it until `finalData`
        ///   has returned.
        /// - Throws: an ``Error``: `unknownHeader`, `invalidCredentialType`, `memoryFailure`, and
        ///   `hmacMismatch` if the password is empty.
        public func update(withData data: Data) throws -> Data {
            try untilTheEnd { () throws(Error) in
                guard case .header(var header) = state else { return try plaintext(of: data) }
                let rest = data.dropFirst(headerSize - header.count)
                header.append(contentsOf: data.prefix(headerSize - header.count))
                state = .header(header)
                guard header.count == headerSize else { return Data() }
                try begin(header)
                return try plaintext(of: rest)
            }
        }

        /// Compares the HMAC, and only then returns the last 0 to 15 bytes of plaintext and ends
        /// the decryptor. Once this has returned, all plaintext that the decryptor returned is
        /// authentic.
        /// - Throws: an ``Error``: `hmacMismatch`, `messageTooShort`, `memoryFailure`, or the error
        ///   that was thrown before. Then do not use the plaintext that the decryptor returned.
        public func finalData() throws -> Data {
            try untilTheEnd { () throws(Error) in
                if case .header = state { throw .messageTooShort }
                var plaintext: [UInt8] = []
                try converting { () throws(CryptorError) in
                    try decryptor.take()?.finish(into: &plaintext)
                }
                // RNCryptor then compares the HMAC with nothing.
                state = .ended(.hmacMismatch)
                return Data(plaintext)
            }
        }

        /// Ends the decryptor with the first error.
        private func untilTheEnd(_ body: () throws(Error) -> Data) throws(Error) -> Data {
            if case .ended(let error) = state { throw error }
            do throws(Error) {
                return try body()
            } catch {
                state = .ended(error)
                throw error
            }
        }

        /// Checks a header as RNCryptor does: only once it is complete, and by its first two bytes.
        private func begin(_ header: [UInt8]) throws(Error) {
            guard header[0] == FormatV3.formatVersion else { throw .unknownHeader }
            guard header[1] == options else { throw .invalidCredentialType }
            guard let credential else { throw .hmacMismatch }
            state = .body
            decryptor = try converting { () throws(CryptorError) in
                try CryptorFormat.Decryptor(credential)
            }
            _ = try plaintext(of: Data(header))
        }

        private func plaintext(of data: Data) throws(Error) -> Data {
            var plaintext: [UInt8] = []
            try converting { () throws(CryptorError) in
                try decryptor?.update(data, unverifiedInto: &plaintext)
            }
            return Data(plaintext)
        }

        private func converting<Result: ~Copyable>(
            _ body: () throws(CryptorError) -> Result
        ) throws(Error) -> Result {
            do throws(CryptorError) { return try body() } catch { throw Error(error) }
        }
    }
}
