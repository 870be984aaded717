import CryptorPrimitives
import CryptorTestSupport
import Testing

@testable import CryptorFormat

/// One answer for the same bytes: whatever is wrong with a message, every way into the library
/// throws the same error, as far as it can know. Where a stream cannot, the table says why.
///
/// It costs two seconds.
@Suite(.unlessItHangs) struct OneAnswerTests {
    private typealias Fault = CryptorTestSupport.Fault

    /// A sound message, and what alters it needs.
    private struct Sound {
        let secret: Secret
        let header: MessageHeader
        let keys: MessageKeys
        let bytes: [UInt8]

        var headerByteCount: Int { header.byteCount }

        init(_ secret: Secret, _ version: FormatVersion) throws {
            self.secret = secret
            let salts = MessageHeader.Salts(encryption: Array(1...8), hmac: Array(11...18))
            header = MessageHeader(
                version: version, salts: secret.isPassword ? salts : nil, iv: Array(21...36))
            keys = try secret.credential.keys(for: header)
            bytes = try Cryptor.encrypt(
                Array(repeating: 0x61, count: 100), with: secret.credential, header: header)
        }

        /// With the padding altered, under the right tag.
        func padded(_ last: [UInt8]) throws -> [UInt8] {
            let block = [UInt8](repeating: 0x61, count: 16 - last.count) + last
            let ciphertext = try BareCBC.encrypt(
                block, key: keys.encryptionKey, iv: header.iv
            ).prefix(16)
            return try tagged(header.bytes + ciphertext)
        }

        func tagged(_ bytes: [UInt8], without count: Int = 0) throws -> [UInt8] {
            try bytes + BareHMAC.tag(of: Array(bytes.dropFirst(count)), key: keys.hmacKey)
        }

        func altered(at offset: Int) -> [UInt8] {
            var altered = bytes
            altered[offset < 0 ? altered.count + offset : offset] ^= 1
            return altered
        }

        func replacing(_ offset: Int, by byte: UInt8) -> [UInt8] {
            var replaced = bytes
            replaced[offset] = byte
            return replaced
        }
    }

    private struct Row: Sendable {
        let name: String
        var version = FormatVersion.v3
        var accepting = Acceptance.default
        let fault: Fault
        /// What a stream says instead, and why it cannot know better.
        var inStreams: (fault: Fault, why: String)?
        let message: @Sendable (Sound) throws -> [UInt8]
    }

    private static let length = "a stream does not know the length before its end"
    private static let end = "a stream does not know the last bytes before its end"

    private static let rows: [Row] = shapes + alterations + starts + oldVersions

    private static let shapes: [Row] = [
        Row(name: "empty", fault: .messageTooShort) { _ in [] },
        Row(name: "the version alone", fault: .messageTooShort) { Array($0.bytes.prefix(1)) },
        Row(name: "version and options", fault: .messageTooShort) { Array($0.bytes.prefix(2)) },
        Row(name: "17 bytes", fault: .messageTooShort) { Array($0.bytes.prefix(17)) },
        Row(name: "a byte less than the header", fault: .messageTooShort) {
            Array($0.bytes.prefix($0.headerByteCount - 1))
        },
        Row(name: "the header alone", fault: .messageTooShort) {
            Array($0.bytes.prefix($0.headerByteCount))
        },
        Row(name: "header and a block", fault: .messageTooShort) {
            Array($0.bytes.prefix($0.headerByteCount + 16))
        },
        Row(name: "no ciphertext, the right tag", fault: .messageTooShort) {
            try $0.tagged($0.header.bytes)
        },
        Row(name: "a byte less than the shortest", fault: .messageTooShort) {
            Array($0.bytes.prefix($0.headerByteCount + 47))
        },
        Row(name: "a byte more than the shortest", fault: .invalidMessageLength) {
            Array($0.bytes.prefix($0.headerByteCount + 49))
        },
        Row(name: "without its last byte", fault: .invalidMessageLength) {
            Array($0.bytes.dropLast())
        },
        Row(name: "without its last 15", fault: .invalidMessageLength) {
            Array($0.bytes.dropLast(15))
        },
        Row(name: "without its first byte of ciphertext", fault: .invalidMessageLength) {
            Array($0.bytes.prefix($0.headerByteCount) + $0.bytes.dropFirst($0.headerByteCount + 1))
        },
        Row(name: "a byte behind it", fault: .invalidMessageLength) { $0.bytes + [0] },
        Row(name: "15 bytes behind it", fault: .invalidMessageLength) {
            $0.bytes + [UInt8](repeating: 10, count: 15)
        },
        Row(name: "without its last block", fault: .authenticationFailed) {
            Array($0.bytes.dropLast(16))
        },
        Row(name: "a block behind it", fault: .authenticationFailed) {
            $0.bytes + [UInt8](repeating: 0, count: 16)
        },
        Row(name: "twice", fault: .authenticationFailed) {
            $0.bytes + $0.bytes.dropFirst($0.bytes.count % 16)
        },
    ]

    private static let alterations: [Row] = [
        Row(name: "first byte of the tag", fault: .authenticationFailed) { $0.altered(at: -32) },
        Row(name: "last byte of the tag", fault: .authenticationFailed) { $0.altered(at: -1) },
        Row(name: "a tag of zeros", fault: .authenticationFailed) {
            $0.bytes.dropLast(32) + [UInt8](repeating: 0, count: 32)
        },
        Row(name: "a tag without the header", fault: .authenticationFailed) {
            try $0.tagged($0.bytes.dropLast(32), without: $0.headerByteCount)
        },
        Row(name: "first byte of ciphertext", fault: .authenticationFailed) {
            $0.altered(at: $0.headerByteCount)
        },
        Row(name: "last byte of ciphertext", fault: .authenticationFailed) { $0.altered(at: -33) },
        Row(name: "first byte of the IV", fault: .authenticationFailed) {
            $0.altered(at: $0.headerByteCount - 16)
        },
        Row(name: "last byte of the IV", fault: .authenticationFailed) {
            $0.altered(at: $0.headerByteCount - 1)
        },
        Row(name: "first byte after the options", fault: .authenticationFailed) {
            $0.altered(at: 2)
        },
        Row(name: "the HMAC salt, or the IV", fault: .authenticationFailed) { $0.altered(at: 10) },
        Row(name: "version 3 as 2", fault: .authenticationFailed) { $0.replacing(0, by: 2) },
        Row(name: "version 2 as 3", version: .v2, fault: .authenticationFailed) {
            $0.replacing(0, by: 3)
        },
        Row(name: "padding of 0", fault: .corruptPadding) { try $0.padded([0]) },
        Row(name: "padding of 17", fault: .corruptPadding) { try $0.padded([17]) },
        Row(name: "padding of 3, of which one byte is 2", fault: .corruptPadding) {
            try $0.padded([2, 3, 3])
        },
        Row(name: "version 2, padding of 0", version: .v2, fault: .corruptPadding) {
            try $0.padded([0])
        },
    ]

    private static let starts: [Row] = [
        Row(name: "version 4", fault: .unsupportedVersion) { $0.replacing(0, by: 4) },
        Row(name: "version 255", fault: .unsupportedVersion) { $0.replacing(0, by: 255) },
        Row(name: "a ZIP file", fault: .unsupportedVersion) {
            Array("PK\u{3}\u{4}".utf8) + $0.bytes
        },
        Row(name: "a blank before it", fault: .unsupportedVersion) { [0x20] + $0.bytes },
        Row(name: "options 2", fault: .unsupportedOptions) { $0.replacing(1, by: 2) },
        Row(name: "options 255", fault: .unsupportedOptions) { $0.replacing(1, by: 255) },
        Row(name: "options 2, and no more", fault: .unsupportedOptions) { [$0.bytes[0], 2] },
        Row(name: "zeros, few", fault: .unsupportedVersion) { _ in Array(repeating: 0, count: 9) },
        Row(name: "zeros, many", fault: .unsupportedVersion) { _ in
            Array(repeating: 0, count: 300)
        },
        Row(
            name: "the start of version 0, not its end", fault: .unsupportedVersion,
            inStreams: (.versionNotAccepted, end)
        ) { [0, 0] + $0.bytes.dropFirst(2) },
        Row(name: "start and end of version 0", fault: .versionNotAccepted) {
            [0, 0] + $0.bytes.dropFirst(2) + Array(repeating: 0, count: 12)
        },
        Row(name: "version 0, options 1", fault: .unsupportedOptions) {
            [0, 1] + $0.bytes.dropFirst(2)
        },
        Row(name: "base64", fault: .looksBase64Encoded) {
            Array(Cryptor.base64Text(of: $0.bytes).utf8)
        },
        Row(name: "base64, its start", fault: .looksBase64Encoded) { _ in Array("AwE".utf8) },
        Row(name: "base64, long", fault: .looksBase64Encoded) { _ in
            Array(repeating: UInt8(ascii: "A"), count: 3000)
        },
    ]

    private static let oldVersions: [Row] = [
        Row(name: "version 1", version: .v1UnauthenticatedHeader, fault: .versionNotAccepted) {
            $0.bytes
        },
        Row(
            name: "version 1, altered", version: .v1UnauthenticatedHeader,
            fault: .versionNotAccepted
        ) { $0.altered(at: -1) },
        Row(
            name: "version 1, a byte less than the header", version: .v1UnauthenticatedHeader,
            fault: .messageTooShort
        ) { Array($0.bytes.prefix($0.headerByteCount - 1)) },
        Row(
            name: "version 1, too short", version: .v1UnauthenticatedHeader,
            fault: .messageTooShort, inStreams: (.versionNotAccepted, length)
        ) { Array($0.bytes.prefix($0.headerByteCount + 30)) },
        Row(
            name: "version 1, of a wrong length", version: .v1UnauthenticatedHeader,
            fault: .invalidMessageLength, inStreams: (.versionNotAccepted, length)
        ) { $0.bytes + [0] },
        Row(
            name: "version 1, accepted, altered", version: .v1UnauthenticatedHeader,
            accepting: .everything, fault: .authenticationFailed
        ) { $0.altered(at: -40) },
        Row(
            name: "version 1, accepted, of a wrong length", version: .v1UnauthenticatedHeader,
            accepting: .everything, fault: .invalidMessageLength
        ) { $0.bytes + [0] },
        Row(
            name: "version 1, accepted, tag over the header", version: .v1UnauthenticatedHeader,
            accepting: .everything, fault: .authenticationFailed
        ) { try $0.tagged($0.bytes.dropLast(32)) },
        Row(
            name: "nothing is accepted, of a wrong length", accepting: [],
            fault: .invalidMessageLength, inStreams: (.versionNotAccepted, length)
        ) { $0.bytes + [0] },
    ]

    /// What the message is read with.
    enum Reader: CaseIterable {
        case itsSecret, theOtherKind, aKeyring
    }

    private static let keys = Secret.keys(
        encryption: Array(1...32), hmac: Array(repeating: 9, count: 32))
    private static let password = Secret.password("secret", iterations: 1)

    @Test(arguments: [true, false], Reader.allCases)
    func sameEverywhere(usesPassword: Bool, reader: Reader) async throws {
        #expect(Self.rows.count >= 40)
        let secret = usesPassword ? Self.password : Self.keys
        let other = usesPassword ? Self.keys : Self.password
        for row in Self.rows {
            let sound = try Sound(secret, row.version)
            let message = try row.message(sound)
            var (fault, inStreams) = (row.fault, row.inStreams?.fault)
            var keyring: Credential?
            switch reader {
            case .itsSecret: break
            case .theOtherKind:
                keyring = try other.credential
                // The kind stands in the header, once that is complete.
                if (try? MessageHeader(parsing: message)) != nil {
                    (fault, inStreams) = (.credentialMismatch, nil)
                }
            case .aKeyring:
                keyring = try .keyring(
                    primary: .password("one", iterations: 1),
                    previous: [.keys(.random()), secret.credential, other.credential])
            }
            let trial = Trial(
                description: "\(row.name), \(usesPassword ? "password" : "keys"), \(reader)",
                secret: secret, message: message, accepting: row.accepting,
                expected: .failure(fault), faultInStreams: inStreams, keyring: keyring)
            let isRead = reader == .itsSecret && (inStreams ?? fault) != .versionNotAccepted
            let releasable = isRead ? try trial.releasable() : []
            try await trial.checkEveryWayIn(releasable: releasable)
            for chunking in [Chunking.whole, .fixed(1), .padded(16)] {
                let flaw = trial.flaw(
                    in: try trial.stream(chunking), releasable: releasable, isStream: true)
                #expect(flaw == nil, "\(trial), stream \(chunking)")
            }
        }
    }
}
