import CryptorFormat

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension RNCryptor {
    /// Encrypts one message with a password, into the newest version of the format: 3.
    public final class Encryptor: RNCryptorType {
        private let encryptor: EncryptorV3

        /// Derives the keys, which takes milliseconds.
        ///
        /// Traps if `password` is empty.
        /// - Parameter password: a password, whose UTF-8 bytes are used without normalisation.
        public init(password: String) {
            encryptor = EncryptorV3(password: password)
        }

        /// See ``EncryptorV3/update(withData:)``.
        public func update(withData data: Data) -> Data {
            encryptor.update(withData: data)
        }

        /// See ``EncryptorV3/finalData()``.
        public func finalData() -> Data {
            encryptor.finalData()
        }

        /// See ``EncryptorV3/encrypt(data:)``.
        public func encrypt(data: Data) -> Data {
            encryptor.encrypt(data: data)
        }
    }

    /// Encrypts one message of version 3, with a password or with keys.
    ///
    /// A failure of OpenSSL traps, because these functions, like those of RNCryptor, do not throw.
    public final class EncryptorV3: RNCryptorType {
        /// Nil once the encryptor has finished.
        private var encryptor: CryptorFormat.Encryptor?

        /// Derives the keys, which takes milliseconds.
        ///
        /// Traps if `password` is empty.
        /// - Parameter password: a password, whose UTF-8 bytes are used without normalisation.
        public init(password: String) {
            let credential = Credential(password: password)
            encryptor = trapping { () throws(CryptorError) in
                try CryptorFormat.Encryptor(credential)
            }
        }

        /// Traps unless each key has `FormatV3.keySize` bytes, 32.
        ///
        /// Keys are as strong as their randomness: take them from
        /// ``RNCryptor/randomData(ofLength:)``, never from the characters of a text.
        public init(encryptionKey: Data, hmacKey: Data) {
            let credential = Credential(encryptionKey: encryptionKey, hmacKey: hmacKey)
            encryptor = trapping { () throws(CryptorError) in
                try CryptorFormat.Encryptor(credential)
            }
        }

        /// For tests, which choose the salts and the IV.
        init(_ encryptor: consuming CryptorFormat.Encryptor) { self.encryptor = consume encryptor }

        /// Encrypts a chunk of any size and returns the complete part of the message: first the
        /// header, then whole blocks.
        ///
        /// Traps after `finalData` or `encrypt`.
        public func update(withData data: Data) -> Data {
            bytes { (message) throws(CryptorError) in try encryptor?.update(data, into: &message) }
        }

        /// Returns the rest of the message, the last block and the HMAC, and ends the encryptor: a
        /// further call traps.
        public func finalData() -> Data {
            bytes { (message) throws(CryptorError) in try encryptor.take()?.finish(into: &message) }
        }

        /// Returns the whole message, 67 to 82 bytes longer than `data` with a password and 51 to
        /// 66 with keys, or the rest of it after calls of `update`, and ends the encryptor: a
        /// further call traps.
        public func encrypt(data: Data) -> Data {
            var message = update(withData: data)
            message.append(finalData())
            return message
        }

        /// The bytes that `body` appends. It returns nil if the encryptor has finished.
        private func bytes(_ body: (inout [UInt8]) throws(CryptorError) -> Void?) -> Data {
            var message: [UInt8] = []
            let isUnfinished = trapping { () throws(CryptorError) in try body(&message) != nil }
            guard isUnfinished else { fatalError("RNCryptor: the encryptor has finished") }
            return Data(message)
        }
    }
}
