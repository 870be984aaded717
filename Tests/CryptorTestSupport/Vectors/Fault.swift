import CryptorFormat

/// What is wrong with a message that must be refused.
package enum Fault: String, Error, Decodable, CaseIterable {
    case messageTooShort = "message-too-short"
    case invalidMessageLength = "invalid-message-length"
    case looksBase64Encoded = "looks-base64-encoded"
    case unsupportedVersion = "unsupported-version"
    case unsupportedOptions = "unsupported-options"
    case credentialMismatch = "credential-mismatch"
    case authenticationFailed = "authentication-failed"
    case corruptPadding = "corrupt-padding"
    /// No vector has this one: it depends on the reader.
    case versionNotAccepted = "version-not-accepted"

    /// The error that the library must throw.
    package var code: CryptorError.Code {
        switch self {
        case .messageTooShort, .invalidMessageLength: .invalidMessageLength
        case .looksBase64Encoded: .looksBase64Encoded
        case .unsupportedVersion, .unsupportedOptions: .unsupportedVersion
        case .credentialMismatch: .credentialMismatch
        case .authenticationFailed: .authenticationFailed
        case .corruptPadding: .corruptPadding
        case .versionNotAccepted: .versionNotAccepted
        }
    }

    /// Whether the fault shows without a key.
    package var precedesTheMAC: Bool { self != .authenticationFailed && self != .corruptPadding }
}

/// Returns the library's error that `work` throws, or nil if it throws none. Other errors are
/// thrown on.
package func caughtError(of work: () throws -> Void) throws -> CryptorError? {
    do {
        try work()
        return nil
    } catch let error as CryptorError {
        return error
    }
}

extension Acceptance {
    /// Accepts every version.
    package static let everything = Acceptance(Set(FormatVersion.allCases))
}

extension Credential {
    /// A keyring of this credential and its shortened readings, or this one alone if `isWanted` is
    /// false.
    package func withShortenedReadings(_ isWanted: Bool = true) throws -> Credential {
        isWanted ? try .keyring(primary: self, previous: shortenedReadings) : self
    }
}
