/// A version of the format that this library reads.
public enum FormatVersion: UInt8, Sendable, CaseIterable {
    /// Version 3, of 2013: the HMAC covers header and ciphertext, the password is used in full. What is written.
    case v3 = 3
}

extension FormatVersion: CustomStringConvertible {
    /// Such as "version 3".
    public var description: String { "version \(rawValue)" }
}

/// The sizes that all versions share, in bytes.
package enum FormatSize {
    package static let salt = 8
    package static let iv = 16
    package static let block = 16
    package static let code = 32
    /// The last block and the trailer: what a reader must hold back until it knows that the message is at its end.
    package static let tail = block + code
    package static let keyHeader = 2 + iv
    package static let passwordHeader = 2 + salt + salt + iv
}
