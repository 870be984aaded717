@testable import CryptorFormat
@testable import CryptorPrimitives

/// What messages of version 0 under keys are, written once more and as simply as can be.
enum Version0Model {
    static func outcome(_ message: [UInt8], _ keys: MessageKeys) throws -> Outcome {
        guard message.count >= 50 else { return .failure(.invalidMessageLength) }
        let ciphertext = Array(message[18..<message.count - 32])
        guard try Array(message.suffix(32)) == tag(of: ciphertext, keys) else {
            return .failure(.authenticationFailed)
        }
        return .plaintext(try crypt(ciphertext, keys, iv: Array(message[2..<18])))
    }

    /// Encrypts or decrypts: block by block, each with a counter of its own.
    static func crypt(_ bytes: [UInt8], _ keys: MessageKeys, iv: [UInt8]) throws -> [UInt8] {
        var counter = iv
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 16) {
            let block = Array(bytes[start..<min(start + 16, bytes.count)])
            result += try Array(byteCapacity: 16) { (output) throws(OpenSSLError) in
                try Version0Algorithms.cipher(
                    block.span.bytes, key: keys.encryptionKey, iv: counter.span.bytes, into: &output
                )
            }
            counter[0] &+= 1
        }
        return result
    }

    static func tag(of ciphertext: [UInt8], _ keys: MessageKeys) throws -> [UInt8] {
        let hmac = try Version0Algorithms.hmac(of: ciphertext.span.bytes, key: keys.hmacKey)
        return hmac.withRawSpan { Array(copying: $0) } + [UInt8](repeating: 0, count: 12)
    }
}
