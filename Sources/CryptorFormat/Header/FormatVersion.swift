/// A version of the format.
///
/// Version 3 is the one that is written. Versions 2 and 1 can be read, 1 only if the caller asks
/// for it by name: its HMAC does not cover the header, so anybody can alter that unnoticed. Version
/// 0, of summer 2012, is none of these: see ``Cryptor/decryptVersion0(_:with:)``.
public enum FormatVersion: UInt8, Sendable, CaseIterable {
    /// Version 1, of 2012. The HMAC covers the ciphertext only.
    ///
    /// An attacker can flip any bit of the first 16 bytes of the plaintext by flipping the same bit
    /// of the IV, and the HMAC still matches. If the message has only one block, these bytes
    /// include the padding: a program that tells the attacker whether the padding is right reveals
    /// the plaintext, bit by bit. A replaced encryption salt turns all of the plaintext into
    /// garbage, and in one message of 256 that garbage ends with correct padding.
    case v1UnauthenticatedHeader = 1

    /// Version 2, of 2012. It is as safe as version 3, unless shortened readings of passwords are
    /// tried: some of its writers used only the beginning of a password that is not ASCII. See
    /// ``Credential/shortenedReadings``.
    case v2 = 2

    /// Version 3, of 2013. The HMAC covers header and ciphertext, the password is used in full.
    case v3 = 3
}

// What differs by version.
extension FormatVersion {
    /// Whether the HMAC covers the header.
    package var authenticatesHeader: Bool { rawValue >= 2 }

    /// Whether some writers used only the beginning of passwords that are not ASCII.
    package var passwordsWereTruncated: Bool { rawValue < 3 }
}

/// The sizes that versions 1 to 3 share, in bytes.
package enum FormatSize {
    package static let salt = 8
    package static let iv = 16
    package static let block = 16
    /// The HMAC at the end, which the format's specification calls trailer.
    package static let tag = 32
    /// The last block and the tag: what a reader must hold back until it knows that the message is
    /// at its end.
    package static let tail = block + tag
    package static let keyHeader = 2 + iv
    package static let passwordHeader = 2 + salt + salt + iv

    /// How many of the first `count` bytes after the header cannot belong to the tail, in whole
    /// blocks.
    package static func releasableByteCount(of count: Int) -> Int {
        max(0, count - tail) / block * block
    }

    /// The length of a message of the version that is written. A negative plaintext length counts
    /// as 0, and a result over `Int.max` becomes `Int.max`.
    package static func messageByteCount(headerByteCount: Int, plaintextByteCount: Int) -> Int {
        let ciphertextByteCount = UInt(max(0, plaintextByteCount) / block + 1) * UInt(block)
        return Int(clamping: ciphertextByteCount + UInt(headerByteCount + tag))
    }
}
