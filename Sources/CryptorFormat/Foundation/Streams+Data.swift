#if Foundation
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

internal import CryptorPrimitives

extension KeyedCryptor {
    /// Encrypts `plaintext`: see ``encrypt(_:)-(Collection<UInt8>)``, which throws the same errors.
    public func encrypt(_ plaintext: Data) throws(CryptorError) -> Data {
        try message(of: plaintext.bytes)
    }

    /// Decrypts a key message of version 3 or 2: see ``decrypt(_:accepting:)``, which throws the same errors.
    public func decrypt(_ message: Data) throws(CryptorError) -> Data {
        try plaintext(of: message.bytes)
    }
}

// With `Data`, the output for each chunk is copied once more than with arrays.

extension Encryptor {
    /// Encrypts `chunk` and appends what is ready: see ``update(_:into:)-(_,[UInt8])``, which throws the same errors.
    public mutating func update(_ chunk: some Collection<UInt8>, into message: inout Data) throws(CryptorError) {
        var bytes: [UInt8] = []
        defer { message.append(contentsOf: bytes) }
        try update(chunk, into: &bytes)
    }

    /// Appends the rest of the message: see ``finish(into:)-([UInt8])``, which throws the same errors.
    public consuming func finish(into message: inout Data) throws(CryptorError) {
        var bytes: [UInt8] = []
        try finish(into: &bytes)
        message.append(contentsOf: bytes)
    }
}

extension Decryptor {
    /// Decrypts `chunk`, **unverified**: see ``update(_:unverifiedInto:)-(_,[UInt8])``, which throws the same errors.
    public mutating func update(
        _ chunk: some Collection<UInt8>, unverifiedInto plaintext: inout Data
    ) throws(CryptorError) {
        var bytes: [UInt8] = []
        defer { plaintext.append(contentsOf: bytes) }
        try update(chunk, unverifiedInto: &bytes)
    }

    /// Compares the HMAC, and appends the last plaintext: see ``finish(into:)-([UInt8])``, which throws the same
    /// errors.
    public consuming func finish(into plaintext: inout Data) throws(CryptorError) {
        var bytes: [UInt8] = []
        try finish(into: &bytes)
        plaintext.append(contentsOf: bytes)
    }
}
#endif
