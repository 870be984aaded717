import CryptorFormat
import CryptorPrimitives

/// The result of a `Decryptor` that is fed a message chunk by chunk to the end, even after it has
/// failed.
package struct ChunkedDecryption {
    /// What `update` released.
    package private(set) var unverified: [UInt8] = []
    /// What `finish` released.
    package private(set) var last: [UInt8] = []
    /// The first error.
    package private(set) var error: CryptorError?
    /// The results of all later calls of `update` and `finish`, each of which must throw the same
    /// error.
    package private(set) var laterErrors: [CryptorError?] = []

    /// All that was released.
    package var plaintext: [UInt8] { unverified + last }

    /// The plaintext; nil after a failure.
    package var verifiedPlaintext: [UInt8]? { error == nil ? plaintext : nil }

    /// Whether every call after the first error threw the same error.
    package var isSticky: Bool { laterErrors.allSatisfy { $0?.code == error?.code } }

    package init(
        _ message: [UInt8], with credential: Credential, accepting: Acceptance = .default,
        _ chunking: Chunking, through interface: StreamInterface = .arrays
    ) throws {
        var decryptor = try Decryptor(credential, accepting: accepting)
        for chunk in chunking.chunks(of: message) {
            let error = try caughtError {
                switch interface {
                case .arrays:
                    try decryptor.update(chunk, unverifiedInto: &unverified)
                case .spans:
                    let room = Decryptor.maximumOutputByteCount(for: chunk.count)
                    try withRoom(
                        for: room, appendingTo: &unverified, reading: chunk
                    ) { (chunk, output) throws(CryptorError) in
                        try decryptor.update(chunk.span.bytes, unverifiedInto: &output)
                    }
                }
            }
            note(error)
        }
        if error != nil {
            // The stream failed before its end. Nothing must revive it, not even an empty chunk.
            note(try caughtError { try decryptor.update([], unverifiedInto: &unverified) })
        }
        try finish(decryptor, through: interface)
    }

    private mutating func finish(
        _ decryptor: consuming Decryptor, through interface: StreamInterface
    ) throws {
        let room = Decryptor.maximumOutputByteCount(for: 0) + decryptor.heldBackByteCount
        // A closure cannot consume what it captures, but it can take what it captures out of an
        // optional.
        var decryptor = Optional(decryptor)
        let error = try caughtError {
            switch interface {
            case .arrays:
                try decryptor.take()?.finish(into: &last)
            case .spans:
                try withRoom(for: room, appendingTo: &last) { (output) throws(CryptorError) in
                    try decryptor.take()?.finish(into: &output)
                }
            }
        }
        note(error)
    }

    private mutating func note(_ newError: CryptorError?) {
        if error != nil { laterErrors.append(newError) } else { error = newError }
    }
}
