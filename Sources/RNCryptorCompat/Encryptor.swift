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

        /// Encrypts a chunk of any size and returns what is complete: the header before all else, then whole blocks.
        ///
        /// Traps after `finalData` or `encrypt`.
        public func update(withData data: Data) -> Data {
            encryptor.update(withData: data)
        }

        /// Returns the rest of the message, the last block and the HMAC, and ends the encryptor: a further call traps.
        public func finalData() -> Data {
            encryptor.finalData()
        }

        /// Returns the whole message, 67 to 82 bytes longer than `data`, or the rest of it after calls of `update`, and
        /// ends the encryptor: a further call traps.
        public func encrypt(data: Data) -> Data {
            encryptor.encrypt(data: data)
        }
    }
}
