import CryptorPrimitives

/// A version of the format.
///
/// New messages have version 3. Versions 2 and 1 can be read, version 1 only if the caller asks for
/// it by name: its HMAC does not cover the header, so anybody can alter the header unnoticed.
/// Version 0, from summer 2012, is not one of these: see ``Cryptor/decryptVersion0(_:with:)``.
///
/// More may come: a `switch` over versions needs a `default`.
public struct FormatVersion: RawRepresentable, CaseIterable, Hashable, Sendable {
    /// The first byte of a message of this version.
    public let rawValue: UInt8

    /// Version 1, from 2012. The HMAC covers the ciphertext only.
    ///
    /// An attacker can flip any bit of the first 16 bytes of the plaintext by flipping the same bit
    /// of the IV, and the HMAC still matches. If the message has only one block, these bytes
    /// include the padding: a program that tells the attacker whether the padding is right reveals
    /// the plaintext, bit by bit. A replaced encryption salt turns all of the plaintext into
    /// garbage, and in one message of 256 that garbage ends with correct padding.
    public static let v1UnauthenticatedHeader = FormatVersion(number: 1)

    /// Version 2, from 2012. It is as safe as version 3, unless shortened readings of passwords are
    /// tried: some of its writers used only the beginning of a password that is not ASCII. See
    /// ``Credential/shortenedReadings``.
    public static let v2 = FormatVersion(number: 2)

    /// Version 3, from 2013. The HMAC covers header and ciphertext, and the password is used in
    /// full.
    public static let v3 = FormatVersion(number: 3)

    /// The versions that every reading function of this library supports, oldest first.
    public static let allCases: [FormatVersion] = [.v1UnauthenticatedHeader, .v2, .v3]

    /// The version with this number; nil if this library does not know it.
    public init?(rawValue: UInt8) {
        switch rawValue {
        case 1: self = .v1UnauthenticatedHeader
        case 2: self = .v2
        case 3: self = .v3
        default: return nil
        }
    }

    private init(number: UInt8) { rawValue = number }
}

// Differences between versions: a new version must answer each of these questions. Versions are
// named by what they have, so that another one gets the careful answer.
extension FormatVersion {
    /// The version of new messages.
    public static let written = FormatVersion.v3

    /// Whether it is read by default.
    var isAcceptedByDefault: Bool { self == .v3 || self == .v2 }

    /// Whether the HMAC covers the header.
    public var authenticatesHeader: Bool { self != .v1UnauthenticatedHeader }

    /// Whether some writers used only the beginning of passwords that are not ASCII.
    var passwordsWereTruncated: Bool {
        self == .v2 || self == .v1UnauthenticatedHeader
    }

    /// The default number of PBKDF2 iterations.
    var standardIterations: Int { 10_000 }

    /// The length of each of the two salts of a message under a password, in bytes.
    package var saltByteCount: Int { 8 }

    /// The length of the HMAC at the end, which the format's specification calls trailer, in bytes.
    var hmacByteCount: Int { HMACAuthenticator.byteCount }

    /// The numbers of the versions, for people: "1 to 3".
    static var range: String {
        let numbers = allCases.map(\.rawValue)
        return "\(numbers.min() ?? 0) to \(numbers.max() ?? 0)"
    }

    /// The name of the version in code, after its dot.
    var codeName: String {
        authenticatesHeader ? "v\(rawValue)" : "v\(rawValue)UnauthenticatedHeader"
    }
}

// Consequences of these differences.
extension FormatVersion {
    /// Whether messages of this version should be re-encrypted.
    var isOlderThanWritten: Bool { rawValue < Self.written.rawValue }

    /// The length of the header of a message under a password, or under keys.
    @inline(__always)
    package func headerByteCount(usingPassword: Bool) -> Int {
        2 + (usingPassword ? 2 * saltByteCount : 0) + FormatSize.iv
    }

    /// As many bytes include the header of any version.
    package static let longestHeaderByteCount =
        allCases.map { $0.headerByteCount(usingPassword: true) }.max() ?? 0

    /// The length of the shortest message of any version, which has one block.
    package static let shortestMessageByteCount =
        allCases.map { $0.messageByteCount(usingPassword: false, plaintextByteCount: 0) }.min() ?? 0

    /// Whether the engines that a pair of keys keeps can open it.
    var suitsEngines: Bool { authenticatesHeader && hmacByteCount == HMACAuthenticator.byteCount }

    /// The last block and the HMAC, in bytes: what a reader must hold back until the message ends.
    package var heldBackByteCount: Int { FormatSize.block + hmacByteCount }

    /// How many of the first `count` bytes after the header are certain to be ciphertext before the
    /// last block, in whole blocks.
    package func releasableByteCount(of count: Int) -> Int {
        max(0, count - heldBackByteCount) / FormatSize.block * FormatSize.block
    }

    /// The length of a message. A negative plaintext length counts as 0, and a result over
    /// `Int.max` becomes `Int.max`.
    package func messageByteCount(usingPassword: Bool, plaintextByteCount: Int) -> Int {
        let blockCount = UInt(max(0, plaintextByteCount) / FormatSize.block + 1)
        let others = headerByteCount(usingPassword: usingPassword) + hmacByteCount
        return Int(clamping: blockCount * UInt(FormatSize.block) + UInt(others))
    }

    /// Whether the base64 text of some version's message begins with this character, which stands
    /// for the first six bits.
    static func mayBeginBase64(_ character: UInt8) -> Bool {
        let value = Base64Character.meaning(of: character)
        // Version 0 has the first six bits of version 1.
        return allCases.contains { $0.rawValue >> 2 == value }
    }
}
