package import CryptorPrimitives

/// A message that was found authentic.
package struct VerifiedMessage: Sendable {
    package let keys: MessageKeys
    /// The candidate's place in the keyring: 0 for the primary.
    package let credentialIndex: Int
    /// The length of the ciphertext without the last block.
    package let ciphertextByteCount: Int
    /// The plaintext of the last block: 0 to 15 bytes.
    package let lastPlaintext: SecretBytes

    package var plaintextByteCount: Int { ciphertextByteCount + lastPlaintext.count }
}
