import CCryptorSystem

/// The failure of a system call.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// `errno(3)`.
    package let number: CInt

    package init(number: CInt) { self.number = number }

    /// The value of `errno` after the last call of this thread.
    static var last: SystemError { SystemError(number: ccryptor_errno()) }

    /// The path would lead out of a directory (`openat2(2)`).
    package static let leadsElsewhere = SystemError(number: EXDEV)
    /// The call was interrupted by a signal, before it did anything.
    package static let interrupted = SystemError(number: EINTR)
    package static let missing = SystemError(number: ENOENT)
    package static let exists = SystemError(number: EEXIST)
    package static let isDirectory = SystemError(number: EISDIR)
    package static let notPermitted = SystemError(number: EPERM)
    package static let wouldBlock = SystemError(number: EAGAIN)

    /// Whether a file system that cannot set permissions, owners, lists or times fails like this,
    /// as SMB, WebDAV and S3 do when they are mounted.
    package var isRefusal: Bool { [EPERM, EACCES, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(number) }

    /// The system's words, such as "No space left on device".
    package var description: String {
        var text = [CChar](repeating: 0, count: 256)
        // For a number that no system has, it fails, and writes the number.
        _ = ccryptor_error_text(number, &text, text.count)
        return text.withUnsafeBufferPointer { text in
            String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
