/// An authentic plaintext, the index of the credential that opened its message, and the version of
/// that.
package typealias Opened<Plaintext> = (
    plaintext: Plaintext, credentialIndex: Int, version: FormatVersion
)

/// A plaintext, and the credential that opened its message.
public struct OpenedMessage: Sendable {
    /// The authentic plaintext.
    public let plaintext: [UInt8]

    /// The index of the credential: 0 for the primary of a keyring, or for a single credential; n
    /// for the nth of its previous ones.
    public let credentialIndex: Int

    /// Whether the message should be re-encrypted: the primary did not open it, or it is older than
    /// version 3.
    public let needsRotation: Bool

    package init(_ opened: Opened<[UInt8]>) {
        plaintext = opened.plaintext
        credentialIndex = opened.credentialIndex
        needsRotation = credentialIndex != 0 || opened.version.isOlderThanWritten
    }
}
