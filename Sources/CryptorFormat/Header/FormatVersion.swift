package import CryptorPrimitives

/// A version of the format.
///
/// Version 3 is what is written. All are read, but 1 and 0 only by those who ask for them by name: their HMAC does not
/// cover the header, so anybody can alter it unnoticed.
public enum FormatVersion: UInt8, Sendable, CaseIterable, Comparable {
    /// Version 0, of 2012. The HMAC-SHA1 covers the ciphertext only, and the cipher is a counter mode whose keystream
    /// repeats every 4,096 bytes.
    ///
    /// An attacker can replace the IV or the encryption salt, which turns the whole plaintext into garbage under a right
    /// HMAC. A message longer than 4,096 bytes gives away how its parts differ from each other, to those who cannot read
    /// it, too.
    case v0UnauthenticatedHeader = 0

    /// Version 1, of 2012. The HMAC covers the ciphertext only.
    ///
    /// An attacker can flip any bit of the first 16 bytes of the plaintext, by flipping the same bit of the IV, under a
    /// right HMAC. Of a message of one block these hold the padding: who tells him whether it was right tells him the
    /// plaintext, bit by bit. A replaced encryption salt turns all of the plaintext into garbage, of which one message in
    /// 256 has a right padding.
    case v1UnauthenticatedHeader = 1

    /// Version 2, of 2012. As safe as version 3, unless shortened readings of passwords that are not ASCII are accepted, of
    /// which some of its writers used only the beginning: see ``Acceptance/shortenedPasswords``.
    case v2 = 2

    /// Version 3, of 2013. The HMAC covers header and ciphertext, the password is used in full.
    case v3 = 3

    /// The older version is the lesser one.
    public static func < (left: FormatVersion, right: FormatVersion) -> Bool { left.rawValue < right.rawValue }
}

extension FormatVersion: CustomStringConvertible {
    /// Such as "version 3".
    public var description: String { "version \(rawValue)" }
}

/// Some versions, a bit each: a short message would wait for a look into a `Set`.
struct FormatVersions: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    private var bits: UInt8 = 0

    static let all = FormatVersions(Set(FormatVersion.allCases))

    init(_ versions: Set<FormatVersion>) {
        for version in versions { bits |= Self.bit(version) }
    }

    func contains(_ version: FormatVersion) -> Bool { bits & Self.bit(version) != 0 }

    var set: Set<FormatVersion> { Set(FormatVersion.allCases.filter(contains)) }

    var description: String { "\(set.sorted(by: >))" }
    var debugDescription: String { description }

    private static func bit(_ version: FormatVersion) -> UInt8 { 1 << version.rawValue }
}

/// What differs by version.
package struct FormatRules: Sendable {
    package enum Cipher: Sendable {
        /// AES-256-CBC with PKCS#7 padding.
        case cbc
        /// AES-256 in the counter mode of ``RepeatingCounterCipher``.
        case repeatingCounter
    }

    package let cipher: Cipher
    /// SHA-1 gives 20 bytes; zeros fill the tag up.
    package let hash: HMACAuthenticator.Hash
    package let authenticatesHeader: Bool
    /// Whether bit 0 of the options tells password from key messages; where it does not, the credential decides.
    package let optionsTellCredential: Bool
    /// Whether some writers used only the beginning of passwords that are not ASCII.
    package let passwordsWereTruncated: Bool

    /// What ciphertext comes in multiples of.
    package var blockByteCount: Int { cipher == .cbc ? AESCipher.blockByteCount : 1 }

    /// The least ciphertext that a message has.
    package var minimumCiphertextByteCount: Int { cipher == .cbc ? AESCipher.blockByteCount : 0 }

    /// The last block and the tag: what a reader must hold back until it knows that the message is at its end.
    package var tailByteCount: Int { minimumCiphertextByteCount + FormatSize.tag }

    /// What follows the header.
    package var body: BodyFraming { BodyFraming(tailByteCount: tailByteCount, blockByteCount: blockByteCount) }
}

/// What follows a header: ciphertext in whole blocks, and a tail, which only the end of the message tells from it.
package struct BodyFraming: Sendable {
    package let tailByteCount: Int
    package let blockByteCount: Int

    /// How many of the first `count` bytes are certain not to be of the tail: whole blocks.
    package func releasableByteCount(of count: Int) -> Int {
        let excess = max(0, count - tailByteCount)
        return excess - excess % blockByteCount
    }
}

extension FormatVersion {
    /// One row a version.
    package var rules: FormatRules {
        switch self {
        case .v0UnauthenticatedHeader:
            FormatRules(
                cipher: .repeatingCounter, hash: .sha1, authenticatesHeader: false, optionsTellCredential: false,
                passwordsWereTruncated: true)
        case .v1UnauthenticatedHeader:
            FormatRules(
                cipher: .cbc, hash: .sha256, authenticatesHeader: false, optionsTellCredential: true,
                passwordsWereTruncated: true)
        case .v2:
            FormatRules(
                cipher: .cbc, hash: .sha256, authenticatesHeader: true, optionsTellCredential: true,
                passwordsWereTruncated: true)
        case .v3:
            FormatRules(
                cipher: .cbc, hash: .sha256, authenticatesHeader: true, optionsTellCredential: true,
                passwordsWereTruncated: false)
        }
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

    /// The length of a message of the version that is written; the nearest that there is for lengths that no plaintext has.
    static func messageByteCount(headerByteCount: Int, plaintextByteCount: Int) -> Int {
        let blockCount = max(0, plaintextByteCount) / block + 1
        let (ciphertext, isTooLarge) = blockCount.multipliedReportingOverflow(by: block)
        let (message, isTooLong) = ciphertext.addingReportingOverflow(headerByteCount + tag)
        return isTooLarge || isTooLong ? .max : message
    }
}
