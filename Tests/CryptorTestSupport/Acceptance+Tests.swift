import CryptorFormat

extension Acceptance {
    /// Every version, under all bytes of a password.
    package static let everything = Acceptance(Set(FormatVersion.allCases))

    /// The same, also under shortened readings of a password or only if it is said so.
    package func withShortenedPasswords(_ isWanted: Bool = true) -> Acceptance {
        var acceptance = self
        acceptance.shortenedPasswords = isWanted
        return acceptance
    }

    /// The same with another limit for streams.
    package func holdingBack(_ byteCount: Int) -> Acceptance {
        var acceptance = self
        acceptance.heldBackByteLimit = byteCount
        return acceptance
    }
}
