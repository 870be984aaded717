/// Which messages are read, and how.
///
/// A list of versions is enough: `accepting: [.v3, .v2, .v1UnauthenticatedHeader]`. The initialiser takes the rest:
/// ```swift
/// let archive = Acceptance([.v2, .v1UnauthenticatedHeader], shortenedPasswords: true)
/// ```
/// With `shortenedPasswords`, old messages are **also read under shortened readings of a password, under which anybody
/// who guesses its first few bytes can forge a message**.
///
/// Some writers of versions 2, 1 and 0 used only the first n bytes of a password's UTF-8, where n is its number of
/// characters: UTF-16 code units for those in Objective-C, code points for those in PHP and Ruby. Their messages do not
/// verify under all of the bytes. With this option they do: all bytes are tried first, then each shortened reading, and
/// the first reading whose HMAC matches counts.
///
/// The price: for a single emoji such as 🔑, the byte `F0` alone is such a reading; for 密碼, two bytes out of six; for
/// Cyrillic or Greek letters, half of the bytes. Anybody who guesses these bytes can write messages of version 2 that
/// verify, even for people who never wrote that version. So use this option only for messages from a place where nobody
/// else can write, such as your own archive, and turn them into version 3 with `Cryptor.rekeyFile`.
///
/// Only the reading of versions 2, 1 and 0 is affected, and only under a password that is not ASCII: for ASCII all
/// readings are the same.
public struct Acceptance: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// Versions 3 and 2, under all bytes of a password. This is what is read unless the caller says otherwise.
    public static let `default`: Acceptance = [.v3, .v2]

    let accepted: FormatVersions
    package var shortenedPasswords: Bool
    package var spoolByteLimit: Int?

    package var versions: Set<FormatVersion> { accepted.set }

    /// Accepts these versions, under all bytes of a password unless told otherwise.
    /// - Parameters:
    ///   - versions: the versions to read. Those before 2 have names that say what is wrong with them.
    ///   - shortenedPasswords: whether shortened readings of a password are tried. Anybody may forge under them: see
    ///     above.
    ///   - spoolByteLimit: the most ciphertext to keep in `$TMPDIR`, in bytes, for a source that has to be read twice
    ///     and can be read only once, such as a pipe. A longer message throws `messageTooLong`. Nil means half of what
    ///     is free there.
    public init(
        _ versions: Set<FormatVersion>, shortenedPasswords: Bool = false, spoolByteLimit: Int? = nil
    ) {
        accepted = FormatVersions(versions)
        self.shortenedPasswords = shortenedPasswords
        self.spoolByteLimit = spoolByteLimit
    }

    /// Accepts these versions, under all bytes of a password.
    public init(arrayLiteral versions: FormatVersion...) {
        self.init(Set(versions))
    }
}
