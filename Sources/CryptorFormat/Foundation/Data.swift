#if Foundation
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

internal import CryptorPrimitives

// Functions that take and return `Data`. The rest of the library does not use Foundation.

extension Cryptor {
    /// Encrypts `plaintext`: see ``encrypt(_:with:)->[UInt8]``, which throws the same errors.
    public static func encrypt(_ plaintext: Data, with credential: Credential) throws(CryptorError)
        -> Data
    {
        let (header, request) = try credential.newMessage()
        return try encrypt(plaintext, header: header, keys: try request.keys())
    }

    /// Decrypts a whole message: see ``decrypt(_:with:accepting:)->[UInt8]``, which throws the same
    /// errors.
    ///
    /// If `message` is a file that is mapped and another process writes to it, the result is the
    /// authentic plaintext or an error. But if the file is shortened meanwhile, SIGBUS ends this
    /// process: use `decryptFile` of CryptorFiles for such files.
    public static func decrypt(
        _ message: Data, with credential: Credential, accepting: Acceptance = .default
    ) throws(CryptorError) -> Data {
        try open(message) { (message) throws(CryptorError) in
            try credential.reading(ofWhole: message, accepting: accepting)
        }.plaintext
    }

    /// Re-encrypts a message with the primary credential, unless that already opens it: see
    /// ``rotate(_:with:accepting:)->[UInt8]?``, which throws the same errors.
    public static func rotate(
        _ message: Data, with keyring: Credential, accepting: Acceptance = .default
    ) throws(CryptorError) -> Data? {
        let opened: Opened<Data> = try open(message) {
            (message) throws(CryptorError) in
            try keyring.reading(ofWhole: message, accepting: accepting)
        }
        return opened.credentialIndex == 0
            ? nil : try encrypt(opened.plaintext, with: keyring)
    }

    /// Encrypt the bytes of the text.
    @available(
        *, unavailable,
        message: "Encrypt the bytes of the text: Cryptor.encrypt(Data(text.utf8), with: credential)"
    )
    @_disfavoredOverload
    public static func encrypt(
        _ text: some StringProtocol, with credential: Credential
    ) throws(CryptorError) -> Data {
        preconditionFailure("it is unavailable")
    }
}

extension KeyedCryptor {
    /// Encrypts `plaintext`: see ``encrypt(_:)-(Collection<UInt8>)``, which throws the same errors.
    public func encrypt(_ plaintext: Data) throws(CryptorError) -> Data {
        try withRawSpan(of: plaintext) { (plaintext) throws(CryptorError) in
            try Data(byteCapacity: messageByteCount(for: plaintext.byteCount)) {
                (output) throws(CryptorError) in
                try encrypt(plaintext, into: &output)
            }
        }
    }

    /// Encrypts each of `plaintexts`: see ``encryptAll(_:)->[Result<[UInt8],CryptorError>]``.
    public func encryptAll(_ plaintexts: some Collection<Data>) -> [Result<Data, CryptorError>] {
        plaintexts.map { plaintext in Result { () throws(CryptorError) in try encrypt(plaintext) } }
    }

    // Plaintext is copied once more than with arrays.

    /// Decrypts a message: see ``decrypt(_:accepting:)->[UInt8]``, which throws the same errors.
    public func decrypt(
        _ message: Data, accepting: Acceptance = .default
    ) throws(CryptorError) -> Data {
        Data(try open(message, accepting: accepting).plaintext)
    }

    /// Re-encrypts a message with the primary credential, unless that already opens it: see
    /// ``rotate(_:accepting:)->[UInt8]?``, which throws the same errors.
    public func rotate(
        _ message: Data, accepting: Acceptance = .default
    ) throws(CryptorError) -> Data? {
        let rotated: [UInt8]? = try rotate(message, accepting: accepting)
        return rotated.map { Data($0) }
    }

    /// Decrypts each of `messages`: see
    /// ``decryptAll(_:accepting:)->[Result<[UInt8],CryptorError>]``.
    public func decryptAll(
        _ messages: some Collection<Data>, accepting: Acceptance = .default
    ) -> [Result<Data, CryptorError>] {
        let results: [Result<[UInt8], CryptorError>] = decryptAll(messages, accepting: accepting)
        return results.map { result in result.map { Data($0) } }
    }
}

// With `Data`, the output for each chunk is copied once more than with arrays.

extension Encryptor {
    /// Encrypts `chunk` and appends the complete part of the message: see
    /// ``update(_:into:)-(_,[UInt8])``, which throws the same errors.
    public mutating func update(_ chunk: some Collection<UInt8>, into message: inout Data)
        throws(CryptorError)
    {
        var bytes: [UInt8] = []
        defer { message.append(contentsOf: bytes) }
        try update(chunk, into: &bytes)
    }

    /// Appends the rest of the message: see ``finish(into:)-([UInt8])``, which throws the same
    /// errors.
    public consuming func finish(into message: inout Data) throws(CryptorError) {
        var bytes: [UInt8] = []
        try finish(into: &bytes)
        message.append(contentsOf: bytes)
    }
}

extension Decryptor {
    /// Decrypts `chunk`, **unverified**: see ``update(_:unverifiedInto:)-(_,[UInt8])``, which
    /// throws the same errors.
    public mutating func update(
        _ chunk: some Collection<UInt8>, unverifiedInto plaintext: inout Data
    ) throws(CryptorError) {
        var bytes: [UInt8] = []
        defer { plaintext.append(contentsOf: bytes) }
        try update(chunk, unverifiedInto: &bytes)
    }

    /// Compares the HMAC, and appends the last plaintext: see ``finish(into:)-([UInt8])``, which
    /// throws the same errors.
    public consuming func finish(into plaintext: inout Data) throws(CryptorError) {
        var bytes: [UInt8] = []
        try finish(into: &bytes)
        plaintext.append(contentsOf: bytes)
    }
}

extension Data: WrittenBytes {
    /// Takes over the memory that `body` has written to, so that large results are not copied.
    package init<Failure: Error>(
        byteCapacity capacity: Int, _ body: (inout OutputRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        let memory = unsafe try heapBytes(capacity: capacity, body)
        guard let start = memory.baseAddress else { preconditionFailure("memory has an address") }
        unsafe self.init(bytesNoCopy: start, count: memory.count, deallocator: .free)
    }
}

extension CryptorError: LocalizedError {
    /// The ``description``, so that `localizedDescription` is that sentence as well.
    public var errorDescription: String? { description }
}
#endif
