package import CryptorPrimitives

/// A version of the format.
///
/// Version 3 is the one that is written. All versions can be read, but 1 and 0 only if the caller asks for them by
/// name: their HMAC does not cover the header, so anybody can alter it unnoticed.
public enum FormatVersion: UInt8, Sendable, CaseIterable {
    /// Version 0, of 2012. The HMAC-SHA1 covers the ciphertext only, and the cipher is a counter mode whose keystream
    /// repeats every 4,096 bytes.
    ///
    /// An attacker can replace the IV or the encryption salt. All of the plaintext then becomes garbage, and the HMAC
    /// still matches. A message longer than 4,096 bytes shows even those who cannot read it how its parts differ from
    /// each other.
    case v0UnauthenticatedHeader = 0

    /// Version 1, of 2012. The HMAC covers the ciphertext only.
    ///
    /// An attacker can flip any bit of the first 16 bytes of the plaintext by flipping the same bit of the IV, and the
    /// HMAC still matches. If the message has only one block, these bytes include the padding: a program that tells the
    /// attacker whether the padding is right reveals the plaintext, bit by bit. A replaced encryption salt turns
    /// all of the plaintext into garbage, and in one message of 256 that garbage ends with correct padding.
    case v1UnauthenticatedHeader = 1

    /// Version 2, of 2012. It is as safe as version 3, unless shortened readings of passwords are tried: some of its
    /// writers used only the beginning of a password that is not ASCII. See ``Credential/shortenedReadings``.
    case v2 = 2

    /// Version 3, of 2013. The HMAC covers header and ciphertext, the password is used in full.
    case v3 = 3
}

// What differs by version.
extension FormatVersion {
    /// Whether the cipher is AES-256-CBC with PKCS#7 padding, not the counter mode of ``RepeatingCounterCipher``.
    package var usesCBC: Bool { self != .v0UnauthenticatedHeader }

    /// The hash of the HMAC. SHA-1 gives 20 bytes, and zeros fill the rest of the tag.
    package var hash: HMACAuthenticator.Hash { self == .v0UnauthenticatedHeader ? .sha1 : .sha256 }

    /// Whether a message may end with these bytes, at least a tag.
    func mayEnd(with end: RawSpan) -> Bool {
        let filling = end.extracting(last: FormatSize.tag - hash.byteCount)
        return filling.byteOffsets.allSatisfy { filling.byte(at: $0) == 0 }
    }

    /// Whether the HMAC covers the header.
    package var authenticatesHeader: Bool { rawValue >= 2 }

    /// Whether bit 0 of the options tells password from key messages; where it does not, the credential decides.
    package var optionsTellCredential: Bool { rawValue >= 1 }

    /// Whether some writers used only the beginning of passwords that are not ASCII.
    package var passwordsWereTruncated: Bool { rawValue < 3 }

    /// The length of the ciphertext is a multiple of this number.
    package var blockByteCount: Int { usesCBC ? FormatSize.block : 1 }

    /// The last block, which only CBC has, and the tag: what a reader must hold back until it knows that the message is
    /// at its end.
    package var tailByteCount: Int { (usesCBC ? FormatSize.block : 0) + FormatSize.tag }

    /// How many of the first `count` bytes after the header cannot belong to the tail, in whole blocks.
    package func releasableByteCount(of count: Int) -> Int {
        let excess = max(0, count - tailByteCount)
        return excess - excess % blockByteCount
    }
}

/// The sizes that all versions share, in bytes.
package enum FormatSize {
    package static let salt = 8
    package static let iv = 16
    package static let block = 16
    /// The HMAC at the end, which the format's specification calls trailer.
    package static let tag = 32
    /// The last block and the tag of the version that is written.
    package static let tail = block + tag
    package static let keyHeader = 2 + iv
    package static let passwordHeader = 2 + salt + salt + iv

    /// The length of a message of the version that is written. A negative plaintext length counts as 0, and a result
    /// over `Int.max` becomes `Int.max`.
    package static func messageByteCount(headerByteCount: Int, plaintextByteCount: Int) -> Int {
        let ciphertextByteCount = UInt(max(0, plaintextByteCount) / block + 1) * UInt(block)
        return Int(clamping: ciphertextByteCount + UInt(headerByteCount + tag))
    }
}
