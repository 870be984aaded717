import CryptorFiles
import CryptorPrimitives
import CryptorSystem

// What the command uses of CryptorPrimitives, besides what `diagnose` looks into in Trial.swift. No
// other file of the command imports it.

/// Overwrites the bytes of a secret.
func cleanse(_ bytes: inout [UInt8]) { CryptorPrimitives.cleanse(&bytes) }

extension Credential {
    /// Of the password that writes; nil for keys.
    var passwordIterations: Int? { password?.iterations }

    /// The bytes of the password that writes, none for keys. The caller cleanses them, and nobody
    /// else has them: a copy of the array would be cleansed in its place.
    func copyPassword() -> [UInt8] {
        password?.bytes.withRawSpan { bytes in Array(copying: bytes) } ?? []
    }
}

// MARK: Lines, without a copy of each

extension [UInt8] {
    /// Appends a message in base64 text, on one line.
    mutating func append(base64 message: [UInt8]) {
        Base64Encoder.append(message.rawSpan(message.indices), to: &self)
    }

    /// Puts the message that a part of `text` stands for in place of these bytes.
    mutating func replace(
        withBase64 text: [UInt8], _ part: Range<Int>
    ) throws(CryptorError) {
        removeAll(keepingCapacity: true)
        try Cryptor.message(fromBase64: text.rawSpan(part), into: &self)
    }
}

// MARK: Descriptors

extension FileDescriptor {
    /// Writes some of the bytes from `start` on.
    /// - Returns: how many.
    func write(_ bytes: [UInt8], from start: Int) throws(SystemError) -> Int {
        try write(bytes.rawSpan(start..<bytes.count))
    }

    /// Reads up to `limit` bytes and appends them.
    /// - Returns: how many; 0 at the end.
    func read(upTo limit: Int, appendingTo bytes: inout [UInt8]) throws(SystemError) -> Int {
        let start = bytes.count
        try bytes.appendBytes(capacity: limit) { (output) throws(SystemError) in
            _ = try read(upTo: limit, into: &output)
        }
        return bytes.count - start
    }
}
