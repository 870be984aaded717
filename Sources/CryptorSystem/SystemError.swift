import CCryptorSystem

/// The failure of a system call.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// `errno(3)`.
    package let number: CInt

    package init(number: CInt) {
        self.number = number
    }

    /// What the last call of this thread left in `errno`.
    static var last: SystemError { SystemError(number: ccryptor_errno()) }

    /// The system does not permit the operation, or this library refuses it.
    package static let notPermitted = SystemError(number: EPERM)

    /// The path would lead out of a folder (`openat2(2)`).
    package static let leadsElsewhere = SystemError(number: EXDEV)

    /// The path contains a zero byte.
    package static let holdsZero = SystemError(number: EINVAL)

    /// The descriptor is closed, or open for something else.
    static let notOpenForThis = SystemError(number: EBADF)

    package static let exists = SystemError(number: EEXIST)
    package static let noSuchFile = SystemError(number: ENOENT)
    package static let tooManyLinks = SystemError(number: ELOOP)
    package static let wouldBlock = SystemError(number: EAGAIN)
    package static let isFolder = SystemError(number: EISDIR)

    /// The call was interrupted by a signal, before it did anything.
    package static let interrupted = SystemError(number: EINTR)

    /// The system's words, such as "No space left on device".
    package var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return "error \(number)" }
            return strerror_r(number, start, buffer.count) == 0 ? String(cString: start) : "error \(number)"
        }
    }
}
