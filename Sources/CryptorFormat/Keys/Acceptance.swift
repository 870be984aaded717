/// Which messages are read, and how.
///
/// A list of versions is one: `accepting: [.v3, .v2, .v1UnauthenticatedHeader]`. For all else:
/// ```swift
/// let archive = Acceptance([.v2, .v1UnauthenticatedHeader], shortenedPasswords: true)
/// ```
public struct Acceptance: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// Versions 3 and 2, under all bytes of a password: what is read where nothing else is said.
    public static let `default`: Acceptance = [.v3, .v2]

    /// The versions to read. Those before 2 have names that say what is wrong with them.
    public var versions: Set<FormatVersion> {
        get { accepted.set }
        set { accepted = FormatVersions(newValue) }
    }

    /// The same, to look one up.
    private(set) var accepted: FormatVersions

    /// Whether old messages are read **also in the shortened readings of a password, under which anybody who guesses its
    /// first few bytes can forge a message**.
    ///
    /// Some writers of versions 2, 1 and 0 used only the first n bytes of a password's UTF-8, where n is its number of
    /// characters: UTF-16 code units for those in Objective-C, code points for those in PHP and Ruby. Their messages do not
    /// verify under all of the bytes. With this they do: all bytes are tried first, then each shortened reading, and the
    /// first whose HMAC matches counts.
    ///
    /// What that costs: of a password of one emoji such as 🔑 the byte `F0` alone is such a reading, of 密碼 two bytes out of six,
    /// of Cyrillic or Greek letters half of the bytes. Whoever guesses those writes messages of version 2 that verify,
    /// even for people who never wrote that version. So read with this only messages that come from where nobody else can
    /// write, such as an archive of one's own, and make version 3 of them with `Cryptor.rekeyFile`.
    ///
    /// Only the reading of versions 2, 1 and 0 is affected, and only under a password that is not ASCII: for ASCII all
    /// readings are the same.
    public var shortenedPasswords: Bool

    /// For streams, where shortened passwords are accepted: a message that has several readings is held back to its end, where
    /// the HMAC tells which was meant. The most ciphertext to keep in memory, in bytes; `messageTooLong` beyond.
    public var heldBackByteLimit: Int

    /// For files, where the source can be read once only and has to be read twice: the most bytes to keep in
    /// `$TMPDIR`, as ciphertext; `messageTooLong` beyond. Nil for half of what is free there.
    public var spoolByteLimit: Int?

    /// Accepts these versions, under all bytes of a password unless told otherwise.
    /// - Parameters:
    ///   - versions: see ``versions``.
    ///   - shortenedPasswords: see ``shortenedPasswords``.
    ///   - heldBackByteLimit: see ``heldBackByteLimit``.
    ///   - spoolByteLimit: see ``spoolByteLimit``.
    public init(
        _ versions: Set<FormatVersion>, shortenedPasswords: Bool = false, heldBackByteLimit: Int = 64 * 1024 * 1024,
        spoolByteLimit: Int? = nil
    ) {
        accepted = FormatVersions(versions)
        self.shortenedPasswords = shortenedPasswords
        self.heldBackByteLimit = heldBackByteLimit
        self.spoolByteLimit = spoolByteLimit
    }

    /// Accepts these versions, under all bytes of a password.
    public init(arrayLiteral versions: FormatVersion...) {
        self.init(Set(versions))
    }
}
