import CryptorFormat
import CryptorPrimitives

/// A message from an `Encryptor` that was fed the plaintext chunk by chunk.
package struct ChunkedEncryption {
    package private(set) var message: [UInt8] = []

    /// - Parameter header: the salts and IV to use; nil for fresh ones.
    package init(
        _ plaintext: [UInt8], with credential: Credential, header: MessageHeader? = nil,
        _ chunking: Chunking,
        through interface: StreamInterface = .arrays
    ) throws(CryptorError) {
        var encryptor =
            if let header { try Encryptor(credential, header: header) } else {
                try Encryptor(credential)
            }
        for chunk in chunking.chunks(of: plaintext) {
            switch interface {
            case .arrays:
                try encryptor.update(chunk, into: &message)
            case .spans:
                let room = Encryptor.maximumOutputByteCount(for: chunk.count)
                try withRoom(
                    for: room, appendingTo: &message, reading: chunk
                ) { (chunk, output) throws(CryptorError) in
                    try encryptor.update(chunk.span.bytes, into: &output)
                }
            }
        }
        switch interface {
        case .arrays: try encryptor.finish(into: &message)
        case .spans: try Self.finish(encryptor, into: &message)
        }
    }

    private static func finish(_ encryptor: consuming Encryptor, into message: inout [UInt8])
        throws(CryptorError)
    {
        // A closure cannot consume what it captures, but it can take what it captures out of an
        // optional.
        var encryptor = Optional(encryptor)
        let room = Encryptor.maximumOutputByteCount(for: 0)
        try withRoom(for: room, appendingTo: &message) { (output) throws(CryptorError) in
            try encryptor.take()?.finish(into: &output)
        }
    }
}

// Tests choose the header: version, salts and IV.

extension Credential {
    /// The keys under which the message with this header is written.
    package func keys(for header: MessageHeader) throws(CryptorError) -> MessageKeys {
        let bytes = header.bytes
        let start = bytes.rawSpan(bytes.indices)
        // A shortened reading writes nothing, but forgers know it.
        let credential =
            if let password, password.bytes.count > 0 {
                try Credential.password(
                    utf8: password.bytes.plain, iterations: password.iterations)
            } else { self }
        return try credential.reading(of: start, messageByteCount: nil, end: start, accepting: .all)
            .requests[0].keys()
    }

    /// The keys of messages with these salts.
    package func keys(_ salts: MessageHeader.Salts) throws(CryptorError) -> MessageKeys {
        try keys(for: MessageHeader(salts: salts, iv: [UInt8](repeating: 0, count: 16)))
    }
}

extension Encryptor {
    package init(_ credential: Credential, header: MessageHeader) throws(CryptorError) {
        try self.init(header, keys: try credential.keys(for: header))
    }
}

extension Cryptor {
    package static func encrypt(
        _ plaintext: some Collection<UInt8>, with credential: Credential, header: MessageHeader
    ) throws(CryptorError) -> [UInt8] {
        try encrypt(plaintext, header: header, keys: try credential.keys(for: header))
    }
}
