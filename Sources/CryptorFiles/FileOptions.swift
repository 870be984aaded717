/// How a function for files treats the files, apart from encrypting or decrypting them.
///
/// ```swift
/// let options = FileOptions(overwriting: true, removingSource: true)
/// try Cryptor.encryptFile(
///     at: path, to: path + ".rnc", with: credential, options: options)
/// ```
/// Every option is off unless it is set. A function ignores options that do not apply to it.
public struct FileOptions: Sendable, Hashable {
    /// Whether a file at the destination may be replaced. The new file keeps owner, group,
    /// permissions and access control list of the old one, as far as this user may set them, but no
    /// special mode bits. If something cannot be kept, other users lose rights and never gain any;
    /// where the file system would give them more, `inputOutput` is thrown and the old file stays.
    public var overwriting: Bool

    /// For encryption and decryption: whether a new file takes over permissions and times of the
    /// source, as with `gzip`, as far as this user and the file system can set them: see
    /// ``FileProgress/lacksAttributes``. A message also takes over owner and group. A plaintext
    /// never becomes another user's, and takes over the group only if the message belongs to this
    /// user. A file that replaces another keeps that file's rights, but plaintext gets no owner
    /// other than this user.
    public var takingAttributes: Bool

    /// For encryption and decryption: whether the source is removed once the output is in a file
    /// and on disk. The source must still be the very file that was read, unchanged, with no other
    /// name and not named by a symbolic link; otherwise `inputOutput` is thrown at the end, and the
    /// output stays.
    public var removingSource: Bool

    /// Whether messages may be base64 text. Encryption then writes text in lines of 76 characters.
    /// All other functions decode a message in text: both alphabets, line breaks, missing padding,
    /// and spaces in place of plus signs are allowed. A message that gets another credential keeps
    /// its form: binary, or text in one line or in such lines.
    public var base64: Bool

    /// The maximum amount of ciphertext to keep in `$TMPDIR`, in bytes, for a source that must be
    /// read twice, but is base64 text or can be read only once, such as a pipe. A longer message
    /// throws `messageTooLong`. Nil means half of the free space there.
    public var spoolByteLimit: Int?

    /// Whether messages of version 0 are read as well, each whole and in memory: for the command.
    package var readsVersion0 = false

    /// Sets the options that are named, and no others: see ``overwriting`` and the other
    /// properties.
    public init(
        overwriting: Bool = false, takingAttributes: Bool = false, removingSource: Bool = false,
        base64: Bool = false, spoolByteLimit: Int? = nil
    ) {
        self.overwriting = overwriting
        self.takingAttributes = takingAttributes
        self.removingSource = removingSource
        self.base64 = base64
        self.spoolByteLimit = spoolByteLimit
    }
}
