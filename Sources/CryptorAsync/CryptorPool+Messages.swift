import CryptorSystem
public import CryptorFormat
import CryptorFiles
import CryptorPrimitives

// Complete messages. A password costs a derivation on the pool's threads; with one pair of keys, small messages never
// leave the caller's thread.
extension CryptorPool {
    /// Encrypts `plaintext`, without a copy of it: see ``Cryptor/encrypt(_:with:)->[UInt8]``.
    /// - Throws: what that function throws, `cancelled`, or `overloaded` where the pool refuses.
    public func encrypt(
        _ plaintext: some Collection<UInt8> & Sendable, with credential: Credential
    ) async throws(CryptorError) -> [UInt8] {
        let header = try credential.freshHeader()
        let source = credential.keySource(forWriting: header)
        return try await perform(source, byteCount: plaintext.count) { (keys) throws(CryptorError) in
            try Cryptor.encrypt(plaintext, header: header, keys: keys)
        }
    }

    /// Decrypts a complete message, without a copy of it: see ``Cryptor/decrypt(_:with:accepting:)->[UInt8]``. Its
    /// shape is checked before it waits for a thread.
    /// - Throws: what that function throws, `cancelled`, or `overloaded` where the pool refuses.
    public func decrypt(
        _ message: some Collection<UInt8> & Sendable, with credential: Credential, accepting: Acceptance = .default
    ) async throws(CryptorError) -> [UInt8] {
        try await open(message, with: credential, accepting: accepting).plaintext
    }

    /// Decrypts a complete message, and tells which credential opened it: see ``Cryptor/open(_:with:accepting:)``.
    public func open(
        _ message: some Collection<UInt8> & Sendable, with keyring: Credential, accepting: Acceptance = .default
    ) async throws(CryptorError) -> OpenedMessage {
        let terms = ReadingTerms(credential: keyring, accepting: accepting)
        guard !terms.areAmbiguous(startingWith: message.first),
            let source = try terms.keySource(for: try terms.header(ofWhole: message))
        else {
            return try await messages.run { (_) throws(CryptorError) in
                OpenedMessage(try Cryptor.open(message, terms: terms))
            }
        }
        return try await perform(source, byteCount: message.count) { (keys) throws(CryptorError) in
            OpenedMessage(try Cryptor.open(message, terms: terms, keys: keys))
        }
    }

    /// Encrypts `plaintext`: see ``KeyedCryptor/encrypt(_:)-(Collection<UInt8>)``. A small one stays on this thread.
    public func encrypt(
        _ plaintext: some Collection<UInt8> & Sendable, with cryptor: KeyedCryptor
    ) async throws(CryptorError) -> [UInt8] {
        if Task.isCancelled { throw .cancelled }
        guard plaintext.count > Self.smallByteCount else { return try cryptor.encrypt(plaintext) }
        return try await messages.run { (_) throws(CryptorError) in try cryptor.encrypt(plaintext) }
    }

    /// Decrypts a complete message: see ``KeyedCryptor/decrypt(_:accepting:)``.
    public func decrypt(
        _ message: some Collection<UInt8> & Sendable, with cryptor: KeyedCryptor, accepting: Acceptance = .default
    ) async throws(CryptorError) -> [UInt8] {
        try await open(message, with: cryptor, accepting: accepting).plaintext
    }

    /// Decrypts a complete message, and tells which credential opened it: see ``KeyedCryptor/open(_:accepting:)``. A
    /// small one whose keys are known stays on this thread. Keys for salts that are not known are derived by the pool,
    /// perhaps together with those of other messages.
    public func open(
        _ message: some Collection<UInt8> & Sendable, with cryptor: KeyedCryptor, accepting: Acceptance = .default
    ) async throws(CryptorError) -> OpenedMessage {
        if Task.isCancelled { throw .cancelled }
        if message.count <= Self.smallByteCount,
            let opened = try cryptor.openAtOnce(message, accepting: accepting)
        {
            return opened
        }
        let terms = ReadingTerms(credential: cryptor.credential, accepting: accepting)
        if !terms.areAmbiguous(startingWith: message.first), message.count <= Self.smallByteCount {
            let header = try terms.header(ofWhole: message)
            if let source = try terms.keySource(for: header) {
                return try await messages.derive(source) { (keys) throws(CryptorError) in
                    try cryptor.open(message, derived: keys, accepting: accepting)
                }
            }
        }
        return try await messages.run { (_) throws(CryptorError) in try cryptor.open(message, accepting: accepting) }
    }
}
