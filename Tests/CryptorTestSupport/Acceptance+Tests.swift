import CryptorFiles
import CryptorFormat

extension Acceptance {
    /// Accepts every version, but no shortened readings of a password.
    package static let everything = Acceptance(Set(FormatVersion.allCases))

    /// The same acceptance with shortened readings of a password, or without them if `isWanted` is false.
    package func withShortenedPasswords(_ isWanted: Bool = true) -> Acceptance {
        var acceptance = self
        acceptance.shortenedPasswords = isWanted
        return acceptance
    }
}
