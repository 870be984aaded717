#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The common interface of encryptors and decryptors.
///
/// One cryptor processes one message. After that, encryptors of this module trap, and decryptors
/// throw `hmacMismatch`.
public protocol RNCryptorType {
    /// Begins a message.
    /// - Parameter password: a password, whose UTF-8 bytes are used without normalisation. It must
    ///   not be empty.
    init(password: String)

    /// Takes a chunk of any size, even an empty one, and returns the output that is ready, perhaps
    /// none.
    /// - Important: The output of a decryptor is unverified until its `finalData` has returned.
    /// - Throws: an ``RNCryptor/Error``.
    func update(withData data: Data) throws -> Data

    /// Returns the rest of the result and ends the cryptor.
    /// - Throws: an ``RNCryptor/Error``. Then do not use the output of `update`.
    func finalData() throws -> Data
}

extension RNCryptorType {
    /// Returns the complete result for the complete input, or the rest of it for the rest of the
    /// input. A failure returns nothing.
    func result(for data: Data) throws -> Data {
        var result = try update(withData: data)
        result.append(try finalData())
        return result
    }
}
